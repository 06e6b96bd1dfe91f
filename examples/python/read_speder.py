#!/usr/bin/env python3
"""Reads what speder writes: MDP files (h5py), solutions (h5py) and result stores (sqlite3, pandas).

    speder mdp make --family lock --gamma 0.9 --out m.h5
    speder solve m.h5 --out v.h5
    speder sweep experiments/rates/planted/suite.toml -o results.db
    python3 examples/python/read_speder.py m.h5 v.h5 results.db

In a notebook: from read_speder import read_mdp, expectation, read_solution, read_store
Needs numpy, h5py and pandas (Debian: python3-h5py python3-pandas).
"""
import sqlite3
import sys
from pathlib import Path

import h5py
import numpy as np
import pandas as pd


class Rows:
    """A factor, phi (S*A, d) or mu (S, d): dense, or compressed sparse rows when it is large."""

    def __init__(self, f, name):
        self.cols = int(f.attrs["rank"])
        self.table = f[name][:].reshape(-1, self.cols) if name in f else None
        if self.table is None:
            self.data, self.column = f[name + "_data"][:], f[name + "_indices"][:]
            count = np.diff(f[name + "_indptr"][:])
            self.rows, self.row = len(count), np.repeat(np.arange(len(count)), count)

    def times(self, w):
        """F w"""
        if self.table is not None:
            return self.table @ w
        return np.bincount(self.row, self.data * w[self.column], self.rows)

    def transpose_times(self, v):
        """F' v"""
        if self.table is not None:
            return self.table.T @ v
        return np.bincount(self.column, self.data * v[self.row], self.cols)


def read_mdp(path):
    """The MDP: phi and mu as Rows, nu (S), r (S, A), rho (S), gamma; and P (S, A, S), whose rows sum
    to one, unless a factor is stored sparse because such a table would be too large."""
    with h5py.File(path) as f:
        mdp = {"phi": Rows(f, "phi"), "mu": Rows(f, "mu"), "nu": f["nu"][:], "r": f["reward"][:],
               "rho": f["rho"][:], "gamma": f.attrs["gamma"]}
        if "phi" in f and "mu" in f:
            mdp["P"] = (f["phi"][:] @ f["mu"][:].T) * f["nu"][:]  # <phi(s,a), mu(s')> nu(s')
        return mdp


def expectation(mdp, v):
    """E[v(s')] for every (s, a), through the factors: phi (mu' (nu * v))."""
    return mdp["phi"].times(mdp["mu"].transpose_times(mdp["nu"] * v)).reshape(mdp["r"].shape)


def read_solution(path):
    """What `speder solve --out` wrote: V (S), Q (S, A), policy, visitation."""
    with h5py.File(path) as f:
        return {name: f[name][:] for name in f}


def read_store(path):
    """All numbers of a result store, one a line; a cell 'd=4 n=100' becomes columns d and n."""
    # Read-only, so that a running sweep is not disturbed; as_uri escapes any file name.
    with sqlite3.connect(Path(path).resolve().as_uri() + "?mode=ro", uri=True) as db:
        rows = pd.read_sql(
            "SELECT experiment, cell, repetition, status, metric, n, value "
            "FROM runs JOIN rows ON rows.run = runs.id "
            "ORDER BY experiment, cell, repetition, metric, n", db)
    settings = pd.DataFrame(
        [dict(s.split("=", 1) for s in cell.split()) for cell in rows["cell"]], index=rows.index)
    settings = settings.apply(pd.to_numeric, errors="ignore")
    return rows.drop(columns="cell").join(settings, rsuffix="_setting")


def main(mdp_file, solution_file, store_file):
    mdp, solution = read_mdp(mdp_file), read_solution(solution_file)
    r, gamma, V = mdp["r"], mdp["gamma"], solution["V"]
    print(f"MDP: {r.shape[0]} states, {r.shape[1]} actions, "
          f"largest |row sum - 1| = {np.abs(expectation(mdp, np.ones_like(V)) - 1).max():.1e}")
    bellman = (r + gamma * expectation(mdp, V)).max(axis=1)  # max_a r(s,a) + gamma E[V(s')]
    print(f"J* = {mdp['rho'] @ V:.12g}, Bellman residual {np.abs(bellman - V).max():.1e}")
    store = read_store(store_file)
    print(f"store: {len(store)} numbers\n{store.groupby(['experiment', 'metric'])['value'].describe()}")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])

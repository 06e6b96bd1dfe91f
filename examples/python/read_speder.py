#!/usr/bin/env python3
"""Reads what speder writes: MDP files (h5py), solutions (h5py) and result stores (sqlite3, pandas).

    speder mdp make --family lock --gamma 0.9 --out m.h5
    speder solve m.h5 --out v.h5
    speder sweep experiments/rates/planted/suite.toml -o results.db
    python3 examples/python/read_speder.py m.h5 v.h5 results.db

In a notebook: from read_speder import read_mdp, read_solution, read_store
Needs numpy, h5py and pandas (Debian: python3-h5py python3-pandas).
"""
import sqlite3
import sys
from pathlib import Path

import h5py
import numpy as np
import pandas as pd


def read_mdp(path):
    """The MDP as arrays: P (S, A, S) with rows that sum to one, r (S, A), rho (S), gamma."""
    with h5py.File(path) as f:
        P = (f["phi"][:] @ f["mu"][:].T) * f["nu"][:]  # P(s'|s,a) = <phi(s,a), mu(s')> nu(s')
        return {"P": P, "r": f["reward"][:], "rho": f["rho"][:], "gamma": f.attrs["gamma"]}


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
    P, r, gamma, V = mdp["P"], mdp["r"], mdp["gamma"], solution["V"]
    print(f"MDP: {P.shape[0]} states, {P.shape[1]} actions, "
          f"largest |row sum - 1| = {np.abs(P.sum(axis=2) - 1).max():.1e}")
    bellman = (r + gamma * P @ V).max(axis=1)  # max_a r(s,a) + gamma E[V(s')]
    print(f"J* = {mdp['rho'] @ V:.12g}, Bellman residual {np.abs(bellman - V).max():.1e}")
    store = read_store(store_file)
    print(f"store: {len(store)} numbers\n{store.groupby(['experiment', 'metric'])['value'].describe()}")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])

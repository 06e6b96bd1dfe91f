#!/usr/bin/env python3
"""Reads a class and a data set that speder wrote, and chooses the candidate itself.

    speder mdp make --family simplex --states 20 --actions 3 --rank 3 --gamma 0.9 --out m.h5
    speder learn offline --mdp m.h5 --class-size 200 --transitions 2000 --save-class c.h5 --save-data d.h5
    python3 examples/python/least_squares.py c.h5 d.h5

In a notebook: from least_squares import read_class, read_data, losses
Needs numpy and h5py (Debian: python3-h5py).
"""
import sys

import h5py
import numpy as np


def read_class(path):
    """phi (F, S, A, d), mu (F, S, d), nu (S) and the number of the true member, or None. A product
    has its two sides as they are, and `product` says so: member i * len(mu) + j is (phi[i], mu[j])."""
    with h5py.File(path) as f:
        return {"phi": f["phi"][:], "mu": f["mu"][:], "nu": f["nu"][:],
                "product": f.attrs.get("kind", "list") in ("product", b"product"),
                "truth": int(f.attrs["truth"]) if "truth" in f.attrs else None}


def read_data(path):
    """Counts (S, A, S) of the transitions (s, a, s')."""
    with h5py.File(path) as f:
        S, A = f["behaviour"].shape
        counts = np.zeros((S, A, S))
        np.add.at(counts, (f["state"][:], f["action"][:], f["next"][:]), 1)
        return counts


def losses(candidates, counts):
    """sum_i -2 f(x_i, y_i) + sum_y f(x_i, y)^2 nu(y) for every candidate f = <phi, mu>."""
    phi, mu, nu = candidates["phi"], candidates["mu"], candidates["nu"]
    pairs = [(f, m) for f in phi for m in mu] if candidates["product"] else zip(phi, mu)
    visits = counts.sum(axis=2, keepdims=True)
    return np.array([(visits * (f @ m.T)**2 * nu - 2 * counts * (f @ m.T)).sum() for f, m in pairs])


def main(class_file, data_file):
    candidates = read_class(class_file)
    loss = losses(candidates, read_data(data_file))
    best = int(loss.argmin())  # the first of equals, as speder
    print(f"{len(loss)} candidates, least loss {loss[best]:.12g} at {best}; the truth is {candidates['truth']}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])

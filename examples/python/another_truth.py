#!/usr/bin/env python3
"""Makes an MDP of the member of a class that is farthest from its centre: does a learner find it?

    speder mdp make --family latent --states 40 --actions 3 --rank 4 --gamma 0.9 --out m.h5
    speder learn online --mdp m.h5 --class-size 256 --save-class c.h5 --episodes 1
    python3 examples/python/another_truth.py m.h5 c.h5 far.h5 far_class.h5
    speder learn online --mdp far.h5 --class far_class.h5 --bonus tuned --criterion constrained --episodes 4000

Needs numpy and h5py (Debian: python3-h5py).
"""
import sys

import h5py
import numpy as np


def main(mdp_file, class_file, new_mdp, new_class):
    with h5py.File(class_file) as f:
        phi, mu, nu, centre = f["phi"][:], f["mu"][:], f["nu"][:], int(f.attrs["truth"])
    P = np.einsum("fsad,ftd->fsat", phi, mu)  # densities with respect to nu
    squared = ((P - P[centre])**2 * nu).sum(axis=3).mean(axis=(1, 2))
    far = int(squared.argmax())
    with h5py.File(mdp_file) as old, h5py.File(new_mdp, "w") as new:
        new["phi"], new["mu"], new["nu"] = phi[far], mu[far], nu
        new["rho"], new["reward"], new["theta_r"] = old["rho"][:], old["reward"][:], np.zeros(0)
        new.attrs["gamma"] = old.attrs["gamma"]
    with h5py.File(new_class, "w") as new:
        new["phi"], new["mu"], new["nu"] = phi, mu, nu
        new.attrs["format"], new.attrs["format_version"], new.attrs["truth"] = "speder-class", 1, far
    print(f"centre {centre}, truth {far}, squared distance {squared[far]:.4g}")


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])

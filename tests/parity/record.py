"""Records trajectories of the unmodified peers as small HDF5 fixtures (docs/environments.md).

DeepMind Control: whole trajectories of dm_control's own environments.
MBBL: gymnasium's physics; observation, reward and done recomputed here from the published table
(docs/environments.md), independently of the C++ code. Run through record.sh.
"""

import argparse
import pathlib

import h5py
import numpy as np

import record_dmc
import record_mbbl

SIZE_LIMIT = 2 * 1024 * 1024  # bytes, all fixtures together


def save(path, data):
    with h5py.File(path, "w", libver=("v110", "v110")) as file:
        for name, values in data.items():
            values = np.asarray(values)
            if name.endswith("actions") or name == "formula/observations":
                assert np.array_equal(values, values.astype(np.float32))
                values = values.astype(np.float32)
            options = {} if values.size < 16 else dict(compression="gzip", compression_opts=9)
            file.create_dataset(name, data=values, shuffle=values.size >= 16, **options)
        file.attrs["mujoco"] = "3.17.0"
        file.attrs["dm_control"] = "1.0.50"
        file.attrs["gymnasium"] = "1.4.0"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    for name, data in (*record_dmc.record_all(), *record_mbbl.record_all()):
        path = out / f"{name}.h5"
        save(path, data)
        print(f"{path.name:24s} {path.stat().st_size:8d} bytes")
    total = sum(p.stat().st_size for p in out.glob("*.h5"))
    print(f"total {total} bytes")
    if total > SIZE_LIMIT:
        raise SystemExit(f"fixtures exceed {SIZE_LIMIT} bytes")


if __name__ == "__main__":
    main()

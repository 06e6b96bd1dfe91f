#!/usr/bin/env bash
# h5py_test.sh <speder-deep> <packages> <python>: maze data files as h5py sees and writes them.
set -euo pipefail
deep=$1 packages=$2 python=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$deep" data pointmaze --packages "$packages" --transitions 3000 --compress 1 --out d.h5 >/dev/null
"$deep" data info d.h5 --json >d.json
"$python" - <<'PY'
import json
import h5py
import numpy as np

told = json.load(open("d.json"))
with h5py.File("d.h5") as f:
    shapes = {k: v.shape for k, v in f.items() if isinstance(v, h5py.Dataset)}
    assert shapes == {"observations": (3000, 4), "actions": (3000, 2), "rewards": (3000,),
                      "terminals": (3000,), "timeouts": (3000,)}, shapes
    assert f["observations"].dtype == f["actions"].dtype == f["rewards"].dtype == np.float32
    assert f["terminals"].dtype == f["timeouts"].dtype == np.bool_
    assert f["infos/goal"].shape == f["infos/qpos"].shape == f["infos/qvel"].shape == (3000, 2)
    assert (np.hstack([f["infos/qpos"], f["infos/qvel"]]) == f["observations"][:]).all()
    assert told["rows"] == 3000 and told["trajectories"] == f["timeouts"][:].sum() == 3
    # a sum of n doubles in another order: at most n roundings of the largest partial sum
    sums = {k: f[k][:].astype(np.float64) for k in ("observations", "actions", "rewards")}
    for key, name in (("observations", "observation_sum"), ("actions", "action_sum"), ("rewards", "reward_sum")):
        assert abs(sums[key].sum() - told[name]) <= sums[key].size * 2**-53 * np.abs(sums[key]).sum()

n = 2500
rng = np.random.default_rng(0)
with h5py.File("peer.h5", "w") as f:  # as D4RL writes: gzip, float64 rewards, booleans, no timeouts
    f.create_dataset("observations", data=rng.normal(size=(n, 29)).astype("f4") * 1e-3, compression="gzip")
    f.create_dataset("actions", data=np.full((n, 8), 0.25, "f4"), compression="gzip")
    f.create_dataset("rewards", data=np.full((n, 1), 0.5), compression="gzip")
    f.create_dataset("terminals", data=np.arange(n) % 10 == 0)
with h5py.File("main_data.hdf5", "w") as f:  # as Minari writes
    for e, steps in enumerate((3, 4)):
        g = f.create_group(f"episode_{e}")
        g.create_dataset("actions", data=np.ones((steps, 2), "f4"), maxshape=(None, 2), chunks=True)
        g.create_dataset("rewards", data=np.ones(steps))
        g.create_dataset("terminations", data=np.zeros(steps, bool))
        g.create_dataset("truncations", data=np.arange(steps) == steps - 1)
        for key, width in (("observation", 4), ("achieved_goal", 2), ("desired_goal", 2)):
            g.create_dataset(f"observations/{key}", data=np.ones((steps + 1, width)))
PY
"$deep" data info peer.h5 --json >peer.json
"$deep" data info main_data.hdf5 --json >minari.json
"$python" - <<'PY'
import json

peer, minari = json.load(open("peer.json")), json.load(open("minari.json"))
assert (peer["rows"], peer["trajectories"], peer["transitions"]) == (2500, 3, 2497), peer
assert (peer["terminals"], peer["reward_sum"], peer["action_sum"]) == (250, 1250.0, 5000.0), peer
assert (minari["rows"], minari["trajectories"], minari["transitions"]) == (9, 2, 7), minari
assert (minari["observation_sum"], minari["action_sum"], minari["reward_sum"]) == (36.0, 14.0, 7.0), minari
PY
echo ok

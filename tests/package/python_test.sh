#!/usr/bin/env bash
# python_test.sh <speder> <source folder> <python>: the reading example agrees with the program.
set -euo pipefail
speder=$1 source=$2 python=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$speder" mdp make --family lock --states 30 --actions 3 --rank 5 --gamma 0.9 --out m.h5 >/dev/null
"$speder" solve m.h5 --out v.h5 --json >solve.json
# Large enough to be stored as sparse rows.
"$speder" mdp make --family garnet --states 4000 --actions 2 --gamma 0.9 --out g.h5 >/dev/null
"$speder" solve g.h5 --out gv.h5 >/dev/null
printf 'experiment = "planted"\n[quick]\nrepetitions = 10\nx = [1, 4, 16]\n' >suite.toml
"$speder" sweep suite.toml -o 'a?b #c.db' >/dev/null
"$speder" report 'a?b #c.db' --rows >rows.csv
"$python" -W error "$source/examples/python/read_speder.py" m.h5 v.h5 'a?b #c.db'

PYTHONPATH=$source/examples/python "$python" - <<'PY'
import json
import numpy as np
import pandas as pd
from read_speder import expectation, read_mdp, read_solution, read_store

mdp, solution, told = read_mdp("m.h5"), read_solution("v.h5"), json.load(open("solve.json"))
bellman = (mdp["r"] + mdp["gamma"] * mdp["P"] @ solution["V"]).max(axis=1)
assert np.abs(mdp["P"].sum(axis=2) - 1).max() <= 1e-12  # the format's own tolerance
assert np.abs(bellman - solution["V"]).max() <= 1e-10    # tol::kBellman
assert abs(mdp["rho"] @ solution["V"] - told["value"]) <= 1e-12 * (1 + told["value"])
assert np.abs(expectation(mdp, solution["V"]) - mdp["P"] @ solution["V"]).max() <= 1e-12
large, solved = read_mdp("g.h5"), read_solution("gv.h5")
assert "P" not in large  # (S, A, S) has 32 million entries
bellman = (large["r"] + large["gamma"] * expectation(large, solved["V"])).max(axis=1)
assert np.abs(bellman - solved["V"]).max() <= 1e-10
store, rows = read_store("a?b #c.db"), pd.read_csv("rows.csv", float_precision="round_trip")
assert len(store) == len(rows) > 0
assert (store["value"].to_numpy() == rows["value"].to_numpy()).all()  # the same bits
assert set(store["x"]) == {1, 4, 16}
P = np.array([[[0.5, 0.5]], [[0.0, 1.0]]])  # (S, A, S)
r = np.array([[1.0], [1.0]])
np.savez("m.npz", P=P, r=r, rho=np.array([1, 0]), gamma=0.5)
np.savez_compressed("small.npz", P=P, r=r, rho=np.array([1, 0]), gamma=0.5)
np.save("P.npy", np.asfortranarray(P.astype("f4")))
np.save("r.npy", r)
np.save("big.npy", P.astype(">f8"))
np.save("first.npy", np.ones((1, 2, 2)) / 2)
PY
# A class and a data set: numpy's least squares finds the candidate that speder finds.
for kind in multiscale product; do
  for n in 30 3000; do
    "$speder" learn offline --mdp m.h5 --class $kind --class-size 144 --transitions $n --save-class c.h5 \
      --save-data d.h5 --json >drawn.json
    "$speder" learn offline --mdp m.h5 --class c.h5 --data d.h5 --json >read.json
    "$python" -W error "$source/examples/python/least_squares.py" c.h5 d.h5
    PYTHONPATH=$source/examples/python "$python" - <<'PY'
import json
import numpy as np
from least_squares import losses, read_class, read_data

loss = losses(read_class("c.h5"), read_data("d.h5"))
drawn, read = (json.load(open(name))["rows"] for name in ("drawn.json", "read.json"))
assert [row["candidate"] for row in drawn] == [row["candidate"] for row in read]
assert [row["value_last"] for row in drawn] == [row["value_last"] for row in read]
chosen = int(read[-1]["candidate"])
# Losses that rounding cannot tell apart are the same to both programs.
assert loss[chosen] - loss.min() <= 1e-12 * np.abs(loss).max()
assert loss.argmin() == chosen or np.sort(loss)[1] - loss.min() <= 1e-12 * np.abs(loss).max()
assert read_class("c.h5")["truth"] is not None
PY
  done
done
# Another member of the class for the truth: least squares finds it, the constrained objective stays at the centre.
"$speder" mdp make --family simplex --states 50 --actions 5 --rank 4 --gamma 0.9 --seed 1 --out s.h5 >/dev/null
"$speder" learn online --mdp s.h5 --class-size 256 --save-class c.h5 --episodes 1 --json >/dev/null
read -r _ centre _ truth _ < <("$python" -W error "$source/examples/python/another_truth.py" s.h5 c.h5 far.h5 far_class.h5)
for criterion in least-squares constrained; do
  "$speder" learn online --mdp far.h5 --class far_class.h5 --bonus tuned --criterion $criterion --episodes 1000 \
    --json >far.json
  wanted=${truth%,}; [ $criterion = constrained ] && wanted=${centre%,}
  "$python" -c "import json, sys; sys.exit(json.load(open('far.json'))['rows'][-1]['candidate'] != $wanted)" ||
    { echo "FAILED: $criterion is not at $wanted"; exit 1; }
done
told() {  # told TEXT ARGS...: a mistake, in one line
  local text=$1; shift
  if "$speder" "$@" 2>err || ! grep -qF -- "$text" err; then echo "FAILED: $*"; cat err; exit 1; fi
}
"$speder" mdp import m.npz --out n.h5 >/dev/null
"$speder" solve n.h5 | grep -q "J\*          2 "
"$speder" mdp import P.npy --reward r.npy --gamma 0.9 --out p.h5 | grep -q "start distribution: uniform"
"$speder" solve p.h5 | grep -q "J\*          10 "
told "write the file with numpy.savez" mdp import small.npz --out x.h5
told "--reward r.npy" mdp import P.npy --gamma 0.9 --out x.h5
told ".astype('<f8')" mdp import big.npy --reward r.npy --gamma 0.9 --out x.h5
told "P.transpose(1, 0, 2) has it" mdp import first.npy --reward r.npy --gamma 0.9 --out x.h5
head -c 150 m.npz >cut.npz
told "cut.npz" mdp import cut.npz --out x.h5
sed 's/gamma/gemma/' m.npz >damaged.npz
told "damaged.npz" mdp import damaged.npz --out x.h5
"$speder" mdp make --family lock --states 30 --actions 3 --rank 5 --gamma 0.9 --seed 2 --out other.h5 >/dev/null
"$speder" learn offline --mdp m.h5 --class-size 20 --transitions 50 --save-class c.h5 --save-data d.h5 >/dev/null
told "does not hold P*" learn offline --mdp other.h5 --class c.h5 --data d.h5
told "the class is for |S|=30" learn online --mdp n.h5 --class c.h5 --episodes 5
told "the data are for |S|=30" learn offline --mdp n.h5 --class-size 1 --data d.h5
told "is not speder-class" learn online --mdp m.h5 --class d.h5 --episodes 5
told "is not speder-data" learn offline --mdp m.h5 --class-size 5 --data c.h5
told "--data" learn offline --mdp m.h5 --class-size 5 --data d.h5 --transitions 50
told "must end in .h5" learn online --mdp m.h5 --class-size 5 --episodes 5 --save-class c.npz
echo ok

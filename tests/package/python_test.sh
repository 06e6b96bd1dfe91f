#!/usr/bin/env bash
# python_test.sh <speder> <source folder> <python>: the reading example agrees with the program.
set -euo pipefail
speder=$1 source=$2 python=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$speder" mdp make --family lock --states 30 --actions 3 --rank 5 --gamma 0.9 --out m.h5 >/dev/null
"$speder" solve m.h5 --out v.h5 --json >solve.json
printf 'experiment = "planted"\n[quick]\nrepetitions = 10\nx = [1, 4, 16]\n' >suite.toml
"$speder" sweep suite.toml -o 'a?b #c.db' >/dev/null
"$speder" report 'a?b #c.db' --rows >rows.csv
"$python" -W error "$source/examples/python/read_speder.py" m.h5 v.h5 'a?b #c.db'

PYTHONPATH=$source/examples/python "$python" - <<'PY'
import json
import numpy as np
import pandas as pd
from read_speder import read_mdp, read_solution, read_store

mdp, solution, told = read_mdp("m.h5"), read_solution("v.h5"), json.load(open("solve.json"))
bellman = (mdp["r"] + mdp["gamma"] * mdp["P"] @ solution["V"]).max(axis=1)
assert np.abs(mdp["P"].sum(axis=2) - 1).max() <= 1e-12  # the format's own tolerance
assert np.abs(bellman - solution["V"]).max() <= 1e-10    # tol::kBellman
assert abs(mdp["rho"] @ solution["V"] - told["value"]) <= 1e-12 * (1 + told["value"])
store, rows = read_store("a?b #c.db"), pd.read_csv("rows.csv", float_precision="round_trip")
assert len(store) == len(rows) > 0
assert (store["value"].to_numpy() == rows["value"].to_numpy()).all()  # the same bits
assert set(store["x"]) == {1, 4, 16}
PY
echo ok

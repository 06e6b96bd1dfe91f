#!/usr/bin/env bash
# `speder scale` and the experiment `learn` as a person uses them: scale.sh <speder>
set -uo pipefail
speder=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
needle="--family needle --axis rank=8,12,16,20,24 --actions 2 --gamma 0.8 --epsilon 0.06 --c-alpha 0.003 --c-lambda 0.01"
easy="--family simplex --states 12 --rank 3 --axis actions=2,3,4,5,6 --class-size 20 --epsilon 0.5 --budget 200 --seeds 5"

refused() {  # refused TEXT ARGS...: exit code 2, nothing on stdout, one line on stderr with TEXT, no store
  local text=$1; shift
  "$speder" scale "$@" -o "$work/none.db" >"$work/out" 2>"$work/err"; local code=$?
  if [ $code != 2 ] || [ -s "$work/out" ] || [ "$(wc -l <"$work/err")" != 1 ] || [ -e "$work/none.db" ] ||
     ! grep -qF -- "$text" "$work/err"; then
    echo "FAILED refused: $* (exit $code)"; cat "$work/err"; failed=1
  fi
}
check() {  # check NAME CONDITION...
  local name=$1; shift
  if ! "$@"; then echo "FAILED check: $name"; failed=1; fi
}
rows() { "$speder" report "$1" --rows; }

# The same rows for any number of jobs, and after a kill.
"$speder" scale $needle --budget 60000 --seeds 4 -j1 -o "$work/one.db" --theory 4 >"$work/text" || failed=1
"$speder" scale $needle --budget 60000 --seeds 4 -j2 -o "$work/two.db" --theory 4 --json >"$work/json" || failed=1
"$speder" scale $needle --budget 60000 --seeds 4 -j1 -o "$work/cut.db" --theory 4 >/dev/null 2>&1 &
pid=$!
for _ in $(seq 100); do
  [ "$(rows "$work/cut.db" 2>/dev/null | grep -c ',end,')" -ge 1 ] && break
  sleep 0.02
done
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
"$speder" scale $needle --budget 60000 --seeds 4 -o "$work/cut.db" --theory 4 >/dev/null || failed=1
rows "$work/one.db" >"$work/rows1"
rows "$work/two.db" >"$work/rows2"
rows "$work/cut.db" >"$work/rows3"
check "rows with one job and two" cmp "$work/rows1" "$work/rows2"
check "rows after a kill" cmp "$work/rows1" "$work/rows3"
check "40 runs" [ "$(cut -d, -f2,3 "$work/rows1" | sort -u | wc -l)" = 41 ]
check "the table" grep -q "N without a bonus" "$work/text"
check "the page" [ -s "$work/one-report/index.html" ]
python3 - "$work/json" <<'P' || failed=1
import json, sys
out = json.load(open(sys.argv[1]))
study, = out["studies"]
assert out["complete"] and out["runs"] == 40, out
assert [c["x"] for c in study["cells"]] == [[8], [12], [16], [20], [24]]
# Without its bonus the learner does not open the doors: this is a test.
assert study["gate"]["control_fails"] and study["gate"]["premises_hold"], study["gate"]
assert study["verdicts"][0]["verdict"] in ("below", "tight", "inconclusive"), study["verdicts"]
P

# An easy family, where the bonus changes nothing: no test, whatever the exponent.
"$speder" scale $easy --theory 2 -o "$work/easy.db" --json >"$work/json" || failed=1
python3 - "$work/json" <<'P' || failed=1
import json, sys
study, = json.load(open(sys.argv[1]))["studies"]
assert study["verdicts"][0]["verdict"] == "not a test", study["verdicts"]
assert not study["gate"]["control_fails"] and "without its bonus" in study["gate"]["reason"], study["gate"]
P

# Two learners, two axes, the page of a store made again.
"$speder" scale --family needle --axis rank=8,12,16 --axis actions=2,3 --gamma 0.8 --epsilon 0.2 --budget 300 \
  --seeds 3 --algorithm speder --algorithm uniform -o "$work/map.db" --report "$work/page" >"$work/text" || failed=1
check "two studies" [ "$(grep -c "on needle: N(epsilon" "$work/text")" = 2 ]
check "two maps" [ -s "$work/page/figures/learn-map-2.png" ]
check "report" "$speder" report "$work/map.db" --out "$work/again" >/dev/null
# Other settings do not mix with a store's.
"$speder" scale $easy -o "$work/map.db" >/dev/null 2>"$work/err"
check "other settings" [ $? = 2 ]

# A file of MDP and one of its class, and ranks of a job.
"$speder" learn online --family river --states 5 --gamma 0.9 --class-size 10 --episodes 5 --save-class "$work/c.h5" \
  >/dev/null || failed=1
"$speder" mdp make --family river --states 5 --gamma 0.9 --out "$work/m.h5" >/dev/null || failed=1
files="--mdp $work/m.h5 --class $work/c.h5 --axis epsilon=0.4,0.3,0.2,0.15,0.1 --budget 300 --seeds 3 --bonus tuned"
"$speder" scale $files -o "$work/file.db" >"$work/text" || failed=1
check "the axis of a file" grep -q "1/ε" "$work/text"
if command -v mpirun >/dev/null && [ -e "$(dirname "$speder")/libspeder_mpi.so" ]; then
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n 3 \
    "$speder" scale $files -o "$work/ranks.db" >/dev/null 2>"$work/err" || { cat "$work/err"; failed=1; }
  rows "$work/file.db" >"$work/rows1"
  rows "$work/ranks.db" >"$work/rows2"
  check "rows of ranks" cmp "$work/rows1" "$work/rows2"
fi

refused "a file is for one MDP" --family river --axis states=4,5 --epsilon 0.1 --class c.h5
refused "least squares" --family needle --axis rank=8,12 --epsilon 0.1 --criterion constrained
refused "class lock is for family comblock" --family needle --axis rank=8,12 --epsilon 0.1 --class lock
refused "would hold all members of class lock" --family comblock --axis rank=9,11 --epsilon 0.1 --class lock --algorithm rep-ucb
refused "least squares" --family comblock --axis rank=9,11 --epsilon 0.1 --class lock --criterion constrained
refused "online learners" --family comblock --axis rank=9,11 --epsilon 0.1 --class lock --offline
refused "class own is for" --family simplex --axis rank=3,4 --epsilon 0.1 --class own
refused "rank" --family chain --axis rank=6,8 --epsilon 0.1
refused "name an axis" --family needle --epsilon 0.1
refused "no axis 'colour'" --family needle --axis colour=1,2 --epsilon 0.1
refused "no axis 'lead'" --family simplex --axis lead=0.1,0.2 --epsilon 0.1
refused "two or more" --family needle --axis rank=8 --epsilon 0.1
refused "is no number" --family needle --axis rank= --epsilon 0.1
refused "is no number" --family needle --axis rank=8,,12 --epsilon 0.1
refused "has 8 twice" --family needle --axis rank=8,8 --epsilon 0.1
refused "even" --family needle --axis rank=8,10 --epsilon 0.1
refused "rank" --family simplex --states 6 --axis rank=4,8 --epsilon 0.1
refused "2 exponents for 1 axes" --family needle --axis rank=8,12 --epsilon 0.1 --theory 4,2
refused "is no number" --family needle --axis rank=8,12 --epsilon 0.1 --theory four
refused "--epsilon" --family needle --axis rank=8,12
refused "no family 'nedle'; did you mean needle" --family nedle --axis rank=8,12 --epsilon 0.1
refused "no algorithm 'speeder'; did you mean speder" --family needle --axis rank=8,12 --epsilon 0.1 --algorithm speeder
refused "class needle" --family needle --axis rank=8,12 --epsilon 0.1 --algorithm rep-ucb
refused "class needle is for family needle" --family simplex --axis rank=2,3 --epsilon 0.1 --class needle
refused "an axis and has a value" --family needle --axis rank=8,12 --rank 8 --epsilon 0.1
refused "3 axes" --family needle --axis rank=8,12 --axis actions=2,3 --axis gamma=0.8,0.9 --epsilon 0.1
refused "give the MDP once" --axis rank=8,12 --epsilon 0.1
refused "an MDP file has its own" --mdp m.h5 --axis rank=8,12 --epsilon 0.1
refused "no logarithm" --family needle --axis overlap=0,0.1 --epsilon 0.1

# The same experiment from a suite: lists of anything, drawn and judged.
cat >"$work/suite.toml" <<'T'
experiment = "learn"
[quick]
repetitions = 3
family = "river"
algorithm = ["speder", "greedy"]
states = 6
actions = 2
gamma = [0.8, 0.9]
class_size = 20
c_alpha = 0.02
budget = 200
theory = 0.5
T
"$speder" sweep "$work/suite.toml" -o "$work/suite.db" >/dev/null || failed=1
"$speder" report "$work/suite.db" --out "$work/suite-page" >"$work/text" || failed=1
check "findings of every learner and setting" [ "$(grep -c '^learn ' "$work/text")" = 4 ]
check "the curves" [ -s "$work/suite-page/figures/learn.png" ]
sed -i 's/^theory = 0.5$/theory = [0.5, 1]/' "$work/suite.toml"
"$speder" sweep "$work/suite.toml" -o "$work/none.db" >/dev/null 2>"$work/err"
check "a theory for two axes without epsilon" grep -q "suite.toml.*one exponent" "$work/err"

[ $failed = 0 ] && echo "scale: all checks passed"
exit $failed

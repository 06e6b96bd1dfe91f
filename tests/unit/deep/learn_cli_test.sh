#!/usr/bin/env bash
# Training as a person uses it: learn_cli_test.sh <speder-deep> <packages>
set -uo pipefail
deep=$1 packages=$2
export OMP_NUM_THREADS=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "FAILED $*"; failed=1; }

refused() {  # refused TEXT ARGS...: exit code 2, nothing on stdout, one line on stderr with TEXT
  local text=$1; shift
  "$deep" "$@" >"$work/stdout" 2>"$work/stderr"; local code=$?
  if [ $code != 2 ] || [ -s "$work/stdout" ] || [ "$(wc -l <"$work/stderr")" != 1 ] || ! grep -qF -- "$text" "$work/stderr"; then
    fail "refused: $* (exit $code)"; cat "$work/stdout" "$work/stderr"
  fi
}
works() {  # works TEXT ARGS...: exit code 0, TEXT on stdout
  local text=$1; shift
  "$deep" "$@" >"$work/stdout" 2>"$work/stderr" || { fail "works: $*"; cat "$work/stderr"; }
  grep -qF -- "$text" "$work/stdout" || { fail "works: $*: no '$text'"; cat "$work/stdout"; }
}
# A run of a few seconds: 12 episodes of CartPole, small networks, checkpoints at every end of an episode.
tiny=(--packages "$packages" --set feature_dim=16 --set feature_hidden=[32] --set critic_width=32
  --set actor_hidden=[32] --set batch=32 --set random_steps=300 --set eval_every=400 --set eval_episodes=2
  --checkpoint-every 1)
run=("${tiny[@]}" --env CartPole --steps 2412 --seed 5)
rows() {  # every number of a store, exactly
  python3 -c 'import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(
    "select cell, repetition, metric, n, value from rows join runs on run = id order by 1, 2, 3, 4"): print(row)' "$1"
}

# SIGKILL at arbitrary moments, resumed each time: the same numbers and the same policy, bit for bit.
works "CartPole" train "${run[@]}" --out "$work/whole"
"$deep" train "${run[@]}" --out "$work/killed" >"$work/stdout" 2>&1 & pid=$!
sleep 0.7; kill -9 $pid; wait $pid 2>/dev/null
for pause in 0.9 1.3; do
  "$deep" train "${run[@]}" --out "$work/killed" --resume >"$work/stdout" 2>&1 & pid=$!
  sleep $pause; kill -9 $pid 2>/dev/null; wait $pid 2>/dev/null
done
works "CartPole" train "${run[@]}" --out "$work/killed" --resume
[ -n "$(rows "$work/whole/run.db")" ] || fail "no measures"
[ "$(rows "$work/whole/run.db")" = "$(rows "$work/killed/run.db")" ] || fail "resume after SIGKILL differs"
works truncated rollout --packages "$packages" --env CartPole --policy "$work/whole/policy.h5"
grep -q "<svg" "$work/whole/curve.svg" || fail "no learning curve"

# A damaged checkpoint: a warning, the previous one, the same end.
truncate -s -9 "$work/killed/checkpoint.bin"; rm "$work/killed/run.db"
works "CartPole" train "${run[@]}" --out "$work/killed" --resume
grep -q "warning.*checkpoint.bin" "$work/stderr" || fail "no warning of a damaged checkpoint"
[ "$(rows "$work/whole/run.db")" = "$(rows "$work/killed/run.db")" ] || fail "resume from the previous one differs"

# Bad input.
refused "add --resume" train "${run[@]}" --out "$work/whole"
refused "other settings" train "${run[@]}" --set discount=0.9 --out "$work/whole" --resume
refused "no task is called 'Swimmer'" train --packages "$packages" --env Swimmer --out "$work/x"
refused "unknown" train "${tiny[@]}" --env CartPole --set depth=3 --out "$work/x"
refused "discount" train "${tiny[@]}" --env CartPole --set discount=1.5 --out "$work/x"
refused "key=value" train "${tiny[@]}" --env CartPole --set discount --out "$work/x"
refused "objective" train "${tiny[@]}" --env CartPole --set objective=magic --out "$work/x"
refused "no preset 'huge'" train --env CartPole --preset huge --out "$work/x"
refused "no device 'tpu'" train "${tiny[@]}" --env CartPole --device tpu --out "$work/x"
refused "suite mbbl has no task 'cheetah_run'" bench "${tiny[@]}" --envs cheetah_run --out "$work/x"
refused "task:steps" bench "${tiny[@]}" --envs CartPole:many --out "$work/x"
refused "none.db" table "$work/none.db"
refused "a picture is" table "$work/whole/run.db" --draw "$work/curves.gif"
# without a GPU, cuda says what is missing and auto goes on
if ! ls /dev/nvidia[0-9]* >/dev/null 2>&1; then
  refused "--device cuda: " train "${tiny[@]}" --env CartPole --device cuda --out "$work/x"
  works "CartPole" train "${tiny[@]}" --env CartPole --steps 400 --device auto --out "$work/auto"
fi
# A full disk: one line, and the run goes on from what was there.
(ulimit -f 64; trap '' XFSZ; refused "cannot write" train "${run[@]}" --json --out "$work/full"; exit $failed) || failed=1

# bench: every cell once; given again, nothing is repeated; stopped and given again, it ends the same.
bench=(bench "${tiny[@]}" --envs CartPole:804 Pendulum:603 --algorithms speder sac2 --seeds 2)
works "speder CartPole seed 2" "${bench[@]}" --jobs 2 --out "$work/bench"
[ -z "$("$deep" "${bench[@]}" --out "$work/bench")" ] || fail "bench repeats finished runs"
"$deep" "${bench[@]}" --out "$work/bench2" >/dev/null 2>&1 & pid=$!
sleep 1; kill -9 $pid; wait $pid 2>/dev/null
works "seed 2" "${bench[@]}" --out "$work/bench2"
[ "$(rows "$work/bench/runs.db")" = "$(rows "$work/bench2/runs.db")" ] || fail "bench: two jobs and SIGKILL change numbers"
# As ranks of mpirun: each its share and its own store, together the same numbers.
for rank in 0 1; do
  OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=2 "$deep" "${bench[@]}" --out "$work/ranks" >/dev/null 2>&1 ||
    fail "bench as rank $rank"
done
[ "$(rows "$work/bench/runs.db" | sort)" = "$({ rows "$work/ranks/runs.0.db"; rows "$work/ranks/runs.1.db"; } | sort)" ] ||
  fail "bench: ranks change numbers"
works "2 seeds, 0K" table "$work/ranks/runs.0.db" "$work/ranks/runs.1.db" --suite mbbl
works "2 seeds, 0K" table "$work/bench/runs.db" --suite mbbl --draw "$work/curves.svg"
grep -q "<svg" "$work/curves.svg" || fail "no curves"
works '"seeds":2' table "$work/bench/runs.db" --json
works '"sampling_share"' bench-update --width 32 --updates 3 --repeats 1 --json
exit $failed

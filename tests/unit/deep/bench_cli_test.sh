#!/usr/bin/env bash
# A suite of trainings as a person runs it: bench_cli_test.sh <speder> <speder-deep> <packages> [mpirun]
set -uo pipefail
speder=$1 deep=$2 packages=$3 mpirun=${4:-}
source "$(dirname "$0")/expect.sh"
cd "$work"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
bench=(bench "${tiny[@]}" --envs CartPole:603 Pendulum:603 --algorithms sac2 --seeds 2)
same() { rows "$1/runs.db" | cmp -s - reference || fail "$2: rows differ from the undisturbed bench"; }
stored() { rows "$1/runs.db" 2>/dev/null | cut -d, -f1,2 | sort -u | wc -l; }
start() { "$@" >/dev/null 2>&1 & child=$!; }

# One job, two jobs, three ranks (through `speder deep`): the same rows.
works "sac2 CartPole seed 2" "${bench[@]}" --out one
grep -qF "deep-mbbl-small: 4 of 4 runs in one/runs.db" stdout || { fail "no summary"; cat stdout; }
rows one/runs.db >reference
[ "$(grep -c "'return'" reference)" = 8 ] || fail "not an evaluation at 400 and at the end of each run"
works "sac2 Pendulum seed 1" "${bench[@]}" --jobs 2 --out two
same two "--jobs 2"
works "4 of them from before" "${bench[@]}" --out two
[ "$(wc -l <stdout)" = 1 ] || fail "finished runs were repeated"
works '"restored":4' "${bench[@]}" --json --out two
if [ -n "$mpirun" ]; then
  mpi() { "$mpirun" --oversubscribe -n 3 "$@"; }
  mpi "$speder" deep "${bench[@]}" --out ranks >stdout 2>stderr || { fail "mpirun"; cat stderr; }
  grep -qF "sac2 Pendulum seed 2" stdout || fail "rank 0 does not report the runs"
  same ranks "mpirun -n 3"
  ls ranks | grep "runs\.[0-9]" && fail "a rank has a store of its own"
  mpi "$speder" deep "${bench[@]}" --envs Swimmer --out x >stdout 2>stderr
  [ "$(grep -c "has no task 'Swimmer'" stderr)" = 1 ] || { fail "not one rank reports"; cat stderr; }
fi

# SIGKILL in the first run and in the second, SIGINT in the third: exit code 130, and no row of it.
until_checkpoint() {  # of a run that has none yet, in a bench in the background
  start "$deep" "${bench[@]}" --out killed
  for _ in $(seq 1000); do [ -e "killed/$1/checkpoint.bin" ] && return; sleep 0.02; done
  fail "no checkpoint in $1"
}
until_checkpoint CartPole-sac2-small-1; kill -9 $child; wait $child 2>/dev/null
[ "$(stored killed)" = 0 ] || fail "the first run was over before the kill"
until_checkpoint Pendulum-sac2-small-1; kill -9 $child; wait $child 2>/dev/null
# The row of a run that has ended may still be on its way to the disk when the next run has its first checkpoint.
[ "$(stored killed)" -le 1 ] || fail "the second run was over before the kill"
until_checkpoint CartPole-sac2-small-2; kill -INT $child; wait $child; code=$?
[ $code = 130 ] || fail "SIGINT gave exit code $code, not 130"
[ "$(stored killed)" = 2 ] || fail "$(stored killed) runs after the signal"
works "2 of them from before" "${bench[@]}" --out killed
same killed "after two kills and a signal"

# A run that throws is a row with its error and stops no other.
thrown=(bench "${tiny[@]}" --set overlap=true --envs CartPole:402 --algorithms ppo sac2 --seeds 1 --out thrown)
one_failed() {  # one_failed TEXT ARGS...: exit code 1, TEXT on stdout
  local text=$1; shift
  "$deep" "$@" >stdout 2>stderr; local code=$?
  [ $code = 1 ] && grep -qF -- "$text" stdout || { fail "one failed: exit $code, no '$text'"; cat stdout stderr; }
}
one_failed "ppo CartPole seed 1: overlap is for" "${thrown[@]}"
grep -qF "1 failed" stdout || fail "the failure is not counted"
one_failed "--retry-failed makes those that failed again" "${thrown[@]}"
one_failed "ppo CartPole seed 1: overlap is for" "${thrown[@]}" --retry-failed
rows thrown/runs.db | grep -F "'failed', 'overlap is for learners" >found || fail "no row of the failed run"
rows thrown/runs.db | grep -F "'ok', '', 'return'" >found || fail "no row of the other run"
# What is in its way is not the run's fault: no row, one line, the others go on; removed, it is made.
works CartPole train "${tiny[@]}" --env CartPole --algorithm sac2 --steps 300 --seed 1 --set discount=0.9 \
  --out way/CartPole-sac2-small-1
"$deep" "${bench[@]}" --json --out way >stdout 2>stderr; code=$?
[ $code = 2 ] && [ "$(wc -l <stderr)" = 1 ] && grep -q "other settings" stderr || { fail "exit $code"; cat stderr; }
[ "$(stored way)" = 3 ] || fail "the others did not go on"
rm -r way/CartPole-sac2-small-1
works "3 of them from before" "${bench[@]}" --out way
same way "after a retryable error"

# A preset that is a file: its own name in the store, not the file's place.
printf 'preset = "mine"\n' >mine.toml
works "deep-mbbl-mine: 1 of 1 runs" bench "${tiny[@]}" --preset "$work/mine.toml" --envs CartPole:402 --algorithms sac2 --seeds 1 --out mine

refused "suite mbbl has no task 'cheetah_run'" "${bench[@]}" --envs cheetah_run --out x
refused "task:steps" "${bench[@]}" --envs CartPole:many --out x
refused "is asked for twice" "${bench[@]}" --algorithms sac2 sac2 --out x
refused "no device 'tpu'" "${bench[@]}" --device tpu --out x
works "2 seeds, 603 steps" table one/runs.db --suite mbbl --draw curves.svg
grep -q "<svg" curves.svg || fail "no curves"
works '"seeds":2' table one/runs.db --json
# An exact MDP as a task, and what was learned of it beside the truth.
"$speder" mdp make --family simplex --states 12 --actions 3 --rank 3 --gamma 0.9 --out m.h5 >/dev/null || fail "mdp make"
few=(--set random_steps=200 --set batch=32 --set eval_episodes=2)
works "gap: plan" exact m.h5 --steps 400 "${few[@]}"
works '"greedy_gap":' exact m.h5 --steps 400 "${few[@]}" --observation 6 --class-size 16 --json
works "sac2 on mdp:m.h5" train "${tiny[@]}" --env mdp:m.h5 --algorithm sac2 --steps 500 --out on-mdp
grep -q "^discount = 0.9$" on-mdp/config.toml || fail "not the discount of the MDP"
refused "no policy for the discrete actions" train "${tiny[@]}" --env mdp:m.h5 --algorithm ppo --steps 500 --out refused
refused "none.h5" exact none.h5
refused "mdp0:m.h5" train "${tiny[@]}" --env mdp0:m.h5 --out refused
exit $failed

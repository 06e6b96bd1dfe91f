#!/usr/bin/env bash
# The executable as a person uses it: cli_test.sh <speder-deep> <packages> <fixtures>
set -uo pipefail
deep=$1 packages=$2 fixtures=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

refused() {  # refused TEXT ARGS...: exit code 2, nothing on stdout, one line on stderr with TEXT
  local text=$1; shift
  "$deep" "$@" >"$work/out" 2>"$work/err"; local code=$?
  if [ $code != 2 ] || [ -s "$work/out" ] || [ "$(wc -l <"$work/err")" != 1 ] || ! grep -qF -- "$text" "$work/err"; then
    echo "FAILED refused: $* (exit $code)"; cat "$work/err"; failed=1
  fi
}
works() {  # works TEXT ARGS...: exit code 0, TEXT on stdout
  local text=$1; shift
  if ! "$deep" "$@" >"$work/out" 2>"$work/err" || ! grep -qF -- "$text" "$work/out"; then
    echo "FAILED works: $*"; cat "$work/out" "$work/err"; failed=1
  fi
}

works Subcommands --help
works "Example" envs --help
works "humanoid_run" envs --packages "$packages" --seconds 0
works '"observation_size":376' envs --packages "$packages" --seconds 0 --json
works truncated rollout --packages "$packages" --env CartPole --policy zero
works '"mean_return"' rollout --packages "$packages" --env Hopper-ET --episodes 3 --seed 4 --json
works '"ratio"' bench-env --packages "$packages" --env Reacher --seconds 0.01 --repeats 1 --members 2 --json

works '"mean_return"' rollout --packages "$packages" --env Hopper-ET --episodes 2 --format minari --out "$work/minari" --json
works "2 trajectories" data info "$work/minari"
works "3 layers" export "$(dirname "$0")/../../../deep/policies/ant_direction.h5" --out "$work/p.onnx"
[ -s "$work/p.onnx" ] || { echo "FAILED: no p.onnx"; failed=1; }
refused "has a data set already" rollout --packages "$packages" --env Hopper-ET --format minari --out "$work/minari"
refused "needs --out FOLDER" rollout --env CartPole --format minari
refused "weight_0" export "$fixtures/CartPole.h5" --out "$work/q.onnx"

refused "--env is required" rollout
refused "no task is called 'Swimmer'" rollout --env Swimmer
refused "has no command 'frob'" frob
refused "--episodes" rollout --env CartPole --episodes 0
refused "--seed" rollout --env CartPole --seed -1
refused "gymnasium==1.4.0" rollout --env Ant-ET --packages "$work"
refused "dm_control==1.0.50" rollout --env cheetah_run --packages "$work"
refused "no video" rollout --env Pendulum --video "$work/v.mp4"
refused "nothing.h5" rollout --env CartPole --policy "$work/nothing.h5"
refused "nothing.h5" rollout --env CartPole --actions "$work/nothing.h5"
refused "weight_0" rollout --env CartPole --policy "$fixtures/CartPole.h5"
refused "out.h5" rollout --env CartPole --out "$work/no/such/out.h5"

# Same seed, same bytes; another seed, other numbers.
run() { "$deep" rollout --packages "$packages" --env Reacher --episodes 2 --json "$@"; }
[ "$(run --seed 9)" = "$(run --seed 9)" ] || { echo "FAILED: a seed gives two results"; failed=1; }
[ "$(run --seed 9)" != "$(run --seed 8)" ] || { echo "FAILED: two seeds give one result"; failed=1; }

# A rollout written by --out replays through --initial-state and --actions to the same rewards.
works truncated rollout --packages "$packages" --env I-Pendulum --out "$work/first.h5"
works truncated rollout --packages "$packages" --env I-Pendulum --initial-state "$work/first.h5" \
  --actions "$work/first.h5" --out "$work/second.h5"
works "102 rows, 1 trajectories, 101 transitions" data info "$work/first.h5"
refused "qpos has 2 entries" rollout --packages "$packages" --env Ant-ET --initial-state "$work/first.h5"
refused "column per action" rollout --packages "$packages" --env Reacher --actions "$work/first.h5"
if command -v h5diff >/dev/null; then
  h5diff "$work/first.h5" "$work/second.h5" || { echo "FAILED: replay differs"; failed=1; }
fi
exit $failed

#!/usr/bin/env bash
# Training as a person uses it: learn_cli_test.sh <speder-deep> <packages>
set -uo pipefail
deep=$1 packages=$2
source "$(dirname "$0")/expect.sh"
run=("${tiny[@]}" --env CartPole --steps 2412 --seed 5)  # 12 episodes

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
refused "none.db" table "$work/none.db"
refused "a picture is" table "$work/whole/run.db" --draw "$work/curves.gif"
# without a GPU, cuda says what is missing and auto goes on
if ! ls /dev/nvidia[0-9]* >/dev/null 2>&1; then
  refused "--device cuda: " train "${tiny[@]}" --env CartPole --device cuda --out "$work/x"
  works "CartPole" train "${tiny[@]}" --env CartPole --steps 400 --device auto --out "$work/auto"
fi
# A full disk: one line, and the run goes on from what was there.
(ulimit -f 64; trap '' XFSZ; refused "cannot write" train "${run[@]}" --json --out "$work/full"; exit $failed) || failed=1

works '"sampling_share"' bench-update --width 32 --updates 3 --repeats 1 --json
exit $failed

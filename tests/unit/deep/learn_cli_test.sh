#!/usr/bin/env bash
# Training as a person uses it: learn_cli_test.sh <speder-deep> <packages>
set -uo pipefail
deep=$1 packages=$2
source "$(dirname "$0")/expect.sh"
run=("${tiny[@]}" --env CartPole --steps 2412 --seed 5)  # 12 episodes

# SIGKILL at arbitrary moments, resumed each time: the same numbers and the same policy, bit for bit.
works "CartPole" train "${run[@]}" --out "$work/whole"
resume() { compgen -G "$1/checkpoint*.bin" | grep -qv new && echo --resume; }  # once there is one
"$deep" train "${run[@]}" --out "$work/killed" >"$work/stdout" 2>&1 & pid=$!
sleep 0.7; kill -9 $pid; wait $pid 2>/dev/null
for pause in 0.9 1.3; do
  "$deep" train "${run[@]}" --out "$work/killed" $(resume "$work/killed") >"$work/stdout" 2>&1 & pid=$!
  sleep $pause; kill -9 $pid 2>/dev/null; wait $pid 2>/dev/null
done
works "CartPole" train "${run[@]}" --out "$work/killed" $(resume "$work/killed")
[ -n "$(rows "$work/whole/run.db")" ] || fail "no measures"
[ "$(rows "$work/whole/run.db")" = "$(rows "$work/killed/run.db")" ] || fail "resume after SIGKILL differs"
works truncated rollout --packages "$packages" --env CartPole --policy "$work/whole/policy.h5"
grep -q "<svg" "$work/whole/curve.svg" || fail "no learning curve"

# A damaged checkpoint: a warning, the previous one, the same end.
truncate -s -9 "$work/killed/checkpoint.bin"; rm "$work/killed/run.db"
works "CartPole" train "${run[@]}" --out "$work/killed" --resume
grep -q "warning.*checkpoint.bin" "$work/stderr" || fail "no warning of a damaged checkpoint"
[ "$(rows "$work/whole/run.db")" = "$(rows "$work/killed/run.db")" ] || fail "resume from the previous one differs"

# A run shorter than eval_every, and than its random steps: said, and still scored.
short=(train --packages "$packages" --env Pendulum --steps 450 --set eval_episodes=2)
works "its last evaluation, 450 steps" "${short[@]}" --out "$work/short"
grep -q "warning: all 450 steps are random" "$work/stderr" || { fail "no warning"; cat "$work/stderr"; }
works "1 seed, 450 steps" table "$work/short/run.db" --suite mbbl
grep -q "nan\|failed" "$work/stdout" && fail "a finished run is called failed"
works '"evaluations":2' "${short[@]}" --set eval_every=400 --json --out "$work/short2"
grep -q '"final_return":-\?[0-9]' "$work/stdout" || fail "no final return"
# The table keeps to the width it has.
for columns in 70 200; do
  COLUMNS=$columns works "ours: mean" table "$work/short/run.db"
  python3 -c 'import sys; sys.exit(max(len(l.rstrip("\n")) for l in sys.stdin) > int(sys.argv[1]))' $columns \
    <"$work/stdout" || fail "a table wider than $columns columns"
done

# What the critic says of actions, beside the simulator.
works "actions   correlation" probe "$work/whole" --packages "$packages" --states 3 --actions 3 --steps 20
works '"choice":{"error":' probe "$work/whole" "$work/killed" --packages "$packages" --states 3 --actions 3 --steps 20 --json
cp "$work/stdout" "$work/first"
works '"choice":' probe "$work/whole" "$work/killed" --packages "$packages" --states 3 --actions 3 --steps 20 --json
cmp -s "$work/first" "$work/stdout" || fail "probe: the same seed gives other numbers"
refused "holds no checkpoint" probe "$work/none"
cp -r "$work/whole" "$work/changed"
sed -i 's/^discount = .*/discount = 0.5/' "$work/changed/config.toml"
refused "other settings" probe "$work/changed" --packages "$packages"
rm "$work/changed/config.toml"; cp "$work/whole/config.toml" "$work/changed"; truncate -s -9 "$work/changed/checkpoint.bin"
works "actions   correlation" probe "$work/changed" --packages "$packages" --states 3 --actions 3 --steps 20
grep -q "warning.*checkpoint.bin" "$work/stderr" || fail "probe: no warning of a damaged checkpoint"

# Bad input.
refused "holds no checkpoint to go on from" train "${run[@]}" --out "$work/nothing" --resume
[ -e "$work/nothing" ] && fail "a refused --resume leaves a folder"
refused "holds no checkpoint to go on from" "${short[@]}" --out "$work/short" --resume
works "index.html" report "$work/short" --out "$work/page"
grep -q "fewer than five seeds" "$work/page/index.html" || fail "the page does not say that intervals are weak"
refused "no imitate.db, heatmap.db, runs.db or run.db" report "$work/page" --out "$work/page2"
refused "add --resume" train "${run[@]}" --out "$work/whole"
refused "other settings" train "${run[@]}" --set discount=0.9 --out "$work/whole" --resume
refused "no task is called 'Swimmer'" train --packages "$packages" --env Swimmer --out "$work/x"
refused "unknown" train "${tiny[@]}" --env CartPole --set depth=3 --out "$work/x"
refused "discount" train "${tiny[@]}" --env CartPole --set discount=1.5 --out "$work/x"
refused "key=value" train "${tiny[@]}" --env CartPole --set discount --out "$work/x"
refused "objective" train "${tiny[@]}" --env CartPole --set objective=magic --out "$work/x"
refused "no variance" train "${tiny[@]}" --env Pendulum --algorithm rs --set propagation=ts1 --out "$work/refused"
refused "not for cheetah_run" train "${tiny[@]}" --env cheetah_run --algorithm pets-cem --out "$work/refused"
[ -e "$work/refused" ] && fail "a refused run leaves a folder"
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

refused "not for ppo" bench-update --algorithm ppo
works '"sampling_share"' bench-update --width 32 --updates 3 --repeats 1 --json
exit $failed

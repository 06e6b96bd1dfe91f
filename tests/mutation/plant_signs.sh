#!/usr/bin/env bash
# plant_signs.sh BUILD_DIR: breaks one sign at a time in the learner's losses, rebuilds, and demands that the
# 30-second learning test fails each time. The sources are put back whatever happens.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$1
cd "$root"
missed=0

plant() {  # name, file, text as it is, text as it must not be
  cp "$2" "$2.sound"
  trap "mv -f '$2.sound' '$2'; touch '$2'" EXIT
  python3 - "$2" "$3" "$4" <<'PY'
import sys
path, old, new = sys.argv[1:]
text = open(path).read()
assert text.count(old) == 1, f"{path}: {text.count(old)} times: {old}"
open(path, "w").write(text.replace(old, new))
PY
  cmake --build "$build" --target speder_deep_learn_tests >/dev/null
  if "$build/bin/speder_deep_learn_tests" "[learning]" >/dev/null; then
    echo "MISSED  $1"; missed=$((missed + 1))
  else
    echo "caught  $1"
  fi
  mv -f "$2.sound" "$2"; touch "$2"; trap - EXIT  # newer than the broken object, so that it is built again
}

losses=deep/learn/agents/losses.cpp spectral=deep/learn/features/spectral_loss.cpp agent=deep/learn/agents/spectral_actor_critic.cpp
plant "paired term of the representation loss" $spectral 't.loss = t.quadratic - 2 * t.paired;' 't.loss = t.quadratic + 2 * t.paired;'
plant "quadratic term of the representation loss" $spectral 't.loss = t.quadratic - 2 * t.paired;' 't.loss = -t.quadratic - 2 * t.paired;'
plant "reward head" $agent 'loss = loss + config_.reward_weight' 'loss = loss - config_.reward_weight'
plant "reward model" $agent 'const Tensor loss = 0.5 * (known_part' 'const Tensor loss = -0.5 * (known_part'
plant "reward in the critic" $agent 'q_values(critic_, input) + known;' 'q_values(critic_, input) - known;'
plant "critic loss" $losses 'return (q - target.detach())' 'return -(q - target.detach())'
plant "discounted value in the target" $losses 'return reward + discount' 'return reward - discount'
plant "value in the actor loss" $losses '* log_prob - q.amin(0))' '* log_prob + q.amin(0))'
plant "entropy in the actor loss" $losses 'return (alpha.detach() * log_prob' 'return (-alpha.detach() * log_prob'
plant "temperature loss" $losses 'return log_alpha.exp() *' 'return -log_alpha.exp() *'
cmake --build "$build" --target speder_deep_learn_tests >/dev/null
"$build/bin/speder_deep_learn_tests" "[learning]" >/dev/null || { echo "FAILS   the sound sources"; exit 1; }
echo "passes  the sound sources"
exit $((missed > 0))

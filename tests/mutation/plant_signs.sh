#!/usr/bin/env bash
# plant_signs.sh BUILD_DIR [FILTER...]: breaks one sign at a time in the learners' losses, rebuilds, and demands that
# the 30-second learning test fails each time; for terms that are off by default and for the other rows of the
# tables, the tests of the term or of the method. With FILTERs only plants in files whose path contains one. The
# sources are put back whatever happens.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$1; shift
filters=("$@")
cd "$root"
missed=0

plant() {  # name, file, text as it is, text as it must not be [, tests that must fail]
  local filter chosen=${#filters[@]}
  for filter in ${filters[@]+"${filters[@]}"}; do
    if [[ $2 == *"$filter"* ]]; then chosen=0; fi
  done
  if [ "$chosen" -gt 0 ]; then return; fi
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
  if "$build/bin/speder_deep_learn_tests" "${5:-[learning]}" --abort >/dev/null; then
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
batch=deep/learn/replay/minibatch.cpp bonus=deep/learn/agents/bonus.cpp policy=deep/learn/agents/soft_policy.cpp
plant "base states of the batch, i = j" $spectral 'at::dot(flat, flat) - at::dot(own, own)' 'at::dot(flat, flat) + at::dot(own, own)' '[loss]'
plant "gradient of that term" $spectral 'gradient.diagonal().zero_();' 'gradient.diagonal().neg_();' '[loss]'
plant "mass over the batch, i = j" $spectral 'mu_next.sum(0)) - rowwise' 'mu_next.sum(0)) + rowwise' '[loss]'
plant "discount of longer returns" $batch 'sum += weight * row[at];' 'sum -= weight * row[at];' '[replay]'
plant "value after longer returns" $losses 'return reward + far.discount' 'return reward - far.discount' '[replay]'
plant "noise of the successors" $agent 'config_.successor_noise * z' '0 * z' 'noisy successors*'
plant "successors of the return" $agent 'far_successors ? batch.far.state : batch.next_state' 'far_successors ? batch.next_state : batch.far.state' 'far successors*'
plant "weight of (s,a) beside φ" $agent 'config_.feature_dim / static_cast<double>(raw' '1 / static_cast<double>(raw' 'a head that sees*'
plant "bound of the features" $agent '(network(x) / c).tanh() * c' '(network(x) / c).tanh()' 'bounded features*'
plant "units in a saved policy" deep/train/run_folder.cpp 'layers[1] - at::mv(' 'layers[1] + at::mv(' 'policy.h5*'
probe=deep/train/probe.cpp
plant "discount of a probed return" $probe 'weight * r.reward' 'r.reward' 'probe:*'
plant "the action that is probed" $probe 'Tensor chosen = actions;' 'Tensor chosen = at::zeros_like(actions);' 'probe:*'
plant "a probed return beyond the step limit" $probe 'ended[place] = r.terminated || r.unstable;' 'ended[place] = r.ended();' 'probe:*'
plant "mean of twin critics" $losses 'q.mean(0, /*keepdim=*/true)' '-q.mean(0, /*keepdim=*/true)' '[loss]'
plant "value in the categorical actor loss" $losses 'sample.log_prob - q.detach()' 'sample.log_prob + q.detach()' '[loss]'
plant "entropy in the categorical actor loss" $losses 'policy_mean(sample, alpha.detach()' 'policy_mean(sample, -alpha.detach()' '[loss]'
plant "Gumbel noise" $losses 'logits - (-u.log()).log()' 'logits + (-u.log()).log()' '[loss]'
plant "relative bonus" $bonus 'length(phi) / mean_ - 1' '1 - length(phi) / mean_' '[bonus]'
plant "value of the relative bonus in the actor" $agent 'q + q_values(explorer_' 'q - q_values(explorer_' '[explore]'
plant "bonus in the explorer's target" $agent 'const Tensor b = scale *' 'const Tensor b = -scale *' '[explore]'
trust=deep/learn/agents/trust_region.cpp model=deep/learn/agents/dynamics_ensemble.cpp pets=deep/learn/agents/pets.cpp known=deep/learn/agents/known_task.cpp
plant "gradient of the trust region" $trust 'unflattened(from + fraction * step' 'unflattened(from - fraction * step' '[trust]'
plant "ratio of the surrogate" $trust '((log_prob - old_log_prob).exp()' '((old_log_prob - log_prob).exp()' '[trust]'
plant "damping of the Fisher product" $trust 'flattened(product) + damping * v' 'flattened(product) - damping * v' '[trust]'
plant "curvature of log sigma" $trust 'push_back(2 * width)' 'push_back(width)' '[trust]'
plant "change for successor" $model 'return state + (change_mean_' 'return (change_mean_' '[model]'
plant "sign of the log variance" $model '+ log_variance).mean' '- log_variance).mean' '[model]'
plant "the last members instead of the best" $model 'best.restore();' 'static_cast<void>(best);' '[model]'
plant "limits on the wrong sides" $model 'state_mean_ - width, state_mean_ + width' 'state_mean_ + width, state_mean_ - width' '[model]'
plant "units that move before the step" deep/learn/agents/trpo.cpp 'const Tensor states = scale_(steps.state);' 'scale_.see(steps.state); const Tensor states = scale_(steps.state);' '[trust]'
plant "the worst as elites" $pets '/*largest=*/true' '/*largest=*/false' '[pets]'
plant "plan shifted backwards" $pets 'at::cat({plan.narrow(1, 1, plan.size(1) - 1), at::zeros_like(plan.narrow(1, 0, 1))}, 1)' 'at::cat({at::zeros_like(plan.narrow(1, 0, 1)), plan.narrow(1, 0, plan.size(1) - 1)}, 1)' '[pets]'
plant "an end that masks its own reward" $pets 'sum = sum + alive * task.reward(state, action);' 'alive = alive * (1 - task.ended(state)); sum = sum + alive * task.reward(state, action);' '[pets]'
plant "cost in units of the box" $known 'reward_(state, middle_ + half_ * action.clamp(-1, 1))' 'reward_(state, action.clamp(-1, 1))' '[pets]'
plant "particles in each other's places" $pets 'at::empty_like(moved).index_copy(0, order, moved)' 'moved' '[pets]'
plant "members' rows in each other's places" $pets 'x.transpose(0, 1).reshape' 'x.reshape' '[pets]'
metrpo=deep/learn/agents/metrpo.cpp spede=deep/learn/agents/spede.cpp world=deep/learn/agents/world_model.cpp dreamer=deep/learn/agents/dreamer.cpp proto=deep/learn/agents/proto.cpp
plant "unclipped actions into the models" $metrpo 'world.step(state, seen,' 'world.step(state, action,' '[metrpo]'
plant "imagined rows in order of time" $metrpo 'at::stack(steps, 1)' 'at::stack(steps, 0)' '[metrpo]'
plant "a width that stays where it was" $metrpo 'trpo_.reset_width();' '' '[metrpo]'
plant "frequencies of the wrong width" $spede 'rng.normal() / sigma' 'rng.normal() * sigma' '[spede]'
# Phases on half the circle are no fault: (ω, b) and (−ω, −b) are one feature and ω is symmetric.
plant "no phases" $spede 'rng.uniform(0, 2 * std::numbers::pi)' '0 * rng.uniform()' '[spede]'
plant "covariance for precision" $spede 'at::linalg_solve_triangular(sigma_factor, z, /*upper=*/false, /*left=*/false)' 'at::mm(z, sigma_factor)' '[spede]'
plant "bonus of SPEDE" $spede 'batch.reward + bonus_(' 'batch.reward - bonus_(' '[spede]'
plant "a model of s' for one of the change" $spede 'scale_(batch.state) + last_(psi(psi_, scale_(batch.pair)))' 'last_(psi(psi_, scale_(batch.pair)))' '[spede]'
plant "the same in φ" $spede 'scale_(pair.narrow(1, 0, states_)) + last_ema_(hidden)' 'last_ema_(hidden)' '[spede]'
plant "learnt reward in SPEDE's critic" $spede 'q_values(critic_, phi) + known;' 'q_values(critic_, phi) - known;' '[spede]'
plant "gate that forgets" $world 'u * c + (1 - u) * now.h' '(1 - u) * c + u * now.h' '[dreamer]'
plant "ends learnt the wrong way round" $world '1 - flat(batch.terminal)' 'flat(batch.terminal)' '[dreamer]'
plant "a look at what is to be foreseen" $world 'now = imagine(now, batch.action[t], u[t]);' 'now = observe(now, batch.action[t], batch.first[t], encode(x[t]), u[t]);' '[dreamer]'
plant "balance of the KL" $world 'kBalance = 0.8' 'kBalance = 0.2' '[dreamer]'
plant "returns that learn to fit the value" $dreamer 'value - returns.detach()' 'value - returns' '[dreamer]'
plant "weights shifted by a step" $dreamer 'at::cat({at::ones_like(discount.narrow(0, 0, 1)), discount.narrow(0, 0, length - 1)})' 'discount.narrow(0, 0, length)' '[dreamer]'
plant "sign of the imagined objective" $dreamer 'return -(weights.narrow' 'return (weights.narrow' '[dreamer]'
plant "the explorer's critic in the task" $proto 'polyak(*to, *from, 1);' 'static_cast<void>(to), static_cast<void>(from);' '[proto]'
plant "the explorer's Adam in the task" $proto 'critic_adam_.restart();' '' '[proto]'
plant "rewards of the other phase" $proto 'exploring() ? far :' '!exploring() ? far :' '[proto]'
plant "softmax over prototypes" $proto 'scores.softmax(0)' 'scores.softmax(1)' '[proto]'
plant "farthest for nearest" $proto '/*largest=*/false' '/*largest=*/true' '[proto]'
plant "gradient in the assignment" $proto 'q.detach() *' 'q *' '[proto]'
plant "losses that a resumed run forgets" deep/train/loop.cpp 'state.last.push_back({m.metric, at::full({}, m.value, at::kDouble)});' 'static_cast<void>(m);' 'resume: an evaluation before*'
cmake --build "$build" --target speder_deep_learn_tests >/dev/null
"$build/bin/speder_deep_learn_tests" "[learning]" >/dev/null || { echo "FAILS   the sound sources"; exit 1; }
echo "passes  the sound sources"
exit $((missed > 0))

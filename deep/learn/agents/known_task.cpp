#include "speder/deep/learn/agents/known_task.hpp"

#include <string_view>

#include "speder/core/check.hpp"

namespace speder::deep {
namespace {

// The formulas of deep/sim/tasks, for whole batches; a test compares them with those. "Alive" belongs to
// the observation before the step: the step that ends an episode still earns it.

Tensor entry(const Tensor& s, std::int64_t i) { return s.select(-1, i); }
Tensor square_of(const Tensor& x) { return x.square().sum(-1); }
Tensor last(const Tensor& s, std::int64_t n) { return s.narrow(-1, s.size(-1) - n, n); }

Tensor never_ends(const Tensor& s) { return at::zeros_like(entry(s, 0)); }
Tensor as_number(const Tensor& truth, const Tensor& s) { return truth.to(s.scalar_type()); }

Tensor cheetah_reward(const Tensor& s, const Tensor& a) {
  return entry(s, 8) - 0.1 * square_of(a);  // v_x − 0.1 ‖a‖²
}

Tensor reacher_reward(const Tensor& s, const Tensor& a) {
  return -square_of(last(s, 3)).sqrt() - square_of(a);  // −‖fingertip − target‖ − ‖a‖²
}

Tensor pendulum_reward(const Tensor& s, const Tensor& u) {
  // −(cos θ + 0.1 |sin θ| + 0.1 θ̇² + 0.001 u²)
  return -(entry(s, 0) + 0.1 * entry(s, 1).abs() + 0.1 * entry(s, 2).square() +
           0.001 * square_of(u));
}

Tensor inverted_pendulum_reward(const Tensor& s, const Tensor&) {
  return -entry(s, 1).square();  // −θ²
}

Tensor cart_pole_reward(const Tensor& s, const Tensor&) {
  return entry(s, 2).cos() - 0.01 * entry(s, 0).square();  // cos θ − 0.01 x²
}

/// v_x − 3 (h − h₀)² − 0.1 ‖a‖² + alive
Tensor walking_reward(const Tensor& s, const Tensor& a, std::int64_t speed, double height,
                      const Tensor& ended) {
  return entry(s, speed) - 3 * (entry(s, 0) - height).square() - 0.1 * square_of(a) + (1 - ended);
}

Tensor ant_ended(const Tensor& s) {
  return as_number(entry(s, 0).gt(1.0).logical_or(entry(s, 0).lt(0.2)), s);
}
Tensor ant_reward(const Tensor& s, const Tensor& a) {
  return walking_reward(s, a, 13, 0.57, ant_ended(s));
}

Tensor hopper_ended(const Tensor& s) {
  return as_number(entry(s, 0).le(0.7).logical_or(entry(s, 1).abs().ge(0.2)), s);
}
Tensor hopper_reward(const Tensor& s, const Tensor& a) {
  return walking_reward(s, a, 5, 1.3, hopper_ended(s));
}

Tensor walker_ended(const Tensor& s) {
  const Tensor h = entry(s, 0);
  return as_number(h.ge(2.0).logical_or(h.le(0.8)).logical_or(entry(s, 1).abs().ge(1.0)), s);
}
Tensor walker_reward(const Tensor& s, const Tensor& a) {
  return walking_reward(s, a, 8, 1.3, walker_ended(s));
}

Tensor humanoid_ended(const Tensor& s) {
  return as_number(entry(s, 0).lt(1.0).logical_or(entry(s, 0).gt(2.0)), s);
}
Tensor slim_humanoid_reward(const Tensor& s, const Tensor& a) {
  // (0.25 / 0.015) v_x − 0.1 ‖a‖² + 5 alive
  return 0.25 / 0.015 * entry(s, 22) - 0.1 * square_of(a) + 5 * (1 - humanoid_ended(s));
}
Tensor humanoid_reward(const Tensor& s, const Tensor& a) {
  constexpr std::int64_t kForces = 84;  // each row's own impact, at most 10
  return slim_humanoid_reward(s, a) + (-5e-7 * square_of(last(s, kForces))).clamp_min(-10.0);
}

struct KnownRow {
  std::string_view name;
  KnownTask::Reward reward;
  KnownTask::Ended ended;
};
constexpr KnownRow kKnown[] = {{"HalfCheetah", cheetah_reward, never_ends},
                               {"Reacher", reacher_reward, never_ends},
                               {"Humanoid-ET", humanoid_reward, humanoid_ended},
                               {"Pendulum", pendulum_reward, never_ends},
                               {"I-Pendulum", inverted_pendulum_reward, never_ends},
                               {"Ant-ET", ant_reward, ant_ended},
                               {"Hopper-ET", hopper_reward, hopper_ended},
                               {"S-Humanoid-ET", slim_humanoid_reward, humanoid_ended},
                               {"CartPole", cart_pole_reward, never_ends},
                               {"Walker-ET", walker_reward, walker_ended}};

const KnownRow* find_known(std::string_view name) {
  for (const KnownRow& row : kKnown) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace

bool KnownTask::is_known(const EnvSpec& spec) { return find_known(spec.name) != nullptr; }

std::optional<KnownTask> KnownTask::find(const EnvSpec& spec, Device device) {
  const KnownRow* row = find_known(spec.name);
  if (row == nullptr) return {};
  const Tensor low = at::tensor(spec.action_low, at::kFloat);
  const Tensor high = at::tensor(spec.action_high, at::kFloat);
  return KnownTask(row->reward, row->ended, ((low + high) / 2).to(device),
                   ((high - low) / 2).to(device));
}

KnownTask KnownTask::of(const EnvSpec& spec, Device device) {
  auto task = find(spec, device);
  require(task.has_value(), "the reward of this task is not known as a function");
  return *task;
}

Tensor KnownTask::reward(const Tensor& state, const Tensor& action) const {
  return reward_(state, middle_ + half_ * action.clamp(-1, 1));
}

Tensor KnownTask::ended(const Tensor& next_state) const { return ended_(next_state); }

}  // namespace speder::deep

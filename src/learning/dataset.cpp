#include "speder/learning/dataset.hpp"

#include <algorithm>
#include <cmath>

#include "speder/core/check.hpp"

namespace speder {
namespace {

Step to_step(const Transition& t, Index actions) {
  return {pair_index(t.state, t.action, actions), index(t.next)};
}

Dataset empty_dataset(const Simulator& env, const Policy& policy, Index n) {
  require(n >= 1, "a dataset needs at least one transition", n);
  require(policy.states() == env.states() && policy.actions() == env.actions(),
          "the behaviour policy is for another MDP: states × actions",
          fmt::format("{} × {}, expected {} × {}", policy.states(), policy.actions(), env.states(),
                      env.actions()));
  Dataset data{env.states(), env.actions(), env.gamma(), {}, 0};
  data.steps.reserve(static_cast<std::size_t>(n));
  return data;
}

}  // namespace

Index geometric_length(double gamma, Rng& rng) {
  // Pr(⌊log U / log γ⌋ ≥ k) = Pr(U ≤ γᵏ) = γᵏ for U uniform on (0, 1].
  const double u = 1 - rng.uniform();
  return static_cast<Index>(std::floor(std::log(u) / std::log(gamma)));
}

OccupancyDraw draw_from_occupancy(const Simulator& env, const Policy& policy, Rng& rng) {
  const Index length = geometric_length(env.gamma(), rng);
  StateId s = env.reset(rng);
  for (Index t = 0; t < length; ++t) s = env.step(s, policy.sample(s, rng), rng).next;
  return {s, length};
}

Episode collect_episode(const Simulator& env, const Policy& policy, Rng& rng) {
  const Index actions = env.actions();
  const OccupancyDraw start = draw_from_occupancy(env, policy, rng);
  const Transition first = env.step(start.state, action(rng.index(actions)), rng);
  const Transition second = env.step(first.next, action(rng.index(actions)), rng);
  return {to_step(first, actions), to_step(second, actions), start.steps + 2};
}

Dataset collect_from_occupancy(const Simulator& env, const Policy& policy, Index n, Rng& rng) {
  Dataset data = empty_dataset(env, policy, n);
  for (Index i = 0; i < n; ++i) {
    const OccupancyDraw start = draw_from_occupancy(env, policy, rng);
    const Transition t = env.step(start.state, policy.sample(start.state, rng), rng);
    data.steps.push_back(to_step(t, env.actions()));
    data.env_steps += start.steps + 1;
  }
  return data;
}

Dataset collect_trajectory(const Simulator& env, const Policy& policy, Index n, Rng& rng) {
  Dataset data = empty_dataset(env, policy, n);
  StateId s = env.reset(rng);
  for (Index i = 0; i < n; ++i) {
    const Transition t = env.step(s, policy.sample(s, rng), rng);
    data.steps.push_back(to_step(t, env.actions()));
    s = rng.bernoulli(env.gamma()) ? t.next : env.reset(rng);
  }
  data.env_steps = n;
  return data;
}

std::vector<CountedStep> tally(const std::vector<Step>& steps, Index first, Index last) {
  std::vector<Step> sorted(steps.begin() + first, steps.begin() + last);
  std::sort(sorted.begin(), sorted.end(), [](const Step& a, const Step& b) {
    return a.pair != b.pair ? a.pair < b.pair : a.next < b.next;
  });
  std::vector<CountedStep> cells;
  for (const Step& step : sorted) {
    if (cells.empty() || cells.back().step != step) cells.push_back({step, 0});
    cells.back().count += 1;
  }
  return cells;
}

}  // namespace speder

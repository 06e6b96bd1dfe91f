#pragma once

#include <vector>

#include "speder/core/rng.hpp"
#include "speder/core/types.hpp"
#include "speder/mdp/model/policy.hpp"
#include "speder/mdp/sampling/simulator.hpp"

namespace speder {

/// (x, y): the pair x = (s,a) by its row, the state y = s' that followed.
struct Step {
  Index pair = 0;
  Index next = 0;
  friend bool operator==(const Step&, const Step&) = default;
};

/// How often one step was seen.
struct CountedStep {
  Step step;
  double count = 0;
};

/// Pr(length = k) = (1−γ) γᵏ, k ≥ 0. At most 53 ln 2 / ln(1/γ), since a draw has 53 bits.
[[nodiscard]] Index geometric_length(double gamma, Rng& rng);

/// s ~ d^π: follow π from ρ for a geometric number of steps and take the state reached.
struct OccupancyDraw {
  StateId state{};
  Index steps = 0;  // environment steps used
};
[[nodiscard]] OccupancyDraw draw_from_occupancy(const Simulator& env, const Policy& policy,
                                                Rng& rng);

/// Line 4 of Algorithm 1: s ~ d^π, a ~ U(A), s' ~ P(·|s,a), a' ~ U(A), s̃ ~ P(·|s',a').
struct Episode {
  Step first;       // (s, a, s')    joins D_n
  Step second;      // (s', a', s̃)   joins D'_n
  Index steps = 0;  // environment steps used, these two included
};
[[nodiscard]] Episode collect_episode(const Simulator& env, const Policy& policy, Rng& rng);

/// Data of Algorithm 2 and of the estimators alone.
struct Dataset {
  Index states = 0;
  Index actions = 0;
  double gamma = 0;  // the discount of the occupancy it was drawn from
  std::vector<Step> steps;
  Index env_steps = 0;
};
/// n independent draws s ~ d^π, a ~ π(·|s), s' ~ P(·|s,a): DEVIATION-5.
[[nodiscard]] Dataset collect_from_occupancy(const Simulator& env, const Policy& policy, Index n,
                                             Rng& rng);
/// n steps of one run under π that restarts from ρ with probability 1−γ after each step: the same
/// occupancy in the long run, but each xᵢ depends on the past.
[[nodiscard]] Dataset collect_trajectory(const Simulator& env, const Policy& policy, Index n,
                                         Rng& rng);

/// Steps first, …, last − 1 counted, in the order of (pair, next).
[[nodiscard]] std::vector<CountedStep> tally(const std::vector<Step>& steps, Index first,
                                             Index last);

}  // namespace speder

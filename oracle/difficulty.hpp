#pragma once

#include <vector>

#include "core/types.hpp"
#include "mdp/model/planning.hpp"
#include "mdp/model/tabular_mdp.hpp"

namespace speder {

/// Suboptimality gaps Δ(s,a) = max_b Q(s,b) − Q(s,a). Gaps within `tie` of zero count as ties.
struct Gaps {
  Vector per_state;     // (S)  smallest positive gap of the state; +∞ when all its actions tie
  double smallest = 0;  // over all states; +∞ when no action is ever worse
  StateId state{0};     // where
  double largest = 0;
};
[[nodiscard]] Gaps suboptimality_gaps(const Vector& q, Index actions, double tie);
/// Gaps of Q*, ties judged by what the planner's residual (or rounding, when that is larger) can
/// tell apart: 2 residual / (1 − γ).
[[nodiscard]] Gaps suboptimality_gaps(const PlanResult& optimum, Index actions, double gamma);

/// max_s V(s) − min_s V(s).
[[nodiscard]] double value_spread(const Vector& value);

/// 1/(1 − γ).
[[nodiscard]] double effective_horizon(double gamma);
/// Least H with γ^H/(1 − γ) ≤ ε: rewards in [0,1] after step H are worth at most ε.
[[nodiscard]] Index truncation_horizon(double gamma, double epsilon);

/// max_π E_{d^π}[f(s,a)] for f ≥ 0, by planning with reward f. The certificate is the planner's:
/// the true maximum lies within `slack` of the value.
struct Reachability {
  double value = 0;
  double slack = 0;                  // residual of the planner
  std::vector<std::int32_t> policy;  // a policy that attains it
};
[[nodiscard]] Reachability reachability(const TabularMdp& mdp, const Vector& f);
[[nodiscard]] Reachability state_reachability(const TabularMdp& mdp, StateId s);  // max_π d^π(s)
/// max_π E_{d^π}[(xᵀφ(s,a))²]: how much of the latent direction x any policy can see.
[[nodiscard]] Reachability direction_reachability(const TabularMdp& mdp, const Vector& x);

}  // namespace speder

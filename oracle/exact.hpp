#pragma once

#include "speder/mdp/model/policy.hpp"
#include "speder/mdp/model/tabular_mdp.hpp"
#include "speder/mdp/planners/planning.hpp"

namespace speder {

/// V^π and Q^π of the truth, with the residual of the linear system.
[[nodiscard]] Evaluation exact_value(const TabularMdp& mdp, const Policy& policy);
/// J(π) = E_{s~ρ} V^π(s).
[[nodiscard]] double exact_return(const TabularMdp& mdp, const Policy& policy);
/// V*, Q*, π* of the truth.
[[nodiscard]] PlanResult exact_optimum(const TabularMdp& mdp, const PlanOptions& options = {});

/// d^π(s,a) = (1−γ) ∑_t γ^t Pr(s_t = s, a_t = a), s_0 ~ ρ, in the truth. Probabilities.
struct Occupancy {
  Vector pair_mass;     // (SA)  sums to 1
  Vector state_mass;    // (S)   its marginal
  double residual = 0;  // of the linear system, in L₁
};
[[nodiscard]] Occupancy exact_occupancy(const TabularMdp& mdp, const Policy& policy);

}  // namespace speder

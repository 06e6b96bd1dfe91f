#pragma once

#include "speder/core/types.hpp"
#include "speder/mdp/model/policy.hpp"
#include "speder/mdp/model/tabular_mdp.hpp"

namespace speder {

/// d^π(s,a) = (1−γ) ∑_t γ^t Pr(s_t = s, a_t = a), s_0 ~ ρ, in the truth. Probabilities.
struct Occupancy {
  Vector pair_mass;     // (SA)  sums to 1
  Vector state_mass;    // (S)   its marginal
  double residual = 0;  // of the linear system, in L₁
};
[[nodiscard]] Occupancy exact_occupancy(const TabularMdp& mdp, const Policy& policy);
/// Weighted mean of the members' occupancies.
[[nodiscard]] Occupancy exact_occupancy(const TabularMdp& mdp, const MixturePolicy& mixture);

}  // namespace speder

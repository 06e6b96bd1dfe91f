#pragma once

#include "speder/core/types.hpp"
#include "speder/mdp/model/factor.hpp"
#include "speder/mdp/model/policy.hpp"

namespace speder {

/// C*_π = sup_x  xᵀ E_{d^π}[φφᵀ] x / xᵀ E_{ρ_b}[φφᵀ] x, the relative condition number of the target
/// occupancy d^π against the behaviour's ρ_b.                            [thm:pac_offline]
/// Directions on which both forms vanish (0/0) are left out; one on which only the denominator
/// vanishes makes the supremum infinite. "Vanishes" is judged on the square roots of the forms,
/// relative to their largest value, by tol::kRank. DEVIATION-9.
struct RelativeCondition {
  double value = 0;          // may be +∞
  Vector direction;          // (d)  unit x that attains it
  Index target_rank = 0;     // rank of E_{d^π}[φφᵀ]
  Index behaviour_rank = 0;  // rank of E_{ρ_b}[φφᵀ]
};
[[nodiscard]] RelativeCondition relative_condition(const Factor& phi, const Vector& target_mass,
                                                   const Vector& behaviour_mass);

/// The paper gives ω three meanings. Only the first can serve its proofs, which change
/// π(a|s)/π_b(a|s) into a factor ω ≥ 1; it is the one used everywhere here.
struct BehaviourConcentration {
  double max_inverse = 0;  // max 1/π_b(a|s)    [lem:backup_learned_offline]  ω; may be +∞
  double min_inverse = 0;  // min 1/π_b(a|s)    as printed in the offline theorem of the main text
  double max_probability =
      0;  // max π_b(a|s)      as printed in [lem:pessimism, lem:backup_true_offline]
};
/// Over the states that carry mass; pass an empty vector for all states.
[[nodiscard]] BehaviourConcentration behaviour_concentration(const Policy& behaviour,
                                                             const Vector& state_mass = {});

}  // namespace speder

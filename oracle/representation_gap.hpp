#pragma once

#include <string>
#include <vector>

#include "core/types.hpp"
#include "mdp/model/policy.hpp"
#include "mdp/model/tabular_mdp.hpp"

namespace speder {

/// The paper's claim about its table, made measurable: features built from P^π are tied to π, the
/// SVD of P(s'|s,a) is not. Each representation is built once (under the behaviour policy, or from
/// P alone) and asked for the values of a target policy π'.
///
/// What "equal dimension d" means. φ(s,a) has d features of a pair; a state-only ψ(s) says nothing
/// about actions, so Q needs the lift ψ(s) ⊗ e_a of dimension k·A. Three fits are reported, all as
/// relative error in L₂(weights):
///   q_equal     k = ⌊d/A⌋ (at least 1): as many weights as the SVD of P has. The fair comparison.
///   q_generous  k = d: A times as many weights. State-only features that fail here fail because
///               of their span, not for want of parameters.
///   v           V^{π'} by ψ, k = d: the job ψ was made for. For the SVD of P: by E_{π'} f(s,·).
/// When the reward is not linear in φ the paper's linearity concerns Q − r = γ E_P[V] alone; then
/// Q − r and V − r^{π'} are fitted, for all representations alike.
struct RepresentationGap {
  std::string name;
  Index features = 0;  // found: may be below d when the operator has fewer directions
  double q_equal = 0;
  double q_generous = 0;
  double v = 0;
};

struct RepresentationGapRequest {
  const TabularMdp& mdp;
  const Policy& behaviour;      // π: the policy the state-only features are built under
  const Policy& target;         // π': the policy whose values are fitted
  const Vector& pair_weights;   // (SA) of the fits and of the SVD of P
  const Vector& state_weights;  // (S)  positive: geometry of the state-only features, Λ
  Index dimension;              // d
};

/// SVD of P first, then the four of the table in its order.
[[nodiscard]] std::vector<RepresentationGap> representation_gaps(
    const RepresentationGapRequest& request);

}  // namespace speder

#pragma once

#include <string>
#include <vector>

#include "speder/core/types.hpp"
#include "speder/mdp/model/policy.hpp"
#include "speder/mdp/model/tabular_mdp.hpp"

namespace speder {

/// DEVIATION-8: which sides, powers and errors the table is read with.
/// The paper's claim about its table, made measurable: features built from P^π are tied to π, the
/// SVD of P(s'|s,a) is not. Each representation is built once (under the behaviour policy, or from
/// P alone) and asked for the values of a target policy π'.
///
/// What "equal dimension d" means. φ(s,a) has d features of a pair; a state-only ψ(s) says nothing
/// about actions, so Q needs the lift ψ(s) ⊗ e_a of dimension k·A. Three fits are reported, each as the
/// part of the target's standard deviation that is missed (LinearFit::unexplained):
///   q_equal     k = ⌊d/A⌋ (at least 1): as many weights as the SVD of P has. The fair comparison.
///   q_generous  k = d: A times as many weights. State-only features that fail here fail because
///               of their span, not for want of parameters.
///   v           V^{π'} by ψ, k = d: the job ψ was made for. For the SVD of P: by E_{π'} f(s,·).
/// Every basis gets a constant besides (one per action in a lift): constants are in the range of P,
/// and a representation should not fail for want of an intercept. All figures lie in [0,1].
/// The SVD of P spans E_P[V] for every V, hence Q − r; it spans Q itself only if r lies in the range
/// of P. r = ⟨φ, θ_r⟩ is not enough when rank(P) < d. Where r does not, Q − r and V − r^{π'} are
/// fitted, for all representations alike, and reward_subtracted says so.
struct RepresentationGap {
  std::string name;
  Index features = 0;  // found: may be below d when the operator has fewer directions
  double q_equal = 0;
  double q_generous = 0;
  double v = 0;
};

struct RepresentationGaps {
  std::vector<RepresentationGap> rows;  // SVD of P first, then the four in the table's order
  bool reward_subtracted = false;
};

struct RepresentationGapRequest {
  const TabularMdp& mdp;
  const Policy& behaviour;      // π: the policy the state-only features are built under
  const Policy& target;         // π': the policy whose values are fitted
  const Vector& pair_weights;   // (SA) of the fits and of the SVD of P
  const Vector& state_weights;  // (S)  positive: geometry of the state-only features, Λ
  Index dimension;              // d
};

[[nodiscard]] RepresentationGaps representation_gaps(const RepresentationGapRequest& request);

}  // namespace speder

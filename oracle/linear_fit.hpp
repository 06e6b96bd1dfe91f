#pragma once

#include "speder/core/types.hpp"

namespace speder {

/// min_c ‖y − Bc‖_{L₂(w)}. Rank-deficient bases are fine.
struct LinearFit {
  Vector coefficients;      // (k) for one basis, (A·k) action by action for a lifted one
  double l2 = 0;            // ‖y − Bc‖_{L₂(w)}
  double sup = 0;           // largest |y − Bc| where w > 0, at the same c
  double relative_l2 = 0;   // l2 / ‖y‖_{L₂(w)}; 0 when y vanishes
  double relative_sup = 0;  // sup / max |y| where w > 0
  // l2 / ‖y − ȳ‖_{L₂(w)}, ȳ the w-mean: the part of y's standard deviation that is missed; 1 is a
  // constant's score. Values are close to constant when γ is near 1, so relative_l2 flatters every
  // basis there. relative_l2 when y is constant up to tol::kLinearSolve.
  double unexplained = 0;
};
[[nodiscard]] LinearFit best_linear_fit(const Vector& target, const Matrix& basis,
                                        const Vector& weights);

/// Fit of a function of (s,a) by state features lifted with the action's indicator, ψ(s) ⊗ e_a:
/// k·A columns, hence one fit of ψ per action.
[[nodiscard]] LinearFit best_lifted_fit(const Vector& target, const Matrix& state_basis,
                                        const Vector& pair_weights);

}  // namespace speder

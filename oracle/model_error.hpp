#pragma once

#include "speder/core/types.hpp"
#include "speder/mdp/model/kernel.hpp"

namespace speder {

/// Distances between a kernel P and a model P̂ on the same space and base measure, averaged over the
/// pairs with weights w (any non-negative weights; a distribution gives expectations).

/// ∑_{s,a} w ‖P(·|s,a) − P̂(·|s,a)‖²_{L₂(ν)} in factored form, O(|S||A|(d + d̂)²): with R₁, R₂ the
/// triangles of √w[Φ, −Φ̂] and √ν[M, M̂] it is ‖R₁ R₂ᵀ‖²_F.                [thm:generalization]
[[nodiscard]] double l2_error_squared(const Kernel& truth, const Kernel& model,
                                      const Vector& weights);

/// Row by row, O(|S|²|A|d) time and O(|S|) memory; rows of weight zero are skipped.
struct RowErrors {
  double l1 = 0;          // ∑ w ‖P − P̂‖₁            (twice the total variation)
  double l1_squared = 0;  // ∑ w ‖P − P̂‖₁²
  double l2_squared = 0;  // ∑ w ‖P − P̂‖²_{L₂(ν)}    the reference for l2_error_squared
  double kl = 0;          // ∑ w KL(P ‖ P̂); +∞ when P̂ misses a successor of P
  double largest_l1 = 0;  // max over rows with w > 0 of ‖P − P̂‖₁
};
[[nodiscard]] RowErrors row_errors(const Kernel& truth, const Kernel& model, const Vector& weights);

}  // namespace speder

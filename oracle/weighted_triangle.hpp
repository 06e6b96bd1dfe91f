#pragma once

#include "speder/core/types.hpp"
#include "speder/mdp/model/factor.hpp"

namespace speder {

/// Triangular R (d × d) with RᵀR = Fᵀ diag(w) F, by Householder QR of diag(√w) F in row blocks:
/// O(n d²) time, O(d²) memory beside F. The Gram matrix itself is never formed; it would lose half
/// the digits of the small directions.
[[nodiscard]] Matrix weighted_triangle(const Factor& F, const Vector& weights);

/// The same for the columns of F beside those of −G: [F, −G]       (d_F + d_G) × (d_F + d_G).
[[nodiscard]] Matrix weighted_triangle(const Factor& F, const Factor& minus_G,
                                       const Vector& weights);

}  // namespace speder

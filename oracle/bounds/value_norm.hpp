#pragma once

#include <cmath>

namespace speder::bounds {

// Right-hand sides of the paper's statements, written once for any number type with sqrt and log
// (double for plots, enclosures for proofs). Arguments carry the paper's letters.

/// ‖V^π_{P,r}‖₂ ≤ √(2d(1 + dγ²/(1−γ)²))                                           [lem:V_norm]
template <class T>
[[nodiscard]] T value_norm(const T& d, const T& gamma) {
  using std::sqrt;
  const T ratio = gamma / (T(1) - gamma);
  return sqrt(T(2) * d * (T(1) + d * ratio * ratio));
}

/// ‖w^π‖₂ ≤ √d/(1−γ), where Q^π = ⟨φ*, w^π⟩                          [lem:V_norm, proof]
template <class T>
[[nodiscard]] T weight_norm(const T& d, const T& gamma) {
  using std::sqrt;
  return sqrt(d) / (T(1) - gamma);
}

/// ‖V^π_{P̂,r+b}‖₂ ≤ √(3d + 3α²d/λ + 3d²γ²(1 + α/√λ)²/(1−γ)²)   [lemma after lem:norm_bonus]
template <class T>
[[nodiscard]] T planned_value_norm(const T& d, const T& gamma, const T& alpha, const T& lambda) {
  using std::sqrt;
  const T peak = T(1) + alpha / sqrt(lambda);
  const T ratio = gamma / (T(1) - gamma);
  return sqrt(T(3) * d + T(3) * alpha * alpha * d / lambda +
              T(3) * d * d * ratio * ratio * peak * peak);
}

}  // namespace speder::bounds

#pragma once

#include <cmath>

namespace speder::bounds {

/// ‖b_n‖∞ ≤ α/√λ                                                                [lem:norm_bonus]
template <class T>
[[nodiscard]] T bonus_sup(const T& alpha, const T& lambda) {
  using std::sqrt;
  return alpha / sqrt(lambda);
}

/// ‖∫_A b_n‖₂ ≤ α√d/√λ                                                          [lem:norm_bonus]
template <class T>
[[nodiscard]] T bonus_l2(const T& alpha, const T& lambda, const T& d) {
  using std::sqrt;
  return alpha * sqrt(d) / sqrt(lambda);
}

/// √(2|A|d(1 + γ²d/(1−γ)²)ζ/(1−γ)): what optimism may miss; offline with ω for |A|
///                                                          [lem:optimism, lem:pessimism]
template <class T>
[[nodiscard]] T optimism_slack(const T& spread, const T& d, const T& gamma, const T& zeta) {
  using std::sqrt;
  const T ratio = gamma / (T(1) - gamma);
  return sqrt(T(2) * spread * d * (T(1) + d * ratio * ratio) * zeta / (T(1) - gamma));
}

/// The smallest α the (corrected) proof of optimism needs, with ‖V‖₂² ≤ 2d(1 + dγ²/(1−γ)²),
/// B₂ = 2d/(1−γ), B∞ = 2/(1−γ):  α = γ²√(2n|A|‖V‖₂²ζ + 2B₂²nζ + λB∞²d)   [lem:optimism, proof]
template <class T>
[[nodiscard]] T optimism_alpha(const T& spread, const T& d, const T& gamma, const T& n_zeta,
                               const T& lambda) {
  using std::sqrt;
  const T horizon = T(1) / (T(1) - gamma);
  const T ratio = gamma * horizon;
  const T value2 = T(2) * d * (T(1) + d * ratio * ratio);
  return gamma * gamma *
         sqrt(T(2) * spread * value2 * n_zeta + T(8) * d * d * horizon * horizon * n_zeta +
              T(4) * lambda * d * horizon * horizon);
}

}  // namespace speder::bounds

#pragma once

#include <algorithm>
#include <cmath>

#include "speder/oracle/bounds/generalization.hpp"
#include "speder/oracle/bounds/value_norm.hpp"

namespace speder::bounds {

/// docs/theory.md, lemma 1: Σ ⪯ κ₂ Σ̂ and Σ̂ ⪯ κ₁ Σ for λ_n ≥ log(4dn²|Φ|/δ), so that
/// c₁ = 1/√κ₁ and c₂ = √κ₂.                                         [lem:bonus_concentration]
inline constexpr double kConcentrationUpper = 2.19;  // κ₂
inline constexpr double kConcentrationLower = 1.88;  // κ₁

struct OnlineSizes {
  double d = 1, actions = 1, gamma = 0.5, class_size = 1, delta = 0.1;
  double density = 1;  // C: no candidate has a larger density
};

/// Theorem 2 of docs/theory.md with every constant, for runs of N episodes. α is held, λ may grow
/// from `first` to `last`.                                                       [thm:pac_online]
struct OnlineTheorem {
  double log_term = 0;  // L_N = log(8N²|F|/δ)
  double n_zeta = 0;    // nζ_n ≤ C' L_N, C' = 4C/(2 − √e)
  double lambda_first = 0, lambda_last = 0;
  double alpha = 0;
  double slack = 0;   // √(|A|W²h nζ): optimism holds up to slack/√n
  double regret = 0;  // ∑_{n≤N} V* − V^{π_n}
};

/// λ held at max(C', 1) d L_N unless `growth` = λ_N/λ₁ is more than 1.
[[nodiscard]] inline OnlineTheorem online_theorem(const OnlineSizes& in, double N,
                                                  double growth = 1) {
  const double d = in.d, A = in.actions, g = in.gamma, h = 1 / (1 - in.gamma);
  OnlineTheorem t;
  t.log_term = std::log(8 * N * N * in.class_size / in.delta);
  const double C_prime = generalization_sharp_constant(in.density);
  t.n_zeta = C_prime * t.log_term;
  t.lambda_first = std::max(C_prime, 1.0) * d * t.log_term;
  t.lambda_last = growth * t.lambda_first;
  const double W2 = value_norm(d, g) * value_norm(d, g);
  // c₁²α² = 2|A|W²nζ + 8d²h²nζ + λdh²
  t.alpha = std::sqrt(kConcentrationLower *
                      ((2 * A * W2 + 8 * d * d * h * h) * t.n_zeta + t.lambda_last * d * h * h));
  t.slack = std::sqrt(A * W2 * h * t.n_zeta);
  const double planned = planned_value_norm(d, g, t.alpha, t.lambda_first);  // Ŵ
  const double W_hat2 = planned * planned;
  const double a2d = t.alpha * t.alpha * d;
  const double c2 = kConcentrationUpper;                        // c₂²
  const double sup = h * (std::sqrt(t.lambda_last) + t.alpha);  // √λ h(1 + α/√λ)
  // ∑ 1/√n ≤ 2√N, and ∑ E‖φ*‖_{Σ⁻¹} ≤ X
  const double X = std::sqrt(N * (1 + 1 / t.lambda_first) * d * std::log1p(N / t.lambda_first));
  t.regret = 2 * std::sqrt(N) *
                 (t.slack + h * std::sqrt((1 - g) * A) *
                                (std::sqrt(c2 * a2d) + std::sqrt(W_hat2 * t.n_zeta))) +
             h * X *
                 (std::sqrt(g * A * c2 * a2d + g * g * a2d) +
                  g * std::sqrt(g * A * W_hat2 * t.n_zeta + g * g * sup * sup * d));
  return t;
}

/// The least N = 2^{k/8} with regret/N ≤ ε: the mixture of π₁ … π_N is then ε-optimal.
[[nodiscard]] inline double online_theorem_episodes(const OnlineSizes& in, double epsilon) {
  constexpr int kLargest = 8 * 200;
  for (int k = 0; k < kLargest; ++k) {
    const double N = std::exp2(k / 8.0);
    if (online_theorem(in, N).regret <= epsilon * N) return N;
  }
  return std::exp2(kLargest / 8.0);
}

}  // namespace speder::bounds

#pragma once

#include <cmath>
#include <utility>

#include "speder/oracle/bounds/generalization.hpp"
#include "speder/oracle/bounds/potential.hpp"
#include "speder/oracle/bounds/value_norm.hpp"

namespace speder::bounds {

/// What docs/theory.md, theorem 2, is stated in.
struct OnlineInputs {
  double d = 1;
  double actions = 1;
  double gamma = 0;
  double density = 1;    // C
  double log_class = 0;  // log |F|
  double delta = 0.1;
};

/// ∑_{n≤N} V* − V^{π_n} with every constant, for λ_n = C' d L_n and lem:bonus_concentration's c₁ = c₂
/// = 1, which the theorem takes from the literature.                     [docs/theory.md, theorem 2]
[[nodiscard]] inline double online_regret_explicit(const OnlineInputs& in, double N) {
  const double d = in.d, A = in.actions, g = in.gamma, h = 1 / (1 - g);
  const auto L = [&](double n) { return std::log(2 * n * n / in.delta) + in.log_class; };
  const double sharp = generalization_sharp_constant(in.density);  // C'
  const double lambda = sharp * d * L(N);                          // λ_N
  const double lambda1 = sharp * d * L(1);
  const double n_zeta = sharp * L(N);  // N ζ_N
  const double W = value_norm(d, g);
  const double alpha =
      std::sqrt(2 * A * W * W * n_zeta + 8 * d * d * h * h * n_zeta + lambda * d * h * h);
  const double planned = planned_value_norm(d, g, alpha, lambda);  // Ŵ
  const double peak = 1 + alpha / std::sqrt(lambda);
  const double X = std::sqrt(N * lagged_potential(d, N, 1.0, lambda1));
  const double first =
      std::sqrt(A * W * W * h * n_zeta) +
      h * std::sqrt((1 - g) * A) * (alpha * std::sqrt(d) + std::sqrt(planned * planned * n_zeta));
  const double second =
      std::sqrt(g * A * alpha * alpha * d + g * g * alpha * alpha * d) +
      g * std::sqrt(g * A * planned * planned * n_zeta + lambda * g * g * h * h * d * peak * peak);
  return 2 * std::sqrt(N) * first + h * X * second;
}

/// The N from which on the mixture of N policies is ε-optimal by that bound; to three digits.
[[nodiscard]] inline double online_episodes_explicit(const OnlineInputs& in, double epsilon) {
  constexpr double kMost = 1e60;  // the mean regret falls in N, so that bisection finds the place
  constexpr double kDigits = 1e-3;
  double low = 1, high = 2;
  const auto enough = [&](double N) { return online_regret_explicit(in, N) <= epsilon * N; };
  while (!enough(high) && high < kMost) low = std::exchange(high, 2 * high);
  while (high - low > kDigits * high) {
    const double middle = (low + high) / 2;
    (enough(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace speder::bounds

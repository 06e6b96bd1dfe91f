#pragma once

#include <cmath>

namespace speder::bounds {

/// C'(ρ) = 9C / (9ρC − 20(e^{3ρC} − 3ρC − 1)); the bound needs a positive denominator.
///                                                            [thm:generalization, proof]
template <class T>
[[nodiscard]] T generalization_constant(const T& C, const T& rho) {
  using std::exp;
  const T x = T(3) * rho * C;
  return T(9) * C / (T(3) * x - T(20) * (exp(x) - x - T(1)));
}

/// The best ρ solves 3 = 20(e^x − 1) with x = 3ρC: x = log(23/20), so C' = κC with
/// κ = 9/(23 log(23/20) − 3) ≈ 41.95.
template <class T>
[[nodiscard]] T generalization_constant(const T& C) {
  using std::log;
  return T(9) * C / (T(23) * log(T(23) / T(20)) - T(3));
}
[[nodiscard]] inline double generalization_best_step(double C) {
  return std::log(23.0 / 20.0) / (3 * C);
}

/// The constant of docs/theory.md, theorem 1: C' = 4C/(2 − √e) ≈ 11.39 C, from ρ = log 2/(4C).
template <class T>
[[nodiscard]] T generalization_sharp_constant(const T& C) {
  using std::exp;
  return T(4) * C / (T(2) - exp(T(1) / T(2)));
}

/// E_{ρ₀}‖P − P̂‖₂² ≤ C' log(|F|/δ)/n with probability 1 − δ               [eq:generalization]
template <class T>
[[nodiscard]] T generalization_error(const T& C, const T& class_size, const T& delta, const T& n) {
  using std::log;
  return generalization_constant(C) * log(class_size / delta) / n;
}

}  // namespace speder::bounds

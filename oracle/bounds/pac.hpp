#pragma once

#include <cmath>

namespace speder::bounds {

/// Sizes the rates are stated in.
template <class T>
struct RateInputs {
  T d, actions, gamma, n, class_size, delta;
};

/// ∑ V* − V^{π_n} ≲ √(N d⁴|A|² log(N|F|/δ)/(1−γ)⁶ · log(1 + N/(d² log(N|F|/δ))))  [lem:regret]
template <class T>
[[nodiscard]] T regret_rate(const RateInputs<T>& in) {
  using std::log;
  using std::sqrt;
  const T L = log(in.n * in.class_size / in.delta);
  const T h = T(1) / (T(1) - in.gamma);
  return in.d * in.d * in.actions * h * h * h *
         sqrt(in.n * L * log(T(1) + in.n / (in.d * in.d * L)));
}

/// N = d⁴|A|²/((1−γ)⁶ε²), logarithms left out                                 [thm:pac_online]
template <class T>
[[nodiscard]] T online_episodes(const RateInputs<T>& in, const T& epsilon) {
  const T h = T(1) / (T(1) - in.gamma);
  const T h3 = h * h * h;
  const T d2A = in.d * in.d * in.actions;
  return d2A * d2A * h3 * h3 / (epsilon * epsilon);
}

/// √(ω²d⁴C* log(|F|/δ)/(1−γ)⁶): as printed, without n                        [thm:pac_offline]
template <class T>
[[nodiscard]] T offline_gap_printed(const RateInputs<T>& in, const T& omega, const T& coverage) {
  using std::log;
  using std::sqrt;
  const T h = T(1) / (T(1) - in.gamma);
  return omega * in.d * in.d * h * h * h * sqrt(coverage * log(in.class_size / in.delta));
}

/// The same divided by √n, as its proof gives.                    [thm:pac_offline, corrected]
template <class T>
[[nodiscard]] T offline_gap(const RateInputs<T>& in, const T& omega, const T& coverage) {
  using std::sqrt;
  return offline_gap_printed(in, omega, coverage) / sqrt(in.n);
}

}  // namespace speder::bounds

#pragma once

#include <cmath>

namespace speder::bounds {

/// ∑_n Tr(G_n M_n⁻¹) ≤ d log(1 + Nc/λ)                                            [lem:potential]
template <class T>
[[nodiscard]] T elliptical_potential(const T& d, const T& N, const T& c, const T& lambda) {
  using std::log1p;
  return d * log1p(N * c / lambda);
}

/// The same for the matrix before the update: ∑_n Tr(G_n M_{n−1}⁻¹) ≤ (1 + c/λ) d log(1 + Nc/λ)
template <class T>
[[nodiscard]] T lagged_potential(const T& d, const T& N, const T& c, const T& lambda) {
  return (T(1) + c / lambda) * elliptical_potential(d, N, c, lambda);
}

}  // namespace speder::bounds

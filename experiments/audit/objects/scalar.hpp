#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "speder/experiments/audit/objects/exact.hpp"

namespace speder::audit {

// The claims are written once for a number type T: double for the search, Exact for the proof.
using std::abs;
using std::exp;
using std::log;
using std::log1p;
using std::max;
using std::min;
using std::sqrt;

[[nodiscard]] inline double to_double(double x) { return x; }
[[nodiscard]] inline bool surely_le(double x, double y) { return x <= y; }
[[nodiscard]] inline bool surely_less(double x, double y) { return x < y; }
[[nodiscard]] inline bool surely_zero(double x) { return x == 0; }
[[nodiscard]] inline bool surely_equal(double x, double y) { return x == y; }

template <class T>
[[nodiscard]] T fraction(std::int64_t numerator, std::int64_t denominator) {
  if constexpr (std::is_same_v<T, double>) {
    return static_cast<double>(numerator) / static_cast<double>(denominator);
  } else {
    return T(numerator, denominator);
  }
}
template <class T>
[[nodiscard]] T whole(std::int64_t value) {
  return fraction<T>(value, 1);
}
template <class T>
[[nodiscard]] T square(const T& x) {
  return x * x;
}
template <class T>
[[nodiscard]] T power(const T& x, int exponent) {
  T product = T(1);
  for (int i = 0; i < exponent; ++i) product = product * x;
  return product;
}

/// The fraction with the smallest denominator in [low, high], 0 < low ≤ high (Stern–Brocot walk).
struct Fraction {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;
};
[[nodiscard]] Fraction simplest_between(double low, double high);

}  // namespace speder::audit

#pragma once

#include "speder/experiments/audit/objects/case.hpp"

namespace speder::audit {

// Quantities of the generalisation proof at one x: f* is family row x, candidate k is row k·X + x.

/// ∑_y w(y) ν(y)
template <class T, class W>
[[nodiscard]] T over_targets(const Case<T>& c, W w) {
  T total = T(0);
  for (int y = 0; y < c.S; ++y) total = total + w(y) * c.nu(y);
  return total;
}
/// ‖f_k(x,·) − f*(x,·)‖₂²
template <class T>
[[nodiscard]] T density_error(const Case<T>& c, int k, int x = 0) {
  return over_targets<T>(
      c, [&](int y) -> T { return square(c.family(k * c.X + x, y) - c.family(x, y)); });
}
/// ∑_y f_k(x,y)²
template <class T>
[[nodiscard]] T density_power(const Case<T>& c, int k, int x = 0) {
  return over_targets<T>(c, [&](int y) -> T { return square(c.family(k * c.X + x, y)); });
}
/// l(f_k,(x,y)) = 2(f* − f)(x,y) + ∑_y (f² − f*²)                              [l.699]
template <class T>
[[nodiscard]] T squared_loss(const Case<T>& c, int k, int x, int y) {
  return T(2) * (c.family(x, y) - c.family(k * c.X + x, y)) + density_power(c, k, x) -
         density_power(c, 0, x);
}
/// E_{y ~ f_law(x,·)}[l^power], for candidate 1 at x = 0
template <class T>
[[nodiscard]] T loss_moment(const Case<T>& c, int law, int exponent) {
  return over_targets<T>(c, [&](int y) -> T {
    return c.family(law * c.X, y) * power(squared_loss(c, 1, 0, y), exponent);
  });
}
/// (e^{3ρC} − 3ρC − 1)/(9C²)
template <class T>
[[nodiscard]] T moment_coefficient(const Case<T>& c) {
  const T x = T(3) * c.step * c.bound;
  return (exp(x) - x - T(1)) / (T(9) * c.bound * c.bound);
}

}  // namespace speder::audit

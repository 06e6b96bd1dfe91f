#pragma once

#include "speder/experiments/audit/objects/model.hpp"

namespace speder::audit {

/// |v − its projection on the columns of B| = 0, by Gram–Schmidt. A column whose remainder is below
/// kDependent of its own length counts as dependent.
template <class T>
[[nodiscard]] Sides<T> distance_to_span(const Table<T>& B, Column<T> v) {
  constexpr double kDependent = 1e-11;
  std::vector<Column<T>> basis;  // orthogonal, not normalised: stays rational
  const auto reduce = [&](Column<T> x) {
    for (int twice = 0; twice < 2; ++twice) {  // a second pass removes the rounding of the first
      for (const Column<T>& b : basis) x = x - scaled(b, dot(b, x) / dot(b, b));
    }
    return x;
  };
  for (int j = 0; j < B.cols(); ++j) {
    Column<T> column(B.rows(), 1);
    for (int i = 0; i < B.rows(); ++i) column(i) = B(i, j);
    const double length = to_double(dot(column, column));
    column = reduce(column);
    if (to_double(dot(column, column)) > kDependent * kDependent * length) basis.push_back(column);
  }
  const T size = max_abs(v);
  return {max_abs(reduce(std::move(v))), T(0), size};
}

/// Distance of V^π to the span of {(P^π)^i r^π : i = first … first + |S| − 1}
template <class T>
[[nodiscard]] Sides<T> distance_to_krylov(const Case<T>& c, const Table<T>& P, int first) {
  const Table<T> K = state_kernel(P, c.pi);
  Column<T> power_r = average(c.pi, reward(c));
  const Column<T> V = value(P, reward(c), c.pi, c.gamma);
  for (int i = 0; i < first; ++i) power_r = K * power_r;
  Table<T> basis(c.S, c.S);
  for (int j = 0; j < c.S; ++j) {
    for (int s = 0; s < c.S; ++s) basis(s, j) = power_r(s);
    power_r = K * power_r;
  }
  return distance_to_span(basis, V);
}

}  // namespace speder::audit

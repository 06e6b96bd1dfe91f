#pragma once

#include <algorithm>
#include <vector>

#include "speder/experiments/audit/objects/density.hpp"

namespace speder::audit {

// The least-squares estimator over a finite class, by counts of the X·S outcomes z = x·S + y.

/// visit(probability, counts) for every way to split n samples over the X·S outcomes.
template <class T, class V>
void for_each_count(const Case<T>& c, V visit) {
  const int cells = c.X * c.S;
  std::vector<int> counts(static_cast<std::size_t>(cells), 0);
  std::vector<T> cell_probability;
  for (int z = 0; z < cells; ++z) {
    cell_probability.push_back(c.design(0, z / c.S) * c.family(z / c.S, z % c.S) * c.nu(z % c.S));
  }
  const auto recurse = [&](const auto& self, int z, int left, const T& weight) -> void {
    if (surely_zero(weight)) return;
    const auto cell = static_cast<std::size_t>(z);
    if (z + 1 == cells) {
      counts[cell] = left;
      visit(weight * power(cell_probability[cell], left), counts);
      return;
    }
    T term = weight;  // weight · C(left, k) pᵏ, built up term by term
    for (int k = 0; k <= left; ++k) {
      counts[cell] = k;
      self(self, z + 1, left - k, term);
      term = term * cell_probability[cell] * fraction<T>(left - k, k + 1);
    }
  };
  recurse(recurse, 0, c.n, T(1));
}

/// ∑ᵢ −2f(xᵢ,yᵢ) + ∑_y f(xᵢ,y)²                                              [eq:objective_f]
template <class T>
[[nodiscard]] Table<T> cell_losses(const Case<T>& c) {  // (F × cells)
  Table<T> loss(c.F, c.X * c.S);
  for (int f = 0; f < c.F; ++f) {
    for (int x = 0; x < c.X; ++x) {
      const T power_x = density_power(c, f, x);
      for (int y = 0; y < c.S; ++y) {
        loss(f, x * c.S + y) = power_x - T(2) * c.family(f * c.X + x, y);
      }
    }
  }
  return loss;
}
template <class T>
[[nodiscard]] T objective(const Table<T>& loss, int f, const std::vector<int>& counts) {
  T total = T(0);
  for (int z = 0; z < loss.cols(); ++z)
    total = total + T(counts[static_cast<std::size_t>(z)]) * loss(f, z);
  return total;
}
/// The minimisers of the objective; f* = 0 wins no tie, so that the worst of them can be taken.
template <class T>
[[nodiscard]] std::vector<int> minimisers(const Table<T>& loss, const std::vector<int>& counts) {
  constexpr double kTie = 1e-12;
  std::vector<double> values;
  for (int f = 0; f < loss.rows(); ++f) values.push_back(to_double(objective(loss, f, counts)));
  const double best = *std::min_element(values.begin(), values.end());
  std::vector<int> found;
  for (int f = 0; f < loss.rows(); ++f) {
    if (values[static_cast<std::size_t>(f)] <= best + kTie * (1 + std::abs(best)))
      found.push_back(f);
  }
  return found;
}
/// The largest error among the minimisers of the objective.
template <class T>
[[nodiscard]] T worst_minimiser(const Table<T>& loss, const std::vector<T>& errors,
                                const std::vector<int>& counts) {
  T worst = T(0);
  for (const int f : minimisers(loss, counts)) {
    const T& error = errors[static_cast<std::size_t>(f)];
    if (to_double(error) > to_double(worst)) worst = error;
  }
  return worst;
}
template <class T>
[[nodiscard]] std::vector<T> class_errors(const Case<T>& c) {  // E_{x~ρ₀}‖f − f*‖₂²
  std::vector<T> errors;
  for (int f = 0; f < c.F; ++f) {
    T error = T(0);
    for (int x = 0; x < c.X; ++x) error = error + c.design(0, x) * density_error(c, f, x);
    errors.push_back(error);
  }
  return errors;
}
/// P(E‖f̂ − f*‖² > constant · log(|F|/δ)/n) and δ, for i.i.d. data. Undefined where the bound is
/// vacuous: no data set breaks it.
template <class T>
[[nodiscard]] Sides<T> failure_probability(const Case<T>& c, const T& constant) {
  const T limit = constant * log(T(c.F) / c.delta) / T(c.n);
  const Table<T> loss = cell_losses(c);
  const std::vector<T> errors = class_errors(c);
  bool possible = false;
  for (const T& e : errors) possible = possible || surely_less(limit, e);
  if (!possible) return undefined<T>();
  T bad = T(0);
  for_each_count(c, [&](const T& p, const std::vector<int>& counts) {
    if (surely_less(limit, worst_minimiser(loss, errors, counts))) bad = bad + p;
  });
  return {bad, c.delta};
}

}  // namespace speder::audit

#pragma once

#include "speder/experiments/audit/objects/case.hpp"

namespace speder::audit {

// The data process of the decoupling lemma, enumerated. A sample is an index z = x·S + y; x₁ has
// law design row 0 and x_i has law design row 1 + y_{i−1}: the process depends on the past.

template <class T>
struct Process {
  const Case<T>& c;
  [[nodiscard]] int outcomes() const { return c.X * c.S; }
  /// P(z_i = z | y_{i−1}); before = −1 at the first sample
  [[nodiscard]] T probability(int z, int before) const {
    const int x = z / c.S;
    const int y = z % c.S;
    return c.design(before + 1, x) * c.family(x, y) * c.nu(y);
  }
  /// ℓ(f, z)
  [[nodiscard]] const T& loss(int f, int z) const { return c.loss(f * c.X + z / c.S, z % c.S); }
  /// E[exp(−ℓ(f, z'))] for a tangent sample after y_{i−1} = before
  [[nodiscard]] T tangent(int f, int before) const {
    T total = T(0);
    for (int z = 0; z < outcomes(); ++z) total = total + probability(z, before) * exp(-loss(f, z));
    return total;
  }
  /// E[ℓ(f, z')] likewise
  [[nodiscard]] T tangent_mean(int f, int before) const {
    T total = T(0);
    for (int z = 0; z < outcomes(); ++z) total = total + probability(z, before) * loss(f, z);
    return total;
  }
};

/// visit(probability, data) for every data set z_1 … z_n of positive probability.
template <class T, class V>
void for_each_data_set(const Process<T>& process, V visit) {
  const int n = process.c.n;
  std::vector<int> z(static_cast<std::size_t>(n), 0);
  while (true) {
    T p = T(1);
    int before = -1;
    for (const int zi : z) {
      p = p * process.probability(zi, before);
      before = zi % process.c.S;
    }
    if (!surely_zero(p)) visit(p, z);
    std::size_t i = 0;
    while (i < z.size() && ++z[i] == process.outcomes()) z[i++] = 0;
    if (i == z.size()) return;
  }
}

/// exp(−L(f,D)) and E_{D'}[exp(−L(f,D')) | D]
template <class T>
struct Exponentials {
  T data = T(1);
  T tangent = T(1);
  [[nodiscard]] T ratio() const { return data / tangent; }
};
template <class T>
[[nodiscard]] Exponentials<T> exponentials(const Process<T>& process, const std::vector<int>& z,
                                           int f) {
  Exponentials<T> e;
  T total = T(0);
  int before = -1;
  for (const int zi : z) {
    total = total + process.loss(f, zi);
    e.tangent = e.tangent * process.tangent(f, before);
    before = zi % process.c.S;
  }
  e.data = exp(-total);
  return e;
}
/// The estimator that hurts most: f̂(D) maximises exp(−L(f,D)) / E_{D'} exp(−L(f,D')).
template <class T>
[[nodiscard]] Exponentials<T> worst_estimator(const Process<T>& process,
                                              const std::vector<int>& z) {
  Exponentials<T> worst = exponentials(process, z, 0);
  for (int f = 1; f < process.c.F; ++f) {
    const Exponentials<T> e = exponentials(process, z, f);
    if (to_double(e.ratio()) > to_double(worst.ratio())) worst = e;
  }
  return worst;
}

}  // namespace speder::audit

#pragma once

#include "speder/experiments/audit/objects/table.hpp"

namespace speder::audit {

/// A symmetric matrix as Q diag(values) Qᵀ + rest, by Jacobi's rotations; values in decreasing order.
template <class T>
struct Spectrum {
  std::vector<T> values;
  Table<T> vectors;  // (k × k) columns
  T rest = T(0);     // the largest row sum of |off-diagonal| that is left: by Gershgorin no
                     // eigenvalue differs from its value by more
};

template <class T>
[[nodiscard]] Spectrum<T> spectrum(Table<T> A) {
  const int k = A.rows();
  Table<T> Q = identity<T>(k);
  constexpr int kSweeps = 12;
  constexpr double kDone = 1e-30;  // of the square of a rotation's target against its diagonal
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    bool moved = false;
    for (int p = 0; p < k; ++p) {
      for (int q = p + 1; q < k; ++q) {
        const double off = to_double(A(p, q));
        const double size = std::abs(to_double(A(p, p))) + std::abs(to_double(A(q, q)));
        if (off == 0 || off * off <= kDone * size * size) continue;
        moved = true;
        // tan 2θ = 2A_pq/(A_pp − A_qq); t = tan θ by the smaller root.
        const double theta = (to_double(A(q, q)) - to_double(A(p, p))) / (2 * off);
        const double tangent = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::hypot(theta, 1.0));
        // The rotation of a rational tangent: orthogonal whatever the rounding of the tangent.
        constexpr std::int64_t kGrain = std::int64_t{1} << 50;
        const T t = fraction<T>(std::llround(tangent * static_cast<double>(kGrain)), kGrain);
        const T cosine = T(1) / sqrt(T(1) + t * t);
        const T sine = t * cosine;
        for (int i = 0; i < k; ++i) {
          const T x = A(i, p), y = A(i, q);
          A(i, p) = cosine * x - sine * y;
          A(i, q) = sine * x + cosine * y;
        }
        for (int i = 0; i < k; ++i) {
          const T x = A(p, i), y = A(q, i);
          A(p, i) = cosine * x - sine * y;
          A(q, i) = sine * x + cosine * y;
          const T u = Q(i, p), v = Q(i, q);
          Q(i, p) = cosine * u - sine * v;
          Q(i, q) = sine * u + cosine * v;
        }
      }
    }
    if (!moved) break;
  }
  std::vector<int> order;
  for (int i = 0; i < k; ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](int i, int j) { return to_double(A(i, i)) > to_double(A(j, j)); });
  Spectrum<T> found;
  found.vectors = Table<T>(k, k);
  for (int j = 0; j < k; ++j) {
    const int from = order[static_cast<std::size_t>(j)];
    found.values.push_back(A(from, from));
    T row = T(0);
    for (int i = 0; i < k; ++i) {
      found.vectors(i, j) = Q(i, from);
      if (i != from) row = row + abs(A(from, i));
    }
    found.rest = max(found.rest, row);
  }
  return found;
}

}  // namespace speder::audit

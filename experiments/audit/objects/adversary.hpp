#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "speder/experiments/audit/objects/erm.hpp"
#include "speder/experiments/audit/objects/model.hpp"

namespace speder::audit {

// Data that depend on the past. An adversary sees everything and chooses one of two laws before each
// sample; the probability of the bad event under the best adversary is exact, by backward induction
// over the counts and the number of times the second law was used.

/// V(counts, used) for counts of four outcomes in layers ∑ counts = i; the fourth count is the rest.
template <class T>
class FourCounts {
 public:
  explicit FourCounts(int n)
      : side_(n + 1), values_(static_cast<std::size_t>(side_ * side_ * side_ * side_)) {}
  [[nodiscard]] T& at(int a, int b, int c, int used) {
    return values_[static_cast<std::size_t>(((a * side_ + b) * side_ + c) * side_ + used)];
  }

 private:
  int side_;
  std::vector<T> values_;
};

/// max over adversaries of P(∑ᵢ E_{x~D_i}‖f̂ − f*‖² > limit), X = S = 2. Ties go to the worst minimiser.
template <class T>
[[nodiscard]] T worst_failure(const Case<T>& c, const T& limit) {
  const Table<T> loss = cell_losses(c);
  Table<T> error(c.F, 2);  // E_{x~D^j}‖f − f*‖²
  for (int f = 0; f < c.F; ++f) {
    for (int j = 0; j < 2; ++j) {
      for (int x = 0; x < 2; ++x) {
        error(f, j) = error(f, j) + c.design(j, x) * density_error(c, f, x);
      }
    }
  }
  FourCounts<T> V(c.n);
  for (int a = 0; a <= c.n; ++a) {
    for (int b = 0; a + b <= c.n; ++b) {
      for (int e = 0; a + b + e <= c.n; ++e) {
        const std::vector<int> best = minimisers(loss, {a, b, e, c.n - a - b - e});
        for (int used = 0; used <= c.n; ++used) {
          bool bad = false;
          for (const int f : best) {
            bad = bad || surely_less(limit, T(c.n - used) * error(f, 0) + T(used) * error(f, 1));
          }
          V.at(a, b, e, used) = T(bad ? 1 : 0);
        }
      }
    }
  }
  T p[2][4];  // P(outcome | law)
  for (int j = 0; j < 2; ++j) {
    for (int z = 0; z < 4; ++z) p[j][z] = c.design(j, z / 2) * c.family(z / 2, z % 2) * c.nu(z % 2);
  }
  // In increasing order each entry reads entries of the next layer that are not yet overwritten.
  for (int i = c.n - 1; i >= 0; --i) {
    for (int a = 0; a <= i; ++a) {
      for (int b = 0; a + b <= i; ++b) {
        for (int e = 0; a + b + e <= i; ++e) {
          for (int used = 0; used <= i; ++used) {
            T mean[2];
            for (int j = 0; j < 2; ++j) {
              const int u = used + j;
              mean[j] = p[j][0] * V.at(a + 1, b, e, u) + p[j][1] * V.at(a, b + 1, e, u) +
                        p[j][2] * V.at(a, b, e + 1, u) + p[j][3] * V.at(a, b, e, u);
            }
            V.at(a, b, e, used) = to_double(mean[0]) >= to_double(mean[1]) ? mean[0] : mean[1];
          }
        }
      }
    }
  }
  return V.at(0, 0, 0, 0);
}
template <class T>
[[nodiscard]] Sides<T> adaptive_failure(const Case<T>& c, const T& constant) {
  const T limit = constant * log(T(c.F) / c.delta);
  bool possible = false;
  for (int i = c.X; i < c.F * c.X; ++i) {
    possible = possible || surely_less(limit, T(c.n) * density_error(c, i / c.X, i % c.X));
  }
  if (!possible) return undefined<T>();  // vacuous here: no data set breaks the bound
  return {worst_failure(c, limit), c.delta};
}

/// A symmetric matrix of size d ≤ 2: closed forms instead of a solver. For d = 1 the others stay 0, 1.
template <class T>
struct Small {
  T a = T(0), b = T(0), c = T(1);  // [a b; b c]
};
/// The walk of lem:bonus_concentration: cells z, feature maps k, φ_k(z) = row z·A + k of φ.
/// λI + ∑_z visits(z) φ_k(z)φ_k(z)ᵀ
template <class T>
[[nodiscard]] Small<T> walk_covariance(const Case<T>& c, int k, const std::vector<T>& visits,
                                       const T& lambda) {
  Small<T> M{lambda, T(0), c.d == 2 ? lambda : T(1)};
  for (int z = 0; z < c.S; ++z) {
    const T& x = c.phi(z * c.A + k, 0);
    const T& n = visits[static_cast<std::size_t>(z)];
    M.a = M.a + n * x * x;
    if (c.d == 1) continue;
    const T& y = c.phi(z * c.A + k, 1);
    M.b = M.b + n * x * y;
    M.c = M.c + n * y * y;
  }
  return M;
}
/// φᵀM⁻¹φ at cell z
template <class T>
[[nodiscard]] T inverse_square(const Case<T>& c, int k, int z, const Small<T>& M) {
  const T& x = c.phi(z * c.A + k, 0);
  if (c.d == 1) return x * x / M.a;
  const T& y = c.phi(z * c.A + k, 1);
  return (M.c * x * x - T(2) * M.b * x * y + M.a * y * y) / (M.a * M.c - M.b * M.b);
}
/// Sure that factor · M − N is not positive semidefinite.
template <class T>
[[nodiscard]] bool surely_above(const Small<T>& N, const Small<T>& M, const T& factor, int d) {
  const T a = factor * M.a - N.a;
  if (surely_less(a, T(0))) return true;
  if (d == 1) return false;
  const T b = factor * M.b - N.b;
  const T c = factor * M.c - N.c;
  return surely_less(c, T(0)) || surely_less(a * c, b * b);
}

/// mark(n, counts, used) at every state of the walk of n ≤ H steps, then the probability, under the
// best adversary, of ever meeting a state marked above the threshold.
template <class T>
class Walk {
 public:
  explicit Walk(const Case<T>& c) : c_(c), side_(c.H + 1) {
    counts_.resize(static_cast<std::size_t>(c.S));
    std::size_t size = 1;
    for (int z = 0; z <= c.S; ++z)
      size *= static_cast<std::size_t>(side_);  // n, S − 1 counts, used
    marks_.assign(size, 0.0);
  }
  /// mark: (n, visits of each cell, visits expected by the adversary's laws) -> how bad.
  template <class M>
  void fill(M mark) {
    std::vector<T> seen(counts_.size()), expected(counts_.size());
    for (int n = 1; n <= c_.H; ++n) {
      each(n, [&](const std::vector<int>& counts, int used) {
        for (std::size_t z = 0; z < counts.size(); ++z) {
          seen[z] = T(counts[z]);
          expected[z] =
              T(n - used) * c_.rho(static_cast<int>(z)) + T(used) * c_.base(static_cast<int>(z));
        }
        marks_[index(n, counts, used)] = mark(n, seen, expected);
      });
    }
  }
  [[nodiscard]] double largest() const { return *std::max_element(marks_.begin(), marks_.end()); }
  [[nodiscard]] T worst_probability(double threshold) {
    std::vector<T> V(marks_.size(), T(0));
    std::vector<int> next;
    for (int n = c_.H; n >= 0; --n) {
      each(n, [&](const std::vector<int>& counts, int used) {
        T& here = V[index(n, counts, used)];
        if (marks_[index(n, counts, used)] > threshold) {
          here = T(1);
        } else if (n < c_.H) {
          next = counts;
          for (int j = 0; j < 2; ++j) {
            T mean = T(0);
            for (int z = 0; z < c_.S; ++z) {
              ++next[static_cast<std::size_t>(z)];
              mean = mean + (j == 0 ? c_.rho(z) : c_.base(z)) * V[index(n + 1, next, used + j)];
              --next[static_cast<std::size_t>(z)];
            }
            if (j == 0 || to_double(mean) > to_double(here)) here = mean;
          }
        }
      });
    }
    return V[index(0, std::vector<int>(counts_.size(), 0), 0)];
  }

 private:
  [[nodiscard]] std::size_t index(int n, const std::vector<int>& counts, int used) const {
    std::size_t at = static_cast<std::size_t>(n);
    for (std::size_t z = 0; z + 1 < counts.size(); ++z) {  // the last count is the rest
      at = at * static_cast<std::size_t>(side_) + static_cast<std::size_t>(counts[z]);
    }
    return at * static_cast<std::size_t>(side_) + static_cast<std::size_t>(used);
  }
  template <class V>
  void each(int n, V visit) {  // every split of n visits, every use of the second law
    const auto recurse = [&](const auto& self, std::size_t z, int left) -> void {
      if (z + 1 == counts_.size()) {
        counts_[z] = left;
        for (int used = 0; used <= n; ++used) visit(counts_, used);
        return;
      }
      for (int k = 0; k <= left; ++k) {
        counts_[z] = k;
        self(self, z + 1, left - k);
      }
    };
    recurse(recurse, 0, n);
  }
  const Case<T>& c_;
  int side_;
  std::vector<int> counts_;
  std::vector<double> marks_;
};

/// The largest squared ratio, either way up, of ‖φ_k(z)‖ in the inverses of Σ̂ and Σ.
template <class T>
[[nodiscard]] double norm_ratio(const Case<T>& c, const std::vector<T>& seen,
                                const std::vector<T>& expected, const T& lambda) {
  double worst = 1;
  for (int k = 0; k < c.A; ++k) {
    const Small<T> sample = walk_covariance(c, k, seen, lambda);
    const Small<T> mean = walk_covariance(c, k, expected, lambda);
    for (int z = 0; z < c.S; ++z) {
      const double m = to_double(inverse_square(c, k, z, mean));
      const double q = m > 0 ? to_double(inverse_square(c, k, z, sample)) / m : 1;
      worst = std::max({worst, q, 1 / q});
    }
  }
  return worst;
}
/// The smallest c with P(some n ≤ N, some φ: a ratio above c) ≤ δ under the best adversary.
template <class T>
[[nodiscard]] T concentration_constant(const Case<T>& c) {
  Walk<T> walk(c);
  walk.fill([&](int n, const std::vector<T>& seen, const std::vector<T>& expected) {
    return norm_ratio(c, seen, expected, T(c.d) * log(T(n * c.A) / c.delta));
  });
  double low = 1, high = walk.largest();
  constexpr int kHalvings = 10;
  for (int i = 0; i < kHalvings && high > low; ++i) {
    const double middle = (low + high) / 2;
    (surely_le(walk.worst_probability(middle), c.delta) ? high : low) = middle;
  }
  constexpr std::int64_t kGrain = 1'000'000'000;
  return sqrt(fraction<T>(std::llround(high * kGrain), kGrain));
}
/// P(some n ≤ N, some φ: Σ ⋠ upper · Σ̂ or Σ̂ ⋠ lower · Σ), λ_n = log(4dn²|Φ|/δ)
template <class T>
[[nodiscard]] Sides<T> explicit_concentration(const Case<T>& c, const T& upper, const T& lower) {
  Walk<T> walk(c);
  walk.fill([&](int n, const std::vector<T>& seen, const std::vector<T>& expected) {
    const T lambda = log(T(4 * c.d * n * n * c.A) / c.delta);
    for (int k = 0; k < c.A; ++k) {
      const Small<T> sample = walk_covariance(c, k, seen, lambda);
      const Small<T> mean = walk_covariance(c, k, expected, lambda);
      if (surely_above(mean, sample, upper, c.d) || surely_above(sample, mean, lower, c.d)) {
        return 1.0;
      }
    }
    return 0.0;
  });
  constexpr double kMarked = 0.5;
  return {walk.worst_probability(kMarked), c.delta};
}

}  // namespace speder::audit

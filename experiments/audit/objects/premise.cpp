#include "speder/experiments/audit/objects/premise.hpp"

#include <fmt/format.h>

#include "speder/experiments/audit/objects/model.hpp"

namespace speder::audit {
namespace {

// Rounding of a builder in double arithmetic: sums of a few dozen products of numbers ≤ 10³.
constexpr double kSlack = 1e-9;

bool le(double x, double y) { return x <= y + kSlack * std::max(1.0, std::abs(y)); }
bool le(const Exact& x, const Exact& y) { return surely_le(x, y); }
bool equal(double x, double y) { return std::abs(x - y) <= kSlack * std::max(1.0, std::abs(y)); }
bool equal(const Exact& x, const Exact& y) { return surely_equal(x, y); }

template <class T>
bool distributions(const Table<T>& rows) {
  for (int i = 0; i < rows.rows(); ++i) {
    T total = T(0);
    for (int j = 0; j < rows.cols(); ++j) {
      if (!le(T(0), rows(i, j))) return false;
      total = total + rows(i, j);
    }
    if (!equal(total, T(1))) return false;
  }
  return true;
}

template <class T>
bool positive(const Table<T>& x) {
  for (int i = 0; i < x.size(); ++i) {
    if (!surely_less(T(0), x(i))) return false;
  }
  return true;
}

// sup over |g| ≤ 1 of ‖∫μ g‖² is attained at a sign vector (a convex function on a cube).
template <class T>
bool measure_norm_holds(const Case<T>& c, const Table<T>& mu) {
  for (unsigned signs = 0; signs < (1U << static_cast<unsigned>(c.S - 1)); ++signs) {
    Column<T> g(c.S, 1, T(1));
    for (int s = 0; s + 1 < c.S; ++s) {
      if ((signs >> static_cast<unsigned>(s) & 1U) != 0) g(s) = T(-1);
    }
    const Column<T> v = integrate(c, mu, g);
    if (!le(dot(v, v), T(c.d))) return false;
  }
  return true;
}

template <class T>
bool features_short(const Table<T>& phi) {
  for (int i = 0; i < phi.rows(); ++i) {
    const Table<T> f = row(phi, i);
    if (!le(dot(f, f), T(1))) return false;
  }
  return true;
}

template <class T>
bool normalised(const Case<T>& c, const Table<T>& x) {
  return le(l2_squared(action_sum(c, x), c.nu), T(c.d));
}

template <class T>
std::optional<std::string> mdp_broken(const Case<T>& c) {
  if (!positive(c.nu)) return "ν > 0";
  if (!surely_less(T(0), c.gamma) || !surely_less(c.gamma, T(1))) return "γ ∈ (0,1)";
  if (!distributions(kernel(c, c.phi, c.mu))) return "P(·|s,a) = ⟨φ,μ⟩ is a distribution";
  if (!distributions(transposed(c.rho))) return "ρ is a distribution";
  if (!distributions(c.pi) || !distributions(c.history)) return "policies are distributions";
  if (!distributions(c.behaviour) || !positive(c.behaviour)) return "π_b > 0 is a policy";
  if (!distributions(transposed(c.weights))) return "ρ₀ is a distribution";
  return std::nullopt;
}

template <class T>
std::optional<std::string> low_rank_broken(const Case<T>& c) {
  if (!features_short(c.phi)) return "‖φ(s,a)‖ ≤ 1";
  if (!le(dot(c.theta, c.theta), T(c.d))) return "‖θ_r‖ ≤ √d";
  if (!measure_norm_holds(c, c.mu)) return "‖∫μ g‖ ≤ √d for |g| ≤ 1";
  const Table<T> r = reward(c);
  for (int i = 0; i < r.size(); ++i) {
    if (!le(T(0), r(i)) || !le(r(i), T(1))) return "r ∈ [0,1]";
  }
  return std::nullopt;
}

template <class T>
std::optional<std::string> class_broken(const Case<T>& c, unsigned premises) {
  const int first_free = (premises & kDensities) != 0 ? c.F : 1;  // f = 0 is f*
  if (!positive(c.nu)) return "ν > 0";
  for (int i = 0; i < c.F * c.X; ++i) {
    T total = T(0);
    for (int y = 0; y < c.S; ++y) {
      const T& f = c.family(i, y);
      if (!le(abs(f), c.bound)) return "|f| ≤ C";
      if (i < first_free * c.X && !le(T(0), f)) return "f ≥ 0";
      total = total + f * c.nu(y);
    }
    if (i < first_free * c.X && !equal(total, T(1))) return "∑_y f(x,y) = 1";
  }
  return std::nullopt;
}

// The determinant of the rows and columns in the subset, by elimination; a zero pivot ends it.
template <class T>
T principal_minor(const Table<T>& G, unsigned subset) {
  std::vector<int> index;
  for (int i = 0; i < G.rows(); ++i) {
    if ((subset >> static_cast<unsigned>(i) & 1U) != 0) index.push_back(i);
  }
  const int k = static_cast<int>(index.size());
  Table<T> minor(k, k);
  for (int i = 0; i < k; ++i) {
    for (int j = 0; j < k; ++j) {
      minor(i, j) = G(index[static_cast<std::size_t>(i)], index[static_cast<std::size_t>(j)]);
    }
  }
  for (int c = 0; c < k; ++c) {
    if (to_double(minor(c, c)) == 0) return T(0);
  }
  return determinant(minor);
}
// All principal minors ≥ 0; with `strict` the leading ones > 0.
template <class T>
bool semidefinite(const Table<T>& G, bool strict) {
  const unsigned all = 1U << static_cast<unsigned>(G.rows());
  for (unsigned subset = 1; subset < all; ++subset) {
    const T det = principal_minor(G, subset);
    if (!le(T(0), det)) return false;
    const bool leading = (subset & (subset + 1)) == 0;
    if (strict && leading && !surely_less(T(0), det)) return false;
  }
  return true;
}

template <class T>
std::optional<std::string> matrices_broken(const Case<T>& c) {
  if (!surely_less(T(0), c.lambda)) return "λ > 0";
  for (int n = 0; n < c.H; ++n) {
    Table<T> G(c.d, c.d);
    for (int j = 0; j < c.d; ++j) {
      for (int k = 0; k < c.d; ++k) G(j, k) = c.matrices(n * c.d + j, k);
    }
    for (int j = 0; j < c.d; ++j) {
      for (int k = 0; k < j; ++k) {
        if (!equal(G(j, k), G(k, j))) return "G_n is symmetric";
      }
    }
    if (!semidefinite(G, true)) return "G_n is positive definite";
    if (!semidefinite(identity<T>(c.d, c.bound) - G, false)) return "‖G_n‖_op ≤ c";
  }
  return std::nullopt;
}

}  // namespace

template <class T>
std::optional<std::string> broken_premise(const Case<T>& c, unsigned premises) {
  const auto needs = [&](Premise p) { return (premises & p) != 0; };
  std::optional<std::string> broken;
  if (needs(kMeasureValid) && !positive(c.nu)) return "ν > 0";
  if (needs(kMdpValid) && (broken = mdp_broken(c))) return broken;
  if (needs(kLowRank) && (broken = low_rank_broken(c))) return broken;
  if (needs(kCandidate) && !distributions(kernel(c, c.phi_hat, c.mu_hat))) return "P̂ is a kernel";
  if (needs(kCandidateNorm)) {
    if (!features_short(c.phi_hat)) return "‖φ̂(s,a)‖ ≤ 1";
    if (!measure_norm_holds(c, c.mu_hat)) return "‖∫μ̂ g‖ ≤ √d for |g| ≤ 1";
  }
  if (needs(kReprNorm)) {
    if (!normalised(c, lengths(c.phi))) return "∫(∫‖φ*‖)² ≤ d";
    if (!normalised(c, lengths(c.phi_hat))) return "∫(∫‖φ̂‖)² ≤ d";
  }
  if (needs(kRewardNorm) && !normalised(c, reward(c))) return "∫(∫r)² ≤ d";
  if (needs(kRegularised) && (!surely_less(T(0), c.lambda) || !le(T(0), c.alpha))) {
    return "λ > 0, α ≥ 0";
  }
  if ((needs(kDensities) || needs(kBounded)) && (broken = class_broken(c, premises))) return broken;
  if (needs(kProcessValid) && !distributions(c.design)) return "the design is a distribution";
  if (needs(kPsd) && (broken = matrices_broken(c))) return broken;
  if (needs(kWalkValid)) {
    if (!features_short(c.phi)) return "‖φ‖ ≤ 1";
    if (!distributions(transposed(c.rho)) || !distributions(transposed(c.base)))
      return "the adversary's laws are distributions";
    if (!surely_less(T(0), c.delta) || !surely_less(c.delta, T(1))) return "δ ∈ (0,1)";
  }
  if (needs(kRatesValid)) {
    if (c.d < 1 || c.A < 1 || c.m < 1 || c.F < 1) return "d, |A|, n, |F| ≥ 1";
    for (const T& p : {c.gamma, c.delta}) {
      if (!surely_less(T(0), p) || !surely_less(p, T(1))) return "γ, δ ∈ (0,1)";
    }
  }
  return std::nullopt;
}

template std::optional<std::string> broken_premise(const Case<double>&, unsigned);
template std::optional<std::string> broken_premise(const Case<Exact>&, unsigned);

}  // namespace speder::audit

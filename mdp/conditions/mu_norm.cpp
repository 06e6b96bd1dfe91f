// sup_{|g| ≤ 1} |∑_s μ(s) g(s) ν(s)|₂: a convex function on a cube, so some sign pattern attains
// it. Exact when
//   · d = 1: ∑ |μ| ν;
//   · each column of μ has one sign: g = 1 maximises |∑ μ_k g ν| for all k at once;
//   · |S| is small: sign patterns enumerated.
// Otherwise bounds. With c_s = ν(s) μ(s) the square is max gᵀCCᵀg over signs. For weights w > 0,
//   |∑ g_s c_s|² ≤ λ_max(∑_s c_s c_sᵀ / w_s) · ∑_s w_s                    (Cauchy–Schwarz),
// and the best w gives the semidefinite bound, at most √(π/2) above the truth (Nesterov 1998). Its
// dual is max {(∑_s √(c_sᵀ Z c_s))² : Z ⪰ 0, tr Z = 1} with w_s = √(c_sᵀ Z c_s): a concave problem
// in d × d, climbed by Z ← Z½ A Z½ / tr, A = ∑ c cᵀ / w. Every step's bound is valid; the least is
// kept. Lower bound: sign ascent g_s ← sign⟨c_s, h⟩, h ← ∑ g_s c_s, which never decreases |h|.
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "speder/core/check.hpp"
#include "speder/core/eigen_instances.hpp"
#include "speder/core/rng.hpp"
#include "speder/core/tolerance.hpp"
#include "speder/mdp/conditions/conditions.hpp"

namespace speder {
namespace {

constexpr Index kEnumerated = 20;  // 2^19 patterns: milliseconds
constexpr int kDualSteps = 60;     // multiplicative steps; each costs one weighted Gram matrix
constexpr int kRandomStarts = 16;
constexpr int kAscentLimit = 200;  // sign-ascent steps; each strictly increases |h|

using Symmetric = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>;

bool one_sign_per_column(const Factor& mu) {
  Vector low = Vector::Zero(mu.cols());
  Vector high = Vector::Zero(mu.cols());
  const auto look = [&](Index k, double x) {
    low[k] = std::min(low[k], x);
    high[k] = std::max(high[k], x);
  };
  for (Index s = 0; s < mu.rows(); ++s) {
    if (mu.is_sparse()) {
      for (SparseMatrix::InnerIterator it(mu.sparse(), s); it; ++it) look(it.col(), it.value());
    } else {
      for (Index k = 0; k < mu.cols(); ++k) look(k, mu.dense()(s, k));
    }
  }
  return ((low.array() >= 0) || (high.array() <= 0)).all();
}

// ∑ g_s c_s after sign ascent from direction h.
Vector ascend(const Factor& mu, const Vector& nu, Vector h) {
  double norm = 0;
  for (int step = 0; step < kAscentLimit; ++step) {
    const Vector g = mu.times(h).unaryExpr([](double x) { return x < 0 ? -1.0 : 1.0; });
    h = mu.transpose_times(nu.cwiseProduct(g));
    if (h.norm() <= norm * (1 + tol::kSimplex)) break;
    norm = h.norm();
  }
  return h;
}

// The longest ∑ g_s c_s found.
Vector longest_sum(const Factor& mu, const Vector& nu) {
  const Index d = mu.cols();
  const Symmetric eigen(Eigen::MatrixXd(mu.gram(nu)));
  Vector best = ascend(mu, nu, mu.transpose_times(nu));
  const auto keep_longer = [&](Vector h) {
    if (h.norm() > best.norm()) best = std::move(h);
  };
  for (Index k = 0; k < std::min<Index>(d, kRandomStarts); ++k)
    keep_longer(ascend(mu, nu, eigen.eigenvectors().col(d - 1 - k)));
  const SeedTree starts(0);  // fixed: the report must not depend on anything but the MDP
  for (int i = 0; i < kRandomStarts; ++i) {
    Rng rng = starts.stream("mu_norm.start", static_cast<std::uint64_t>(i));
    keep_longer(ascend(mu, nu, unit_vector(d, rng)));
  }
  return best;
}

// √(c_sᵀ Z c_s) for every s, from a square root of Z.
Vector dual_weights(const Factor& mu, const Vector& nu, const Eigen::MatrixXd& root) {
  Vector squares = Vector::Zero(mu.rows());
  for (Index k = 0; k < root.cols(); ++k) squares += mu.times(root.col(k)).cwiseAbs2();
  return nu.cwiseProduct(squares.cwiseSqrt());
}

struct DualStep {
  double bound;       // λ_max(A) ∑ w, square root
  Eigen::MatrixXd A;  // ∑ c cᵀ / w
};

// Any positive weights are valid; the floor keeps states with c_sᵀ Z c_s = 0 among them.
DualStep dual_step(const Factor& mu, const Vector& nu, const Vector& weights) {
  const Vector w = weights.cwiseMax(tol::kUnit * weights.maxCoeff());
  Eigen::MatrixXd A = mu.gram(nu.cwiseAbs2().cwiseQuotient(w));
  const double top = Symmetric(A, Eigen::EigenvaluesOnly).eigenvalues().maxCoeff();
  return {std::sqrt(top * w.sum()), std::move(A)};
}

double upper_bound(const Factor& mu, const Vector& nu, const Vector& h) {
  const Index d = mu.cols();
  double best = dual_step(mu, nu, nu.cwiseProduct(mu.times(h.normalized()).cwiseAbs())).bound;
  Eigen::MatrixXd root = Eigen::MatrixXd::Identity(d, d) / std::sqrt(static_cast<double>(d));
  for (int step = 0; step < kDualSteps && best > h.norm() * (1 + tol::kSimplex); ++step) {
    const DualStep dual = dual_step(mu, nu, dual_weights(mu, nu, root));
    best = std::min(best, dual.bound);
    Eigen::MatrixXd Z = root * dual.A * root;
    Z /= Z.trace();
    const Symmetric eigen(Z);
    root = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal() *
           eigen.eigenvectors().transpose();
  }
  return best;
}

}  // namespace

double mu_norm_enumerated(const Factor& mu, const Vector& nu) {
  const Index S = mu.rows();
  require(S >= 1 && S <= 30, "sign patterns are enumerated for at most 30 states", S);
  Matrix c = mu.to_dense();
  for (Index s = 0; s < S; ++s) c.row(s) *= nu[s];
  Vector h = c.colwise().sum().transpose();
  Vector sign = Vector::Ones(S);
  double best = h.squaredNorm();
  // g and −g have the same norm: the last state keeps its sign.
  for (std::uint64_t i = 1; i < std::uint64_t{1} << (S - 1); ++i) {
    const Index s = __builtin_ctzll(i);  // the bit in which Gray codes i−1 and i differ
    sign[s] = -sign[s];
    h += 2 * sign[s] * c.row(s).transpose();
    best = std::max(best, h.squaredNorm());
  }
  return std::sqrt(best);
}

MuNorm mu_norm_bounds(const Factor& mu, const Vector& nu) {
  const Vector h = longest_sum(mu, nu);
  const double lower = h.norm();
  const double upper = std::max(lower, upper_bound(mu, nu, h));
  if (upper <= lower * (1 + tol::kSimplex)) return {lower, upper, "exact (bounds meet)"};
  return {lower, upper, fmt::format("bounds [{:.6g}, {:.6g}]", lower, upper)};
}

MuNorm mu_norm(const Factor& mu, const Vector& nu) {
  const auto exact = [](double value, std::string how) {
    return MuNorm{value, value, std::move(how)};
  };
  if (mu.smallest() >= 0) return exact(mu.transpose_times(nu).norm(), "exact (mu >= 0)");
  if (mu.cols() == 1) return exact(mu.to_dense().col(0).cwiseAbs().dot(nu), "exact (d = 1)");
  if (one_sign_per_column(mu))
    return exact(mu.transpose_times(nu).norm(), "exact (one sign per column of mu)");
  if (mu.cols() > kLargestGram)
    return exact(std::numeric_limits<double>::quiet_NaN(),
                 fmt::format("not computed: mu has both signs and d = {} exceeds {}", mu.cols(),
                             kLargestGram));
  if (mu.rows() <= kEnumerated) return exact(mu_norm_enumerated(mu, nu), "exact (enumeration)");
  return mu_norm_bounds(mu, nu);
}

}  // namespace speder

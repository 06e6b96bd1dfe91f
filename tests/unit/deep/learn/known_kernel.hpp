#pragma once

#include <Eigen/SVD>
#include <bit>
#include <numeric>

#include "speder/core/eigen_instances.hpp"
#include "speder/core/rng.hpp"
#include "speder/deep/learn/nn/torch.hpp"

namespace speder::deep {

/// A kernel P(s'|x) over pairs x with uniform ρ whose entries are multiples of 1/parts, so that one
/// batch with P's own multiplicities *is* the population: batch means are expectations.
struct KnownKernel {
  [[nodiscard]] Index pairs() const { return P.rows(); }
  [[nodiscard]] Index states() const { return P.cols(); }
  Matrix P;      // (pairs × states)
  Vector p;      // (states)  marginal of s'
  Matrix left;   // (pairs × states) left singular vectors, columns by size
  Vector sigma;  // of K = D_ρ^½ (P/p) D_p^½
  Tensor pair;   // (n) row → pair
  Tensor next;   // (n) row → s'
};

inline KnownKernel kernel_from(const Matrix& P, double parts) {
  KnownKernel k;
  k.P = P;
  k.p = P.colwise().mean().transpose();
  Matrix K = P / std::sqrt(static_cast<double>(k.pairs()));
  for (Index s = 0; s < k.states(); ++s) {
    K.col(s) *= k.p[s] > 0 ? 1 / std::sqrt(k.p[s]) : 0.0;
  }
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(K, Eigen::ComputeThinU);
  k.left = svd.matrixU();
  k.sigma = svd.singularValues();
  std::vector<std::int64_t> pair;
  std::vector<std::int64_t> next;
  for (Index i = 0; i < k.pairs(); ++i) {
    for (Index s = 0; s < k.states(); ++s) {
      const auto copies = static_cast<std::size_t>(std::lround(P(i, s) * parts));
      pair.insert(pair.end(), copies, i);
      next.insert(next.end(), copies, s);
    }
  }
  k.pair = at::tensor(pair, at::kLong);
  k.next = at::tensor(next, at::kLong);
  return k;
}

/// Row of a stochastic matrix with entries in {0, ¼, ½, ¾, 1}.
inline Vector quarters(Index n, Rng& rng) {
  Vector v = Vector::Zero(n);
  for (int k = 0; k < 4; ++k) v[rng.index(n)] += 0.25;
  return v;
}

/// Rank five, an uneven marginal p, entries multiples of 1/16: for identities.
inline KnownKernel mixed_kernel() {
  constexpr Index kRank = 5;
  constexpr Index kPairs = 16;
  constexpr Index kStates = 8;
  Rng rng = SeedTree(3).stream("known kernel");
  Matrix weights(kPairs, kRank);
  Matrix sources(kRank, kStates);
  for (Index i = 0; i < weights.rows(); ++i) weights.row(i) = quarters(kRank, rng).transpose();
  for (Index i = 0; i < kRank; ++i) {
    sources.row(i) = quarters(kStates, rng).transpose();
  }
  return kernel_from(weights * sources, 16);
}

/// P(s'|x) = (1 + ½ w₁(x)w₁(s') + ¼ w₂(x)w₂(s') + ¼ w₄(x)w₃(s'))/4 on eight pairs and four states with
/// Walsh functions w_k, which are ±1 and orthogonal under uniform measures: the singular values are
/// 1, ½, ¼, ¼ by construction and the left singular vectors are 1, w₁, …. Entries are eighths.
inline KnownKernel walsh_kernel() {
  const auto walsh = [](unsigned k, Index x) {
    return std::popcount(k & static_cast<unsigned>(x)) % 2 == 0 ? 1.0 : -1.0;
  };
  Matrix P(8, 4);
  for (Index x = 0; x < P.rows(); ++x) {
    for (Index s = 0; s < P.cols(); ++s) {
      P(x, s) = (1 + 0.5 * walsh(1, x) * walsh(1, s) + 0.25 * walsh(2, x) * walsh(2, s) +
                 0.25 * walsh(4, x) * walsh(3, s)) /
                4;
    }
  }
  return kernel_from(P, 8);
}

inline Tensor random_table(Index rows, Index columns, Rng& rng) {
  Tensor t = at::empty({rows, columns}, at::kDouble);
  for (Index i = 0; i < t.numel(); ++i) t.data_ptr<double>()[i] = 0.3 * rng.normal();
  return t;
}

inline Eigen::MatrixXd to_eigen(const Tensor& t) {
  const Tensor c = t.detach().to(at::kDouble).contiguous();
  return Eigen::Map<const Matrix>(c.data_ptr<double>(), c.size(0), c.size(1));
}

/// Largest principal angle between the column spans, in radians.
inline double principal_angle(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  const auto basis = [](const Eigen::MatrixXd& m) -> Eigen::MatrixXd {
    return Eigen::HouseholderQR<Eigen::MatrixXd>(m).householderQ() *
           Eigen::MatrixXd::Identity(m.rows(), m.cols());
  };
  const Eigen::MatrixXd qa = basis(a);
  const Eigen::MatrixXd residual =
      qa - basis(b) * (basis(b).transpose() * qa);  // sine of the angles
  return std::asin(std::min(1.0, Eigen::JacobiSVD<Eigen::MatrixXd>(residual).singularValues()[0]));
}

}  // namespace speder::deep

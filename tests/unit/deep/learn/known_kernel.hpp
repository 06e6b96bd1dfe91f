#pragma once

#include <Eigen/SVD>
#include <numeric>

#include "core/rng.hpp"
#include "deep/nn/torch.hpp"

namespace speder::deep {

/// A kernel P(s'|x) over n pairs x with uniform ρ whose entries are multiples of 1/16, so that one
/// batch with P's own multiplicities *is* the population: batch means are expectations.
struct KnownKernel {
  static constexpr Index kPairs = 16;
  static constexpr Index kStates = 8;
  static constexpr Index kRank = 5;
  static constexpr Index kParts = 16;  // rows of the population per pair
  Matrix P;                            // (pairs × states)
  Vector p;                            // (states)  marginal of s'
  Matrix left;                         // (pairs × states) left singular vectors, columns by size
  Vector sigma;                        // of K = D_ρ^½ (P/p) D_p^½
  Tensor pair;                         // (n) row → pair
  Tensor next;                         // (n) row → s'
};

/// Row of a stochastic matrix with entries in {0, ¼, ½, ¾, 1}.
inline Vector quarters(Index n, Rng& rng) {
  Vector v = Vector::Zero(n);
  for (int k = 0; k < 4; ++k) v[rng.index(n)] += 0.25;
  return v;
}

inline KnownKernel known_kernel() {
  Rng rng = SeedTree(3).stream("known kernel");
  KnownKernel k;
  Matrix weights(k.kPairs, k.kRank);
  Matrix sources(k.kRank, k.kStates);
  for (Index i = 0; i < k.kPairs; ++i) weights.row(i) = quarters(k.kRank, rng).transpose();
  for (Index i = 0; i < k.kRank; ++i) sources.row(i) = quarters(k.kStates, rng).transpose();
  k.P = weights * sources;
  k.p = k.P.colwise().mean().transpose();
  Matrix K = k.P / std::sqrt(static_cast<double>(k.kPairs));
  for (Index s = 0; s < k.kStates; ++s) {
    K.col(s) *= k.p[s] > 0 ? 1 / std::sqrt(k.p[s]) : 0.0;
  }
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(K, Eigen::ComputeThinU);
  k.left = svd.matrixU();
  k.sigma = svd.singularValues();
  std::vector<std::int64_t> pair;
  std::vector<std::int64_t> next;
  for (Index i = 0; i < k.kPairs; ++i) {
    for (Index s = 0; s < k.kStates; ++s) {
      const auto copies = static_cast<std::size_t>(std::lround(k.P(i, s) * k.kParts));
      pair.insert(pair.end(), copies, i);
      next.insert(next.end(), copies, s);
    }
  }
  k.pair = at::tensor(pair, at::kLong);
  k.next = at::tensor(next, at::kLong);
  return k;
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

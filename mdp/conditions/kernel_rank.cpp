// rank(P) from the factors. P = Φ Mᵀ on L²(ν): if ΦᵀΦ and MᵀNM are both certainly non-singular
// (least eigenvalue above the rounding of the Gram product), rank(P) = d exactly. Otherwise the
// singular values of R_Φ R_Mᵀ, with Φ = Q_Φ R_Φ and N½M = Q_M R_M, which are P's, decide at
// tol::kRank: QR keeps small singular values that Gram matrices square away.
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "speder/core/check.hpp"
#include "speder/core/eigen_instances.hpp"
#include "speder/core/tolerance.hpp"
#include "speder/mdp/conditions/conditions.hpp"

namespace speder {
namespace {

// Entries of FᵀF are sums of n products: each is off by at most n u times the sum of the absolute
// products, the matrix by d times the largest diagonal of that. Twice, for the eigenvalues.
bool certainly_regular(const Factor& factor, const Vector& weights) {
  const Eigen::MatrixXd G = factor.gram(weights);
  const double error = 2 * tol::kUnit * static_cast<double>(factor.rows()) * G.trace();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(G, Eigen::EigenvaluesOnly);
  return eigen.eigenvalues()[0] > error;
}

// R of the QR of a tall table, a slab of rows at a time: O(d²) memory beyond the slab.
template <class Row>
Eigen::MatrixXd triangle(Index rows, Index cols, const Row& row) {
  const Index slab = std::max<Index>(cols, 64);
  Eigen::MatrixXd stack = Eigen::MatrixXd::Zero(cols + slab, cols);
  for (Index start = 0; start < rows; start += slab) {
    stack.bottomRows(slab).setZero();
    for (Index i = start; i < std::min(start + slab, rows); ++i)
      stack.row(cols + i - start) = row(i).transpose();
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(stack);
    stack.topRows(cols) = qr.matrixQR().topRows(cols).template triangularView<Eigen::Upper>();
  }
  return stack.topRows(cols);
}

Index count_significant(const Eigen::MatrixXd& product) {
  const Vector sigma = Eigen::BDCSVD<Eigen::MatrixXd>(product).singularValues();
  return (sigma.array() > tol::kRank * sigma[0]).count();
}

}  // namespace

RankResult kernel_rank(const Kernel& kernel) {
  const Index d = kernel.rank();
  const Index S = kernel.states();
  const Vector& nu = kernel.nu();
  if (const Index n = std::min(d, S); n > kLargestGram)
    return {std::nullopt,
            fmt::format("not computed: needs {0} x {0} tables, the limit is {1} x {1}", n,
                        kLargestGram)};
  if (d > S) {  // rank(P) ≤ |S| < d: P itself is the smaller table; density times √ν
    const Eigen::MatrixXd R = triangle(kernel.pairs(), S, [&](Index i) -> Vector {
      return kernel.dense_row(i).cwiseQuotient(nu.cwiseSqrt());
    });
    return {count_significant(R), "singular values of P"};
  }
  if (d <= kernel.pairs() && certainly_regular(kernel.phi(), Vector::Ones(kernel.pairs())) &&
      certainly_regular(kernel.mu(), nu))
    return {d, "exact (both Gram matrices are regular)"};
  const Eigen::MatrixXd R_phi =
      triangle(kernel.pairs(), d, [&](Index i) -> Vector { return kernel.phi().row(i); });
  const Eigen::MatrixXd R_mu =
      triangle(S, d, [&](Index s) -> Vector { return std::sqrt(nu[s]) * kernel.mu().row(s); });
  return {count_significant(R_phi * R_mu.transpose()), "singular values of P, through the factors"};
}

}  // namespace speder

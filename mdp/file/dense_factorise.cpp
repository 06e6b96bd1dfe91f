#include <Eigen/QR>
#include <Eigen/SVD>
#include <cmath>

#include "speder/core/check.hpp"
#include "speder/core/eigen_instances.hpp"
#include "speder/core/tolerance.hpp"
#include "speder/mdp/file/dense.hpp"
#include "speder/mdp/model/kernel.hpp"

namespace speder {
namespace {

// Right singular vectors of a tall table, through its triangular factor.
struct RightSvd {
  Vector sigma;       // (S), decreasing
  Eigen::MatrixXd V;  // (S × S)
};

RightSvd right_svd(const Eigen::MatrixXd& table) {
  const Index n = table.cols();
  Eigen::MatrixXd R = table;
  if (table.rows() > n) {
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(table);
    R = qr.matrixQR().topRows(n).triangularView<Eigen::Upper>();
  }
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(R, Eigen::ComputeFullV);
  return {svd.singularValues(), svd.matrixV()};
}

Index numerical_rank(const Vector& sigma) {
  return (sigma.array() > tol::kRank * sigma[0]).count();
}

struct Factors {
  Matrix phi;  // (SA × k)
  Matrix mu;   // (S × k)
};

// max |φ| = 1: the least μ-norm among scalings that keep |φ| ≤ 1.
Factors scaled(Factors f) {
  const double c = f.phi.rowwise().norm().maxCoeff();
  f.phi /= c;
  f.mu *= c;
  return f;
}

// "" when the rows of ΦMᵀN are distributions, otherwise the worst offence.
std::string kernel_fault(const Matrix& P, Index actions) {
  Index row = 0;
  Index column = 0;
  const double least = P.minCoeff(&row, &column);
  if (least < -tol::kNonNegative)
    return fmt::format("P(s'={}|{}) = {:.6g}", column, pair_name(row, actions), least);
  const double off = (P.rowwise().sum().array() - 1).abs().maxCoeff(&row);
  if (off > tol::kSimplex)
    return fmt::format("row {} sums to {:.9g}", pair_name(row, actions), P.row(row).sum());
  return "";
}

// θ with ⟨φ, θ⟩ = r, or empty when there is none.
Vector fit_theta(const Matrix& phi, const Vector& reward) {
  const Eigen::MatrixXd table = phi;
  const Vector theta = table.completeOrthogonalDecomposition().solve(reward);
  return (phi * theta - reward).cwiseAbs().maxCoeff() <= tol::kLinearSolve ? theta : Vector();
}

// Φ = P̃V, M = N^{−½}V; exact by construction where V spans all of R^S.
Factors projected(const Matrix& weighted, const Vector& root_nu, const Eigen::MatrixXd& V) {
  return {.phi = weighted * V, .mu = root_nu.cwiseInverse().asDiagonal() * V};
}

// 1qᵀ + t R_{k−1} in factors (1, t R̃V), (q/ν, N^{−½}V).
struct Shrunk {
  Factors factors;
  double t = 1;
};
Shrunk shrunk_truncation(const Matrix& weighted, const Vector& root_nu, Index k) {
  const Eigen::RowVectorXd q = weighted.colwise().mean();  // q N^{−½}
  const Matrix rest = weighted.rowwise() - q;
  Eigen::MatrixXd V = right_svd(rest).V.leftCols(k - 1);
  for (Index s = 0; s < q.size(); ++s)
    if (q[s] == 0) V.row(s).setZero();  // never reached: zero but for the SVD's rounding
  const Matrix coefficients = rest * V;
  const Matrix part = coefficients * V.transpose();
  double t = 1;
  for (Index i = 0; i < part.rows(); ++i)
    for (Index s = 0; s < part.cols(); ++s)
      if (q[s] + t * part(i, s) < 0) t = q[s] / -part(i, s);
  Shrunk out{.factors = {.phi = Matrix(weighted.rows(), k), .mu = Matrix(weighted.cols(), k)},
             .t = t};
  out.factors.phi << Vector::Ones(weighted.rows()), t * coefficients;
  out.factors.mu << q.transpose(), V;
  out.factors.mu = root_nu.cwiseInverse().asDiagonal() * out.factors.mu;
  return out;
}

Factorised finish(const DenseMdp& dense, Factors factors) {
  Provenance provenance{
      .family = "file", .seed = 0, .knobs = {}, .reward_units = dense.reward_units};
  factors = scaled(std::move(factors));
  Vector theta = fit_theta(factors.phi, dense.reward);
  Kernel kernel(dense.actions(), std::move(factors.phi), std::move(factors.mu), dense.nu);
  return {.mdp = TabularMdp(std::move(kernel), {.table = dense.reward, .theta = std::move(theta)},
                            dense.rho, dense.gamma, std::move(provenance))};
}

}  // namespace

Factorised factorise(const DenseMdp& dense, const FactoriseOptions& options) {
  const Vector root_nu = dense.nu.cwiseSqrt();
  const Matrix weighted = dense.P * root_nu.cwiseInverse().asDiagonal();  // P̃ = P N^{−½}
  const RightSvd svd = right_svd(weighted);
  const Index rank = numerical_rank(svd.sigma);
  const Index k = options.rank == 0 ? rank : options.rank;
  if (k < 1 || k > rank)
    throw InputError(fmt::format("rank must lie in [1, {}], the rank of P, got {}", rank, k));
  const double best = svd.sigma.tail(svd.sigma.size() - k).norm();
  const bool full = k == svd.sigma.size();
  Factors factors = projected(
      weighted, root_nu,
      full ? Eigen::MatrixXd(Eigen::MatrixXd::Identity(k, k)) : Eigen::MatrixXd(svd.V.leftCols(k)));
  const auto probabilities = [&](const Factors& f) -> Matrix {
    return (f.phi * f.mu.transpose()) * dense.nu.asDiagonal();
  };
  double t = 1;
  const std::string fault = kernel_fault(probabilities(factors), dense.actions());
  if (!fault.empty() && !options.shrink) {
    throw InputError(fmt::format(
        "the best rank-{} operator (error {:.6g} in L2(nu), rank of P {}) is no kernel: {}; "
        "--shrink makes one of rank {}",
        k, best, rank, fault, k));
  }
  if (!fault.empty()) {
    Shrunk shrunk = shrunk_truncation(weighted, root_nu, k);
    factors = std::move(shrunk.factors);
    t = shrunk.t;
  }
  Factorised out = finish(dense, std::move(factors));
  out.true_rank = rank;
  out.best_error = best;
  out.shrink = t;
  out.error = ((out.mdp.kernel().dense() - dense.P) * root_nu.cwiseInverse().asDiagonal()).norm();
  return out;
}

}  // namespace speder

#include "speder/oracle/linear_fit.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "speder/core/check.hpp"
#include "speder/core/eigen_instances.hpp"
#include "speder/core/tolerance.hpp"

namespace speder {
namespace {

struct Norms {
  double l2 = 0;
  double sup = 0;
  double spread = 0;  // ‖y − ȳ‖
};

Norms norms(const Vector& y, const Vector& weights) {
  Norms n{std::sqrt(weights.dot(y.cwiseAbs2())), 0, 0};
  for (Index i = 0; i < y.size(); ++i)
    if (weights[i] > 0) n.sup = std::max(n.sup, std::abs(y[i]));
  const double mean = weights.sum() > 0 ? weights.dot(y) / weights.sum() : 0.0;
  n.spread = std::sqrt(weights.dot((y.array() - mean).square().matrix()));
  return n;
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0.0; }

LinearFit summary(Vector coefficients, const Norms& left, const Norms& whole) {
  const bool constant = whole.spread <= tol::kLinearSolve * whole.l2;
  return {std::move(coefficients),
          left.l2,
          left.sup,
          ratio(left.l2, whole.l2),
          ratio(left.sup, whole.sup),
          ratio(left.l2, constant ? whole.l2 : whole.spread)};
}

Vector solve(const Vector& target, const Matrix& basis, const Vector& root) {
  if (basis.cols() == 0) return Vector(0);
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(root.asDiagonal() * basis);
  qr.setThreshold(tol::kRank);
  return qr.solve(root.cwiseProduct(target));
}

void require_shapes(const Vector& target, Index rows, const Vector& weights) {
  require(target.size() == rows, "linear fit: one target value per row of the basis",
          target.size());
  require(weights.size() == target.size(), "linear fit: one weight per value", weights.size());
  require(weights.allFinite() && weights.minCoeff() >= 0,
          "linear fit: weights must be non-negative");
}

}  // namespace

LinearFit best_linear_fit(const Vector& target, const Matrix& basis, const Vector& weights) {
  require_shapes(target, basis.rows(), weights);
  Vector c = solve(target, basis, weights.cwiseSqrt());
  const Vector left = target - basis * c;
  return summary(std::move(c), norms(left, weights), norms(target, weights));
}

LinearFit best_lifted_fit(const Vector& target, const Matrix& state_basis,
                          const Vector& pair_weights) {
  const Index S = state_basis.rows();
  require(S >= 1 && target.size() % S == 0, "lifted fit: the target must have |S||A| values",
          target.size());
  const Index A = target.size() / S;
  require_shapes(target, S * A, pair_weights);
  const Index k = state_basis.cols();
  Vector c(A * k);
  Vector left(target.size());
  for (Index a = 0; a < A; ++a) {
    const auto at_action = Eigen::seqN(a, S, A);
    const Vector y = target(at_action);
    const Vector w = pair_weights(at_action);
    c.segment(a * k, k) = solve(y, state_basis, w.cwiseSqrt());
    left(at_action) = y - state_basis * c.segment(a * k, k);
  }
  return summary(std::move(c), norms(left, pair_weights), norms(target, pair_weights));
}

}  // namespace speder

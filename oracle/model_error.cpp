#include "speder/oracle/model_error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "speder/core/check.hpp"
#include "speder/core/tolerance.hpp"
#include "speder/oracle/weighted_triangle.hpp"

namespace speder {
namespace {

void require_same_space(const Kernel& truth, const Kernel& model, const Vector& weights) {
  require(truth.states() == model.states() && truth.actions() == model.actions(),
          "model error: both kernels need the same states and actions", model.states());
  require(truth.nu() == model.nu(), "model error: both kernels need the same base measure");
  require(weights.size() == truth.pairs(), "model error: one weight per pair", weights.size());
  require(weights.allFinite() && weights.minCoeff() >= 0,
          "model error: weights must be non-negative");
}

// Non-negative factors give exact zeros; with signed ones a zero is known up to cancellation.
double zero_level(const Kernel& kernel) {
  return kernel.phi().smallest() >= 0 && kernel.mu().smallest() >= 0 ? 0.0 : tol::kNonNegative;
}

// KL(p ‖ q) of two probability rows; entries at most `zero` count as zero.
double divergence(const Vector& p, const Vector& q, double zero) {
  double sum = 0;
  for (Index i = 0; i < p.size(); ++i) {
    if (p[i] <= zero) continue;
    if (q[i] <= zero) return std::numeric_limits<double>::infinity();
    sum += p[i] * std::log(p[i] / q[i]);
  }
  return std::max(sum, 0.0);
}

}  // namespace

double l2_error_squared(const Kernel& truth, const Kernel& model, const Vector& weights) {
  require_same_space(truth, model, weights);
  const Matrix R1 = weighted_triangle(truth.phi(), model.phi(), weights);  // [Φ, −Φ̂]
  const Index d = truth.rank();
  Matrix R2 = weighted_triangle(truth.mu(), model.mu(), truth.nu());  // [M, −M̂]
  R2.rightCols(R2.cols() - d) *= -1;                                  // [M, M̂]
  return (R1 * R2.transpose()).squaredNorm();
}

RowErrors row_errors(const Kernel& truth, const Kernel& model, const Vector& weights) {
  require_same_space(truth, model, weights);
  const double zero = std::max(zero_level(truth), zero_level(model));
  RowErrors out;
  for (Index pair = 0; pair < truth.pairs(); ++pair) {
    const double w = weights[pair];
    if (w == 0) continue;
    const Vector p = truth.dense_row(pair);  // probabilities P ν
    const Vector q = model.dense_row(pair);
    const double l1 = (p - q).cwiseAbs().sum();
    out.l1 += w * l1;
    out.l1_squared += w * l1 * l1;
    out.l2_squared += w * (p - q).cwiseAbs2().cwiseQuotient(truth.nu()).sum();
    out.kl += w * divergence(p, q, zero);
    out.largest_l1 = std::max(out.largest_l1, l1);
  }
  return out;
}

}  // namespace speder

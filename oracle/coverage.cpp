#include "speder/oracle/coverage.hpp"

#include <Eigen/SVD>
#include <algorithm>
#include <limits>

#include "speder/core/check.hpp"
#include "speder/core/eigen_instances.hpp"
#include "speder/core/tolerance.hpp"
#include "speder/oracle/weighted_triangle.hpp"

namespace speder {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Index kLargestRank = 2048;  // d × d dense work above this takes minutes

using ColumnMatrix = Eigen::MatrixXd;
using Svd = Eigen::BDCSVD<ColumnMatrix>;

Index rank_of(const Vector& sigma) {
  return sigma.size() == 0 || sigma[0] == 0 ? 0 : (sigma.array() > tol::kRank * sigma[0]).count();
}

bool one_hot(const Factor& phi) {
  if (!phi.is_sparse()) return false;
  const SparseMatrix& t = phi.sparse();
  for (Index i = 0; i < t.rows(); ++i)
    if (t.outerIndexPtr()[i + 1] - t.outerIndexPtr()[i] > 1) return false;
  return true;
}

// At most one feature a row: both forms are diagonal and the supremum is the largest ratio.
RelativeCondition diagonal(const Factor& phi, const Vector& target, const Vector& behaviour) {
  const Index d = phi.cols();
  Vector A = Vector::Zero(d);
  Vector B = Vector::Zero(d);
  for (Index i = 0; i < phi.rows(); ++i) {
    for (SparseMatrix::InnerIterator it(phi.sparse(), i); it; ++it) {
      A[it.col()] += target[i] * it.value() * it.value();
      B[it.col()] += behaviour[i] * it.value() * it.value();
    }
  }
  RelativeCondition out;
  Index best = 0;
  for (Index k = 0; k < d; ++k) {
    out.target_rank += A[k] > 0 ? 1 : 0;
    out.behaviour_rank += B[k] > 0 ? 1 : 0;
    if (A[k] <= 0) continue;
    const double ratio = B[k] > 0 ? A[k] / B[k] : kInfinity;
    if (ratio <= out.value) continue;
    out.value = ratio;
    best = k;
  }
  out.direction = Vector::Unit(d, best);
  return out;
}

void require_mass(const Vector& mass, Index rows, const char* name) {
  require(mass.size() == rows, fmt::format("{}: one entry per pair", name), mass.size());
  require(mass.allFinite() && mass.minCoeff() >= 0, fmt::format("{} must be non-negative", name),
          mass.minCoeff());
}

}  // namespace

RelativeCondition relative_condition(const Factor& phi, const Vector& target_mass,
                                     const Vector& behaviour_mass) {
  require_mass(target_mass, phi.rows(), "target occupancy");
  require_mass(behaviour_mass, phi.rows(), "behaviour occupancy");
  if (one_hot(phi)) return diagonal(phi, target_mass, behaviour_mass);
  require(phi.cols() <= kLargestRank, "relative condition number: rank d is too large", phi.cols());
  const ColumnMatrix R_A = weighted_triangle(phi, target_mass);  // ‖R_A x‖² = xᵀE_{d^π}[φφᵀ]x
  const ColumnMatrix R_B = weighted_triangle(phi, behaviour_mass);  // ‖R_B x‖² = xᵀE_{ρ_b}[φφᵀ]x
  const Svd B(R_B, Eigen::ComputeFullV);
  const Vector sigma_A = Svd(R_A).singularValues();
  RelativeCondition out;
  out.target_rank = rank_of(sigma_A);
  out.behaviour_rank = rank_of(B.singularValues());
  const Index rank = out.behaviour_rank;
  const Index null = phi.cols() - rank;
  if (null > 0) {  // does d^π go where ρ_b never does?
    const ColumnMatrix N = B.matrixV().rightCols(null);
    const Svd outside(ColumnMatrix(R_A * N), Eigen::ComputeThinV);
    if (outside.singularValues()[0] > tol::kRank * sigma_A[0]) {
      out.value = kInfinity;
      out.direction = N * outside.matrixV().col(0);
      return out;
    }
  }
  if (rank == 0) {
    out.direction = Vector::Unit(phi.cols(), 0);
    return out;  // both forms vanish everywhere
  }
  // x = V S⁻¹ z:  ‖R_A x‖² / ‖R_B x‖² = ‖R_A V S⁻¹ z‖² / ‖z‖².
  const ColumnMatrix T =
      B.matrixV().leftCols(rank) * B.singularValues().head(rank).cwiseInverse().asDiagonal();
  const Svd ratio(ColumnMatrix(R_A * T), Eigen::ComputeThinV);
  out.value = ratio.singularValues()[0] * ratio.singularValues()[0];
  out.direction = (T * ratio.matrixV().col(0)).normalized();
  return out;
}

BehaviourConcentration behaviour_concentration(const Policy& behaviour, const Vector& state_mass) {
  require(state_mass.size() == 0 || state_mass.size() == behaviour.states(),
          "behaviour concentration: one mass per state", state_mass.size());
  double least = 1;
  double most = 0;
  for (Index s = 0; s < behaviour.states(); ++s) {
    if (state_mass.size() > 0 && state_mass[s] <= 0) continue;
    for (Index a = 0; a < behaviour.actions(); ++a) {
      least = std::min(least, behaviour.probability(s, a));
      most = std::max(most, behaviour.probability(s, a));
    }
  }
  return {least > 0 ? 1 / least : kInfinity, most > 0 ? 1 / most : kInfinity, most};
}

}  // namespace speder

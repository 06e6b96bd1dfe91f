#include "speder/oracle/representations.hpp"

#include <algorithm>

#include "speder/core/check.hpp"
#include "speder/core/spectral.hpp"
#include "speder/core/tolerance.hpp"

namespace speder {
namespace {

void require_positive(const Vector& weights, Index states) {
  require(weights.size() == states, "representation: one weight per state", weights.size());
  require(weights.allFinite() && weights.minCoeff() > 0,
          "representation: state weights must be positive", weights.minCoeff());
}

// Left functions of X on L₂(w): f_i = u_i / √w for the triplets of √w X √w⁻¹.
Matrix left_functions_on(const Vector& weights, const LinearOperator& X, Index k) {
  require_positive(weights, X.rows);
  const Vector root = weights.cwiseSqrt();
  const LinearOperator similar{
      X.rows, X.cols,
      [&](const Vector& x) -> Vector { return root.cwiseProduct(X.times(x.cwiseQuotient(root))); },
      [&](const Vector& y) -> Vector {
        return X.transpose_times(root.cwiseProduct(y)).cwiseQuotient(root);
      }};
  const SvdResult r = svd(similar, k);
  if (r.termination != Termination::kConverged)
    throw std::runtime_error("representation: the Lanczos iteration did not converge");
  const auto live = (r.singular_values.array() > tol::kRank * r.singular_values[0]).count();
  return root.cwiseInverse().asDiagonal() * r.left.leftCols(live);
}

}  // namespace

Matrix successor_features(const StateDynamics& dynamics, double gamma, const Vector& weights,
                          Index k) {
  const Resolvent Psi(dynamics, gamma);
  const Index n = dynamics.states();
  return left_functions_on(weights,
                           {n, n, [&](const Vector& x) { return Psi.times(x); },
                            [&](const Vector& y) { return Psi.transpose_times(y); }},
                           k);
}

Matrix proto_value_functions(const StateDynamics& dynamics, const Vector& weights, Index k) {
  require_positive(weights, dynamics.states());
  const Index n = dynamics.states();
  const auto times = [&](const Vector& x) -> Vector {
    return weights.cwiseProduct(dynamics.times(x)) +
           dynamics.transpose_times(weights.cwiseProduct(x));
  };
  const EigenResult r = largest_eigenpairs({n, n, times, times}, k);
  if (r.termination != Termination::kConverged)
    throw std::runtime_error("proto-value functions: the Lanczos iteration did not converge");
  return r.vectors;
}

Matrix krylov_basis(const StateDynamics& dynamics, const Vector& state_reward,
                    const Vector& weights, const KrylovOptions& options) {
  require_positive(weights, dynamics.states());
  require(options.k >= 1 && options.first_power >= 0, "Krylov: k ≥ 1 and a power ≥ 0", options.k);
  require(state_reward.size() == dynamics.states(), "Krylov: one reward per state",
          state_reward.size());
  Vector x = state_reward;
  for (int i = 0; i < options.first_power; ++i) x = dynamics.times(x);
  Matrix basis(dynamics.states(), std::min(options.k, dynamics.states()));
  Index found = 0;
  for (; found < basis.cols(); ++found) {
    const double before = std::sqrt(weights.dot(x.cwiseAbs2()));
    for (int pass = 0; pass < 2; ++pass) {  // Gram–Schmidt twice is enough (Kahan–Parlett)
      const Vector c = basis.leftCols(found).transpose() * weights.cwiseProduct(x);
      x -= basis.leftCols(found) * c;
    }
    const double norm = std::sqrt(weights.dot(x.cwiseAbs2()));
    if (norm <= tol::kRank * before || norm == 0) break;
    basis.col(found) = x / norm;
    x = dynamics.times(basis.col(found));
  }
  return basis.leftCols(found);
}

Matrix spectral_aggregation(const StateDynamics& dynamics, const Vector& weights, Index k) {
  const Index n = dynamics.states();
  return left_functions_on(weights,
                           {n, n, [&](const Vector& x) { return dynamics.times(x); },
                            [&](const Vector& y) { return dynamics.transpose_times(y); }},
                           k);
}

std::string_view to_string(StateRepresentation kind) {
  switch (kind) {
    case StateRepresentation::kSuccessor:
      return "successor features";
    case StateRepresentation::kProtoValue:
      return "proto-value functions";
    case StateRepresentation::kKrylov:
      return "Krylov basis";
    case StateRepresentation::kAggregation:
      return "spectral state-aggregation";
  }
  return "unknown";
}

Matrix state_representation(StateRepresentation kind, const TabularMdp& mdp, const Policy& policy,
                            const Vector& weights, Index k) {
  const StateDynamics dynamics(mdp.kernel(), policy);
  switch (kind) {
    case StateRepresentation::kSuccessor:
      return successor_features(dynamics, mdp.gamma(), weights, k);
    case StateRepresentation::kProtoValue:
      return proto_value_functions(dynamics, weights, k);
    case StateRepresentation::kKrylov:
      return krylov_basis(dynamics, policy.average(mdp.reward()), weights, {.k = k});
    case StateRepresentation::kAggregation:
      return spectral_aggregation(dynamics, weights, k);
  }
  throw std::invalid_argument("unknown state representation");
}

}  // namespace speder

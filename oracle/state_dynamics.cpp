#include "speder/oracle/state_dynamics.hpp"

#include <vector>

#include "speder/core/check.hpp"

namespace speder {
namespace {

Factor average_features(const Kernel& kernel, const Policy& policy) {
  require(policy.states() == kernel.states() && policy.actions() == kernel.actions(),
          "the policy and the kernel must have the same states and actions", policy.states());
  std::vector<Eigen::Triplet<double, std::int32_t>> entries;
  for (Index s = 0; s < kernel.states(); ++s) {
    for (Index a = 0; a < kernel.actions(); ++a) {
      const double p = policy.probability(s, a);
      if (p == 0) continue;
      entries.emplace_back(static_cast<std::int32_t>(s),
                           static_cast<std::int32_t>(pair_index(s, a, kernel.actions())), p);
    }
  }
  SparseMatrix Pi(kernel.states(), kernel.pairs());  // π(a|s) at row s, column (s,a)
  Pi.setFromTriplets(entries.begin(), entries.end());
  if (kernel.phi().is_sparse()) return SparseMatrix(Pi * kernel.phi().sparse());
  return Matrix(Pi * kernel.phi().dense());
}

// I − γ (νM)ᵀ Φ^π when d < |S|, I − γ P^π otherwise.
Eigen::MatrixXd system(const StateDynamics& dynamics, double gamma, bool factored) {
  const Index n = factored ? dynamics.rank() : dynamics.states();
  require(n <= Resolvent::kLargest, "(I - gamma P)^-1: the smaller of d and |S| is too large", n);
  if (!factored) return Eigen::MatrixXd::Identity(n, n) - gamma * dynamics.dense();
  const Factor& A = dynamics.averaged_features();
  Eigen::MatrixXd core(n, n);
  for (Index k = 0; k < n; ++k)
    core.col(k) = dynamics.kernel().project(A.times(Vector::Unit(n, k)));
  return Eigen::MatrixXd::Identity(n, n) - gamma * core;
}

}  // namespace

StateDynamics::StateDynamics(const Kernel& kernel, const Policy& policy)
    : kernel_(&kernel), phi_pi_(average_features(kernel, policy)) {}

Matrix StateDynamics::dense() const {
  Matrix P(states(), states());
  for (Index s = 0; s < states(); ++s)
    P.row(s) = kernel_->mu().times(phi_pi_.row(s)).cwiseProduct(kernel_->nu()).transpose();
  return P;
}

Resolvent::Resolvent(const StateDynamics& dynamics, double gamma)
    : dynamics_(&dynamics),
      gamma_(gamma),
      factored_(dynamics.rank() < dynamics.states()),
      lu_(system(dynamics, gamma, factored_)) {
  require(0 < gamma && gamma < 1, "discount must lie in (0,1)", gamma);
}

// With P^π = A Bᵀ, A = Φ^π, B = νM:  (I − γABᵀ)⁻¹ = I + γ A (I − γBᵀA)⁻¹ Bᵀ   (Woodbury).
Vector Resolvent::solve(const Vector& f) const {
  if (!factored_) return lu_.solve(f);
  const Vector core = lu_.solve(dynamics_->kernel().project(f));
  return f + gamma_ * dynamics_->averaged_features().times(core);
}

Vector Resolvent::transpose_solve(const Vector& d) const {
  if (!factored_) return lu_.transpose().solve(d);
  const Kernel& kernel = dynamics_->kernel();
  const Vector core = lu_.transpose().solve(dynamics_->averaged_features().transpose_times(d));
  return d + gamma_ * kernel.nu().cwiseProduct(kernel.mu().times(core));
}

// One step of iterative refinement: the factors may be badly scaled even when P^π is not.
Vector Resolvent::times(const Vector& f) const {
  const Vector x = solve(f);
  return x + solve(f - x + gamma_ * dynamics_->times(x));
}

Vector Resolvent::transpose_times(const Vector& d) const {
  const Vector x = transpose_solve(d);
  return x + transpose_solve(d - x + gamma_ * dynamics_->transpose_times(x));
}

}  // namespace speder

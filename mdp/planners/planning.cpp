#include "speder/mdp/planners/planning.hpp"

#include "speder/core/eigen_instances.hpp"
#include "speder/mdp/planners/dense_planner.hpp"
#include "speder/mdp/planners/factored_planner.hpp"
#include "speder/mdp/planners/sparse_planner.hpp"
#include "speder/mdp/planners/value_iteration.hpp"

namespace speder {
namespace {

// A dense table as it is; of a sparse one a copy, which the caller keeps.
Eigen::Map<const Matrix> dense_table(const Factor& factor, Matrix& kept) {
  if (!factor.is_sparse()) return factor.dense();
  kept = factor.to_dense();
  return {kept.data(), kept.rows(), kept.cols()};
}

PlanResult plan_factored(const PlanProblem& problem, const PlanOptions& options) {
  const Kernel& kernel = problem.kernel;
  Matrix Phi_copy, Mu_copy;
  FactoredPlanner planner(kernel.states(), kernel.actions(), kernel.rank());
  planner.start_greedy(problem.reward);
  planner.plan({.Phi = dense_table(kernel.phi(), Phi_copy),
                .Mu = dense_table(kernel.mu(), Mu_copy),
                .nu = kernel.nu(),
                .reward = problem.reward,
                .gamma = problem.gamma},
               options);
  return planner.take();
}

// Φ_π(s) = ∑_a π(a|s) φ(s,a).                                                (S × d)
Matrix policy_features(const Kernel& kernel, const Policy& policy) {
  Matrix out = Matrix::Zero(kernel.states(), kernel.rank());
  for (Index s = 0; s < kernel.states(); ++s) {
    for (Index a = 0; a < kernel.actions(); ++a) {
      const double p = policy.probability(s, a);
      if (p != 0)
        out.row(s) += p * kernel.phi().row(pair_index(s, a, kernel.actions())).transpose();
    }
  }
  return out;
}

// P_π(s'|s) as probabilities.                                                (S × S)
SparseMatrix policy_kernel(const Kernel& kernel, const Policy& policy) {
  SparseMatrix Pi(kernel.states(), kernel.pairs());
  Pi.reserve(Eigen::VectorXi::Constant(kernel.states(), static_cast<int>(kernel.actions())));
  for (Index s = 0; s < kernel.states(); ++s) {
    for (Index a = 0; a < kernel.actions(); ++a) {
      const double p = policy.probability(s, a);
      if (p != 0) Pi.insert(s, pair_index(s, a, kernel.actions())) = p;
    }
  }
  return Pi * kernel.sparse();
}

void require_match(const PlanProblem& problem, const Policy& policy) {
  require(
      policy.states() == problem.kernel.states() && policy.actions() == problem.kernel.actions(),
      "the policy must have the MDP's states and actions", policy.states());
}

}  // namespace

std::string_view to_string(PlanMethod method) {
  switch (method) {
    case PlanMethod::kAuto:
      return "auto";
    case PlanMethod::kFactored:
      return "pi";
    case PlanMethod::kSparse:
      return "sparse";
    case PlanMethod::kValue:
      return "vi";
    case PlanMethod::kDense:
      return "dense";
  }
  return "unknown";
}

PlanMethod choose_method(const Kernel& kernel) {
  const double d = static_cast<double>(kernel.rank());
  const double S = static_cast<double>(kernel.states());
  const double A = static_cast<double>(kernel.actions());
  // Multiply-adds of one policy-iteration step: a pass over Φ, K_π and its LU; a sweep over P and
  // some ten products with P_π.
  const double factored = S * A * d + S * d * d + d * d * d / 3;
  const double sparse = static_cast<double>(kernel.sparse_bound()) * (1 + 20 / A);
  return sparse < factored ? PlanMethod::kSparse : PlanMethod::kFactored;
}

PlanResult plan(const PlanProblem& problem, const PlanOptions& options) {
  require(0 < problem.gamma && problem.gamma < 1, "discount must lie in (0,1)", problem.gamma);
  require(problem.reward.size() == problem.kernel.pairs(), "reward must have |S||A| entries",
          problem.reward.size());
  require(problem.reward.allFinite(), "reward must be finite");
  require(options.residual > 0, "the residual to reach must be positive", options.residual);
  const PlanMethod method =
      options.method == PlanMethod::kAuto ? choose_method(problem.kernel) : options.method;
  switch (method) {
    case PlanMethod::kSparse:
      return plan_sparse(problem, options);
    case PlanMethod::kValue:
      return plan_value(problem, options);
    case PlanMethod::kDense:
      return plan_dense(problem, options);
    default:
      return plan_factored(problem, options);
  }
}

Evaluation evaluate(const PlanProblem& problem, const Policy& policy, PlanMethod method) {
  require_match(problem, policy);
  const Kernel& kernel = problem.kernel;
  if (method == PlanMethod::kAuto) method = choose_method(kernel);
  const Index S = kernel.states();
  const double gamma = problem.gamma;
  const Vector r = policy.average(problem.reward);
  Evaluation out;
  if (method == PlanMethod::kSparse) {
    out.value = solve_discounted(policy_kernel(kernel, policy), gamma, r, false);
  } else if (method == PlanMethod::kDense) {
    const Matrix P_pi = policy_features(kernel, policy) * kernel.mu().to_dense().transpose() *
                        kernel.nu().asDiagonal();
    out.value = (Matrix::Identity(S, S) - gamma * P_pi).partialPivLu().solve(r);
  } else {
    // (I − γ K_π) w = Mᵀ(ν ∘ r_π),  V = r_π + γ Φ_π w
    const Matrix Phi_pi = policy_features(kernel, policy);
    const Matrix K = kernel.mu().to_dense().transpose() * kernel.nu().asDiagonal() * Phi_pi;
    const Matrix system = Matrix::Identity(K.rows(), K.cols()) - gamma * K;
    out.value = r + gamma * (Phi_pi * system.partialPivLu().solve(kernel.project(r)));
  }
  out.q = problem.reward + gamma * kernel.expectation(out.value);
  out.residual = (policy.average(out.q) - out.value).cwiseAbs().maxCoeff();
  return out;
}

Visitation visitation(const PlanProblem& problem, const Vector& rho, const Policy& policy,
                      PlanMethod method) {
  require_match(problem, policy);
  const Kernel& kernel = problem.kernel;
  require(rho.size() == kernel.states(), "rho must have |S| entries", rho.size());
  if (method == PlanMethod::kAuto) method = choose_method(kernel);
  const Index S = kernel.states();
  const double gamma = problem.gamma;
  Visitation out;
  const auto backed_up = [&](const Vector& mass) -> Vector {  // (1−γ)ρ + γ P_πᵀ d
    const Vector x = kernel.phi().transpose_times(policy.joint(mass));
    return (1 - gamma) * rho + gamma * kernel.nu().cwiseProduct(kernel.mu().times(x));
  };
  if (method == PlanMethod::kSparse) {
    out.mass = solve_discounted(policy_kernel(kernel, policy), gamma, (1 - gamma) * rho, true);
  } else if (method == PlanMethod::kDense) {
    const Matrix P_pi = policy_features(kernel, policy) * kernel.mu().to_dense().transpose() *
                        kernel.nu().asDiagonal();
    const Matrix system = Matrix::Identity(S, S) - gamma * P_pi.transpose();
    out.mass = system.partialPivLu().solve((1 - gamma) * rho);
  } else {
    // x = Φ_πᵀ d solves (I − γ K_πᵀ) x = (1−γ) Φ_πᵀ ρ;  d = (1−γ)ρ + γ ν ∘ (M x)
    const Matrix Phi_pi = policy_features(kernel, policy);
    const Matrix K = kernel.mu().to_dense().transpose() * kernel.nu().asDiagonal() * Phi_pi;
    const Matrix system = Matrix::Identity(K.rows(), K.cols()) - gamma * K.transpose();
    const Vector x = system.partialPivLu().solve((1 - gamma) * (Phi_pi.transpose() * rho));
    out.mass = (1 - gamma) * rho + gamma * kernel.nu().cwiseProduct(kernel.mu().times(x));
  }
  out.residual = (backed_up(out.mass) - out.mass).lpNorm<1>();
  return out;
}

}  // namespace speder

#include "speder/mdp/planners/dense_planner.hpp"

#include <algorithm>

#include "speder/core/eigen_instances.hpp"
#include "speder/mdp/model/rounding.hpp"

namespace speder {

PlanResult plan_dense(const PlanProblem& problem, const PlanOptions& options) {
  const Index S = problem.kernel.states();
  const Index A = problem.kernel.actions();
  const Matrix P = problem.kernel.dense();  // (SA × S)
  PlanResult result;
  result.method = PlanMethod::kDense;
  result.policy.assign(static_cast<std::size_t>(S), 0);
  Eigen::MatrixXd I_minus(S, S);
  Vector r(S);
  while (result.iterations < options.max_iterations) {
    ++result.iterations;
    for (Index s = 0; s < S; ++s) {
      const Index pair = pair_index(s, result.policy[static_cast<std::size_t>(s)], A);
      I_minus.row(s) = -problem.gamma * P.row(pair);
      r[s] = problem.reward[pair];
    }
    I_minus.diagonal().array() += 1;
    result.value = I_minus.partialPivLu().solve(r);  // V_π = (I − γ P_π)⁻¹ r_π
    result.q = problem.reward + problem.gamma * (P * result.value);
    double advantage = 0;
    result.residual = 0;
    for (Index s = 0; s < S; ++s) {
      auto& choice = result.policy[static_cast<std::size_t>(s)];
      Index best = 0;
      const double best_q = result.q.segment(s * A, A).maxCoeff(&best);
      result.residual = std::max(result.residual, std::abs(best_q - result.value[s]));
      const double gain = best_q - result.q[pair_index(s, choice, A)];
      if (gain <= 0) continue;
      advantage = std::max(advantage, gain);
      choice = static_cast<std::int32_t>(best);
    }
    if (advantage <= attainable(options.residual, result.value)) break;
  }
  for (Index s = 0; s < S; ++s) {
    Index best = 0;
    result.q.segment(s * A, A).maxCoeff(&best);
    result.policy[static_cast<std::size_t>(s)] = static_cast<std::int32_t>(best);
  }
  if (result.residual <= attainable(options.residual, result.value)) {
    result.termination = Termination::kConverged;
  }
  return result;
}

}  // namespace speder

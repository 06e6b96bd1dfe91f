#include "speder/mdp/planners/value_iteration.hpp"

#include <algorithm>
#include <optional>

#include "speder/mdp/model/rounding.hpp"

namespace speder {
namespace {

// q = r + γ E_P[V], through whichever form of the kernel has fewer numbers.
class Backup {
 public:
  explicit Backup(const PlanProblem& problem) : problem_(problem) {
    if (choose_method(problem.kernel) == PlanMethod::kSparse) P_ = problem.kernel.sparse();
  }
  void operator()(const Vector& value, Vector& q) const {
    if (P_) {
      q.noalias() = *P_ * value;
    } else {
      q = problem_.kernel.expectation(value);
    }
    q = problem_.reward + problem_.gamma * q;
  }

 private:
  const PlanProblem& problem_;
  std::optional<SparseMatrix> P_;
};

// (TV)(s) = max_a q(s,a), lowest action on ties.
void greedy(const Vector& q, Index actions, Vector& value, std::vector<std::int32_t>& policy) {
  for (Index s = 0; s < value.size(); ++s) {
    Index best = 0;
    value[s] = q.segment(s * actions, actions).maxCoeff(&best);
    policy[static_cast<std::size_t>(s)] = static_cast<std::int32_t>(best);
  }
}

}  // namespace

PlanResult plan_value(const PlanProblem& problem, const PlanOptions& options) {
  const Index S = problem.kernel.states();
  const Index A = problem.kernel.actions();
  const Backup backup(problem);
  PlanResult result;
  result.method = PlanMethod::kValue;
  result.policy.assign(static_cast<std::size_t>(S), 0);
  result.value = Vector::Zero(S);
  result.q.resize(S * A);
  Vector next(S);
  while (result.iterations < options.max_iterations) {
    ++result.iterations;
    backup(result.value, result.q);
    greedy(result.q, A, next, result.policy);
    const Vector step = next - result.value;
    const double low = step.minCoeff();
    const double high = step.maxCoeff();
    result.residual = std::max(std::abs(low), std::abs(high));
    const double enough = attainable(options.residual, next);
    if (result.residual <= enough) {
      result.termination = Termination::kConverged;
      break;
    }
    // Once the step is nearly constant, c = γ/(1−γ) (low + high)/2 takes the constant out.
    const double centre = 0.5 * (low + high);
    const bool flat = high - low <= enough;
    result.value =
        flat ? Vector(next.array() + problem.gamma / (1 - problem.gamma) * centre) : next;
  }
  return result;
}

}  // namespace speder

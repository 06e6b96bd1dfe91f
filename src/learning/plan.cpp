#include "speder/learning/plan.hpp"

#include <stdexcept>

namespace speder {

LearnedModel::LearnedModel(const FeatureClass& F)
    : class_(&F), planner_(F.states(), F.actions(), F.rank()) {}

bool LearnedModel::select(Index candidate) {
  if (candidate == candidate_) return false;
  candidate_ = candidate;
  Phi_ = class_->phi(candidate);
  Mu_ = class_->mu(candidate);
  return true;
}

const PlanResult& LearnedModel::plan(const Vector& reward, double gamma) {
  const PlanResult& result = planner_.plan({Phi_, Mu_, class_->nu(), reward, gamma});
  if (result.termination == Termination::kConverged) return result;
  throw std::runtime_error(fmt::format("planning in candidate {} ended with {} (residual {})",
                                       candidate_, to_string(result.termination), result.residual));
}

}  // namespace speder

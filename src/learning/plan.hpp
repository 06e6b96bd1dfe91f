#pragma once

#include <optional>

#include "speder/mdp/classes/feature_class.hpp"
#include "speder/mdp/model/policy.hpp"
#include "speder/mdp/planners/factored_planner.hpp"

namespace speder {

/// The chosen candidate, unpacked, and planning in it: argmax_π V^π_{P̂, r ± b}. Starts from the
/// last policy; unpacks only when the candidate changes.
class LearnedModel {
 public:
  explicit LearnedModel(const FeatureClass& F);

  /// True when it is another candidate than before.
  bool select(Index candidate);
  [[nodiscard]] Index candidate() const { return candidate_; }
  [[nodiscard]] const Matrix& Phi() const {
    return Phi_;
  }  // (SA × d) NOLINT(readability-identifier-naming)
  /// Throws std::runtime_error when the planner does not reach its residual.
  const PlanResult& plan(const Vector& reward, double gamma);
  [[nodiscard]] const PlanResult& result() const { return planner_.result(); }

 private:
  const FeatureClass* class_;
  Index candidate_ = -1;
  Matrix Phi_;  // (SA × d)
  Matrix Mu_;   // (S × d)
  FactoredPlanner planner_;
};

}  // namespace speder

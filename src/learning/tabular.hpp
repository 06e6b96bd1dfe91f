#pragma once

#include <utility>
#include <vector>

#include "speder/learning/model_loop.hpp"

namespace speder {

/// Model-based learning on counts (UCBVI with a Hoeffding bonus, discounted; VI-LCB when
/// pessimistic):
///   P̂(y|x) = N(x,y)/N(x),  b(x) = c_α √(log(2|S||A|n²/δ) / (2N(x))) / (1−γ)
///   V = clip(max_a r ± b + γ P̂V, 0, 1/(1−γ)); an unvisited pair is worth 1/(1−γ), or 0.
/// Value iteration from the last plan's value to a residual of tol::kBellman: P̂ is a kernel, so the
/// operator is a γ-contraction.
class TabularModel {
 public:
  TabularModel(Index actions, const OfflineTask& task, const ModelOptions& options);

  void add(const Step& step, double count);
  [[nodiscard]] const Vector& visits() const { return visits_; }
  const ModelPlan& plan(double n);

 private:
  Index actions_;
  Vector reward_;
  double gamma_;
  ModelOptions options_;
  Vector visits_;                                                  // (SA)  N(x)
  std::vector<std::vector<std::pair<Index, double>>> successors_;  // x → (y, N(x,y)), by y
  Vector q_;                                                       // (SA)
  ModelPlan plan_;
};

}  // namespace speder

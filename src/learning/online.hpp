#pragma once

#include <string_view>

#include "speder/core/rng.hpp"
#include "speder/learning/bonus.hpp"
#include "speder/learning/report.hpp"
#include "speder/learning/representation.hpp"
#include "speder/mdp/classes/feature_class.hpp"
#include "speder/mdp/sampling/simulator.hpp"

namespace speder {

enum class Replan {
  kEvery,    // lines 6–9 in every episode, as printed
  kDoubling  // only when the visits of a pair in D_n have doubled since the last plan
};

struct OnlineOptions {
  Index episodes = 1000;  // N
  Criterion criterion = Criterion::kLeastSquares;
  BonusConstants bonus;
  double delta = 0.1;
  Replan replan = Replan::kEvery;
  bool follow_plan = true;  // false: data from π₀ = U(A) in every episode (comparator `uniform`)
};
/// Throws std::invalid_argument unless N ≥ 1, δ ∈ (0,1), c_α ≥ 0 and c_λ > 0.
void require_valid(const OnlineOptions& options);

/// Counts visits and says when a pair's have doubled.
class ReplanRule {
 public:
  ReplanRule(Replan rule, Index pairs) : rule_(rule), seen_(Vector::Zero(pairs)) {}
  /// `count`: visits of `pair` so far, this one included.
  [[nodiscard]] bool due(Index pair, double count) const {
    return rule_ == Replan::kEvery || count >= 2 * seen_[pair];
  }
  void planned(const Vector& counts) {
    if (rule_ == Replan::kDoubling) seen_ = counts;
  }

 private:
  Replan rule_;
  Vector seen_;
};

/// Online exploration with SPEDER.                                        [alg:online_algorithm]
[[nodiscard]] LearnerResult online_speder(const Simulator& env, const FeatureClass& F,
                                          const OnlineOptions& options, const SeedTree& seeds,
                                          const LearnerObserver& observe = {});

}  // namespace speder

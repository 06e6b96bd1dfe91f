#pragma once

#include <vector>

#include "speder/learning/bonus.hpp"
#include "speder/learning/dataset.hpp"
#include "speder/learning/report.hpp"
#include "speder/learning/representation.hpp"
#include "speder/mdp/classes/feature_class.hpp"

namespace speder {

/// What the offline learner is told besides the data: r and γ.
struct OfflineTask {
  const Vector& reward;  // (SA)
  double gamma;
};

struct OfflineOptions {
  Criterion criterion = Criterion::kLeastSquares;
  BonusConstants bonus;
  double delta = 0.1;
  double omega = 1;                // ω = max 1/π_b(a|s), known for the behaviour policy
  std::vector<Index> checkpoints;  // prefixes of the data to learn from, increasing; empty: all
};
/// The checkpoints, checked against the data. Throws std::invalid_argument unless the task, the
/// options and the data fit each other.
[[nodiscard]] std::vector<Index> require_valid(const OfflineOptions& options, const Dataset& data,
                                               const OfflineTask& task);

/// Offline policy optimisation with SPEDER, at every checkpoint.        [alg:offline_algorithm]
[[nodiscard]] LearnerResult offline_speder(const Dataset& data, const FeatureClass& F,
                                           const OfflineTask& task, const OfflineOptions& options,
                                           const LearnerObserver& observe = {});

}  // namespace speder

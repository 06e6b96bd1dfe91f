#pragma once

#include <span>
#include <vector>

#include "speder/core/types.hpp"
#include "speder/learning/dataset.hpp"
#include "speder/learning/representation.hpp"
#include "speder/mdp/classes/feature_class.hpp"
#include "speder/mdp/model/kernel.hpp"

namespace speder {

/// The estimator alone on a stream of data, judged by the truth at each n of a grid.
struct ErrorCurveRequest {
  const Kernel& truth;
  const FeatureClass& candidates;
  std::span<const Step> steps;
  std::span<const int> grid;  // increasing, the last at most steps.size()
  Criterion criterion = Criterion::kLeastSquares;
  /// The squared term is integrated with `measure` times ν; anything but 1 is the mutation "wrong
  /// base measure".
  double measure = 1;
};

/// Which candidate is chosen from the first n steps, n in the grid.
[[nodiscard]] std::vector<Index> chosen_candidates(const ErrorCurveRequest& request);

/// sup f over a class of mixture form: f(x,y) = ∑_k φ_k(x) μ_k(y) ≤ max μ. The C of
/// [thm:generalization]: larger than or equal to the smallest one that would do.
[[nodiscard]] double density_bound(const FeatureClass& candidates);

}  // namespace speder

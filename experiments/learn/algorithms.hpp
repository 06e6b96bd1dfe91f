#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "speder/experiments/learn/problem.hpp"
#include "speder/learning/offline.hpp"
#include "speder/learning/online.hpp"

namespace speder {

/// An online learner: SPEDER or a comparator.
struct OnlineAlgorithm {
  std::string_view name;
  std::string_view description;
  bool has_class;    // the candidates it reports are those of the problem's class
  bool follow_plan;  // collects its data under its own policies
  LearnerResult (*run)(const LearnProblem&, const Simulator&, const OnlineOptions&, const SeedTree&,
                       const LearnerObserver&);
};
struct OfflineAlgorithm {
  std::string_view name;
  std::string_view description;
  bool has_class;
  LearnerResult (*run)(const LearnProblem&, const Dataset&, const OfflineOptions&,
                       const LearnerObserver&);
};

[[nodiscard]] const std::vector<OnlineAlgorithm>& online_algorithms();
[[nodiscard]] const std::vector<OfflineAlgorithm>& offline_algorithms();
/// InputError listing the names when there is none of that name.
[[nodiscard]] const OnlineAlgorithm& online_algorithm(std::string_view name);
[[nodiscard]] const OfflineAlgorithm& offline_algorithm(std::string_view name);

}  // namespace speder

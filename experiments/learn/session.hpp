#pragma once

#include <functional>
#include <string>
#include <vector>

#include "speder/experiments/learn/algorithms.hpp"
#include "speder/experiments/learn/behaviour.hpp"
#include "speder/experiments/learn/data_file.hpp"
#include "speder/experiments/learn/row.hpp"

namespace speder {

/// Called while a run is under way; false ends it, what was measured is kept.
struct LearnHooks {
  std::function<bool(const LearnRow&)> on_row = {};      // a row of the grid
  std::function<bool(const LearnRow&)> on_episode = {};  // every episode: n and gap_last
};

struct OnlineRun {
  std::string algorithm = "speder";
  OnlineOptions options;
  std::vector<Index> grid = {};  // empty: geometric_grid(options.episodes)
  std::uint64_t seed = 1;
};
struct OfflineRun {
  std::string algorithm = "speder";
  OfflineOptions options;  // checkpoints empty: geometric_grid(transitions); omega is set here
  Index transitions = 10'000;
  BehaviourSpec behaviour;
  std::uint64_t seed = 1;
  const StoredData* stored = nullptr;  // learn from these; transitions and behaviour are theirs
};
struct LearnOutcome {
  std::vector<LearnRow> rows;
  LearnerResult result;
  Behaviour behaviour;  // offline; online π₀
};

/// One run: the learner sees samples, the rows hold the truth. A function of (problem, run) alone,
/// except for the column `seconds`.
[[nodiscard]] LearnOutcome run_online(const LearnProblem& problem, TruthEvaluator& truth,
                                      const OnlineRun& run, const LearnHooks& hooks = {});
/// The data that run_offline draws when it is given none.
[[nodiscard]] StoredData offline_data(const LearnProblem& problem, TruthEvaluator& truth,
                                      const OfflineRun& run);
[[nodiscard]] LearnOutcome run_offline(const LearnProblem& problem, TruthEvaluator& truth,
                                       const OfflineRun& run, const LearnHooks& hooks = {});

/// The estimator alone, on data that no learner steers.
struct EstimateRun {
  Criterion criterion = Criterion::kLeastSquares;
  Index transitions = 10'000;
  bool trajectory = false;  // one long run instead of independent draws: xᵢ depends on the past
  BehaviourSpec behaviour;
  std::vector<Index> grid = {};  // empty: geometric_grid(transitions)
  double delta = 0.1;
  std::uint64_t seed = 1;
};
struct EstimateRow {
  Index n = 0;
  Index candidate = 0;
  double loss = 0;
  double l2_squared = 0;  // E‖P̂ − P*‖₂² under (s,a) ~ d^{π_b} π_b
  double l1 = 0;          // E‖P̂ − P*‖₁
  double kl = 0;          // E KL(P* ‖ P̂)
  double zeta = 0;        // log(|F|/δ)/n
  double seconds = 0;
};
[[nodiscard]] std::vector<std::pair<std::string_view, double>> columns(const EstimateRow& row);
struct EstimateOutcome {
  std::vector<EstimateRow> rows;
  Vector profile;  // (|F|)  loss of every candidate on all the data
  Behaviour behaviour;
  bool interrupted = false;
};
[[nodiscard]] EstimateOutcome run_estimate(
    const LearnProblem& problem, TruthEvaluator& truth, const EstimateRun& run,
    const std::function<bool(const EstimateRow&)>& on_row = {});

}  // namespace speder

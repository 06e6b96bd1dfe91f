#pragma once

#include "speder/plots/analysis.hpp"
#include "speder/stats/aggregate.hpp"
#include "speder/sweep/store.hpp"

namespace speder::deep {

/// The results of one kind of runs on the tasks that all compared kinds have, each in the units of its task: 0 is the
/// lowest and 1 the highest published mean of the paper's table (the source's where the paper slips).
struct MethodScores {
  std::string name;  // "speder", "speder (reward_model=false)"
  TaskScores scores;
};
struct ScoreTable {
  std::vector<std::string> tasks;
  std::vector<MethodScores> methods;
  std::vector<std::string> left_out = {};          // kinds with too few tasks
  [[nodiscard]] std::size_t fewest_seeds() const;  // of a task and method
};
/// Tasks of neither suite have no such units and are left out. So are kinds that were run on fewer than half as
/// many tasks as another, and then the tasks that one of the others was not run on.
[[nodiscard]] ScoreTable score_table(const std::vector<Run>& runs);

/// Median, IQM, mean and optimality gap of every method with 95% intervals of the stratified bootstrap.
[[nodiscard]] ReportTable aggregate_table(const ScoreTable& table, std::uint64_t seed);
[[nodiscard]] Figure aggregate_figure(const ScoreTable& table, std::uint64_t seed);
/// Share of runs above τ, with pointwise bands.
[[nodiscard]] Figure profile_figure(const ScoreTable& table, std::uint64_t seed);
/// Pr[a run of the row's method beats one of the column's]; empty with one method.
[[nodiscard]] std::optional<Figure> improvement_figure(const ScoreTable& table, std::uint64_t seed);

}  // namespace speder::deep

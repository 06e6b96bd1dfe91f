#pragma once

#include <functional>
#include <span>
#include <vector>

#include "speder/core/rng.hpp"
#include "speder/stats/statistics.hpp"

// Scores over tasks and runs as one number with an interval (Agarwal et al. 2021, "rliable"): runs of a
// task are exchangeable, tasks are fixed.
namespace speder {

/// scores[task][run], each task in units in which tasks can be averaged. Tasks may differ in runs.
using TaskScores = std::vector<std::vector<double>>;

/// Means over all tasks of the tasks' means; their median.
[[nodiscard]] double mean_score(const TaskScores& scores);
[[nodiscard]] double median_score(const TaskScores& scores);
/// Mean of the middle half of all runs of all tasks: a quarter, rounded down, is cut at each end.
[[nodiscard]] double interquartile_mean(const TaskScores& scores);
/// γ − mean of min(score, γ): how far from γ, where more than γ does not make up for less.
[[nodiscard]] double optimality_gap(const TaskScores& scores, double gamma = 1);
/// Mean over tasks of Pr[a run of x beats a run of y], ties as one half. The same tasks in the same order.
[[nodiscard]] double improvement_probability(const TaskScores& x, const TaskScores& y);
/// Share of runs with a score above each τ.
[[nodiscard]] std::vector<double> performance_profile(const TaskScores& scores,
                                                      std::span<const double> tau);

/// Positions of runs drawn with replacement within each task: resample[task][k].
using Resample = std::vector<std::vector<std::size_t>>;
[[nodiscard]] Resample draw_resample(const TaskScores& scores, Rng& rng);
[[nodiscard]] TaskScores resampled(const TaskScores& scores, const Resample& resample);

/// Quantiles (1 ∓ level)/2 with linear interpolation between order statistics.
[[nodiscard]] Interval percentile_interval(std::vector<double> values, double level);

struct Aggregate {
  double value = 0;
  Interval interval{};
};
/// A statistic with the percentile interval of its stratified bootstrap.
[[nodiscard]] Aggregate stratified_bootstrap(
    const TaskScores& scores, const std::function<double(const TaskScores&)>& statistic, Rng& rng,
    int replicates = 2000, double level = 0.95);
/// The same of two algorithms, whose runs are drawn independently.
[[nodiscard]] Aggregate bootstrap_improvement(const TaskScores& x, const TaskScores& y, Rng& rng,
                                              int replicates = 2000, double level = 0.95);

/// Below this many runs of a task a bootstrap has too few distinct resamples to be trusted.
inline constexpr std::size_t kFewestSeeds = 5;

}  // namespace speder

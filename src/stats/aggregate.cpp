#include "speder/stats/aggregate.hpp"

#include <algorithm>
#include <numeric>

#include "speder/core/check.hpp"

namespace speder {
namespace {

double plain_mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::vector<double> task_means(const TaskScores& scores) {
  std::vector<double> out;
  for (const auto& runs : scores) {
    require(!runs.empty(), "a task has runs");
    out.push_back(plain_mean(runs));
  }
  require(!out.empty(), "there are tasks");
  return out;
}

std::vector<double> all_runs(const TaskScores& scores) {
  std::vector<double> out;
  for (const auto& runs : scores) out.insert(out.end(), runs.begin(), runs.end());
  require(!out.empty(), "there are runs");
  return out;
}

}  // namespace

double mean_score(const TaskScores& scores) { return plain_mean(task_means(scores)); }

double median_score(const TaskScores& scores) {
  std::vector<double> means = task_means(scores);
  std::ranges::sort(means);
  const std::size_t n = means.size();
  return (means[(n - 1) / 2] + means[n / 2]) / 2;
}

double interquartile_mean(const TaskScores& scores) {
  std::vector<double> runs = all_runs(scores);
  std::ranges::sort(runs);
  const std::size_t cut = runs.size() / 4;
  return plain_mean({runs.begin() + static_cast<std::ptrdiff_t>(cut),
                     runs.end() - static_cast<std::ptrdiff_t>(cut)});
}

double optimality_gap(const TaskScores& scores, double gamma) {
  std::vector<double> runs = all_runs(scores);
  for (double& r : runs) r = std::min(r, gamma);
  return gamma - plain_mean(runs);
}

double improvement_probability(const TaskScores& x, const TaskScores& y) {
  require(x.size() == y.size() && !x.empty(), "both algorithms have the same tasks");
  double total = 0;
  for (std::size_t t = 0; t < x.size(); ++t) {
    double wins = 0;
    for (const double a : x[t]) {
      for (const double b : y[t]) wins += a > b ? 1 : a == b ? 0.5 : 0;
    }
    total += wins / static_cast<double>(x[t].size() * y[t].size());
  }
  return total / static_cast<double>(x.size());
}

std::vector<double> performance_profile(const TaskScores& scores, std::span<const double> tau) {
  const std::vector<double> runs = all_runs(scores);
  std::vector<double> out;
  for (const double t : tau) {
    const auto above = std::ranges::count_if(runs, [t](double r) { return r > t; });
    out.push_back(static_cast<double>(above) / static_cast<double>(runs.size()));
  }
  return out;
}

Resample draw_resample(const TaskScores& scores, Rng& rng) {
  Resample out;
  for (const auto& runs : scores) {
    std::vector<std::size_t>& drawn = out.emplace_back();
    for (std::size_t k = 0; k < runs.size(); ++k) {
      drawn.push_back(static_cast<std::size_t>(rng.index(static_cast<Index>(runs.size()))));
    }
  }
  return out;
}

TaskScores resampled(const TaskScores& scores, const Resample& resample) {
  TaskScores out;
  for (std::size_t t = 0; t < scores.size(); ++t) {
    std::vector<double>& runs = out.emplace_back();
    for (const std::size_t k : resample.at(t)) runs.push_back(scores[t].at(k));
  }
  return out;
}

Interval percentile_interval(std::vector<double> values, double level) {
  require(!values.empty() && level > 0 && level < 1, "an interval has values and a level", level);
  std::ranges::sort(values);
  const auto at = [&](double p) {
    const double position = p * static_cast<double>(values.size() - 1);
    const auto k = static_cast<std::size_t>(position);
    const double next = values[std::min(k + 1, values.size() - 1)];
    return values[k] + (position - static_cast<double>(k)) * (next - values[k]);
  };
  return {at((1 - level) / 2), at((1 + level) / 2)};
}

Aggregate stratified_bootstrap(const TaskScores& scores,
                               const std::function<double(const TaskScores&)>& statistic, Rng& rng,
                               int replicates, double level) {
  std::vector<double> values;
  for (int r = 0; r < replicates; ++r)
    values.push_back(statistic(resampled(scores, draw_resample(scores, rng))));
  return {statistic(scores), percentile_interval(std::move(values), level)};
}

Aggregate bootstrap_improvement(const TaskScores& x, const TaskScores& y, Rng& rng, int replicates,
                                double level) {
  std::vector<double> values;
  for (int r = 0; r < replicates; ++r) {
    const TaskScores a = resampled(x, draw_resample(x, rng));
    values.push_back(improvement_probability(a, resampled(y, draw_resample(y, rng))));
  }
  return {improvement_probability(x, y), percentile_interval(std::move(values), level)};
}

}  // namespace speder

#include "speder/deep/results/aggregates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "speder/deep/results/misprints.hpp"
#include "speder/deep/results/run_settings.hpp"
#include "speder/deep/train/loop.hpp"

namespace speder::deep {
namespace {

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
};

std::optional<Range> published_range(const std::string& env) {
  Range out;
  for (const PublishedRow& row : published_rows()) {
    const auto& envs = suite_envs(row.suite);
    const auto found = std::ranges::find(envs, env);
    if (found == envs.end()) continue;
    const double mean = right_value(row, static_cast<std::size_t>(found - envs.begin())).mean;
    out.low = std::min(out.low, mean);
    out.high = std::max(out.high, mean);
  }
  if (!(out.high > out.low)) return {};
  return out;
}

struct Metric {
  const char* name;
  double (*value)(const TaskScores&);
};
constexpr Metric kMetrics[] = {
    {"median", median_score},
    {"IQM", interquartile_mean},
    {"mean", mean_score},
    {"optimality gap", [](const TaskScores& s) { return optimality_gap(s); }}};

Aggregate aggregate_of(const MethodScores& m, const Metric& metric, std::uint64_t seed) {
  Rng rng = SeedTree(seed).child(m.name).stream(metric.name);
  return stratified_bootstrap(m.scores, metric.value, rng);
}

std::string bootstrap_note(const ScoreTable& table) {
  return fmt::format(
      "95% intervals of the stratified bootstrap, {} task{}, at least {} seed{}.{}",
      table.tasks.size(), table.tasks.size() == 1 ? "" : "s", table.fewest_seeds(),
      table.fewest_seeds() == 1 ? "" : "s",
      table.fewest_seeds() < kFewestSeeds ? " Fewer than five seeds: the intervals are weak." : "");
}

}  // namespace

std::size_t ScoreTable::fewest_seeds() const {
  std::size_t out = std::numeric_limits<std::size_t>::max();
  for (const MethodScores& m : methods) {
    for (const auto& runs : m.scores) out = std::min(out, runs.size());
  }
  return methods.empty() ? 0 : out;
}

ScoreTable score_table(const std::vector<Run>& runs) {
  std::map<std::string, std::map<std::string, std::vector<double>>> scores;  // method, task
  std::map<std::pair<std::string, std::string>, double> length;
  const std::string preset = common_preset(runs);
  for (const Run& run : runs) {
    const GridCell cell = GridCell::parse(run.key.cell);
    if (!is_training(cell) || run.failed) continue;
    const std::string method = method_label(cell, preset), env = cell.text("env");
    const auto range = published_range(env);
    const auto result = final_return(run.measures);
    if (!range || !result) continue;
    double& longest = length[{method, env}];
    if (cell.number("steps") < longest) continue;
    if (cell.number("steps") > longest) scores[method][env].clear();
    longest = cell.number("steps");
    scores[method][env].push_back((result->mean - range->low) / (range->high - range->low));
  }
  ScoreTable out;
  std::size_t most = 0;
  for (const auto& [method, tasks] : scores) most = std::max(most, tasks.size());
  for (const auto& [method, tasks] : scores) {
    if (2 * tasks.size() < most) out.left_out.push_back(method);
  }
  for (const std::string& method : out.left_out) scores.erase(method);
  std::map<std::string, std::size_t> count;
  for (const auto& [method, tasks] : scores) {
    for (const auto& [env, values] : tasks) ++count[env];
  }
  for (const auto& [env, n] : count) {
    if (n == scores.size()) out.tasks.push_back(env);
  }
  if (out.tasks.empty()) return {};
  for (const auto& [method, tasks] : scores) {
    MethodScores& m = out.methods.emplace_back(MethodScores{method, {}});
    for (const std::string& env : out.tasks) m.scores.push_back(tasks.at(env));
  }
  return out;
}

ReportTable aggregate_table(const ScoreTable& table, std::uint64_t seed) {
  ReportTable out{.id = "aggregates-table",
                  .caption =
                      "Results over tasks and seeds; 0 is the lowest and 1 the highest published "
                      "mean of a task. " +
                      bootstrap_note(table),
                  .head = {"method"},
                  .rows = {}};
  for (const Metric& metric : kMetrics) out.head.emplace_back(metric.name);
  for (const MethodScores& m : table.methods) {
    std::vector<std::string>& row = out.rows.emplace_back(std::vector{m.name});
    for (const Metric& metric : kMetrics) {
      const Aggregate a = aggregate_of(m, metric, seed);
      row.push_back(shown(a.value) + " " + shown(a.interval));
    }
  }
  return out;
}

Figure aggregate_figure(const ScoreTable& table, std::uint64_t seed) {
  Figure out{.id = "aggregates",
             .caption = "Median, interquartile mean, mean and optimality gap over tasks and seeds.",
             .panels = {},
             .columns = 2,
             .note = bootstrap_note(table)};
  for (const Metric& metric : kMetrics) {
    const bool gap = &metric == std::end(kMetrics) - 1;
    Panel& panel = out.panels.emplace_back(
        Panel{.title = metric.name,
              .y = {.label = gap ? "what is missing to 1" : "score (published range)"}});
    BarGroup& group = panel.bars.emplace_back();
    int colour = 0;
    for (const MethodScores& m : table.methods) {
      const Aggregate a = aggregate_of(m, metric, seed);
      group.bars.push_back(
          {.label = m.name,
           .value = a.value,
           .interval = {std::min(a.interval.low, a.value), std::max(a.interval.high, a.value)},
           .colour = colour++});
    }
  }
  return out;
}

Figure profile_figure(const ScoreTable& table, std::uint64_t seed) {
  constexpr int kSteps = 60, kReplicates = 500;
  double low = 0, high = 1;
  for (const MethodScores& m : table.methods) {
    for (const auto& runs : m.scores) {
      low = std::min(low, *std::ranges::min_element(runs));
      high = std::max(high, *std::ranges::max_element(runs));
    }
  }
  std::vector<double> tau;
  for (int i = 0; i <= kSteps; ++i) tau.push_back(low + (high - low) * 1.02 * i / kSteps);
  Panel panel{.x = {.label = "τ (0 lowest, 1 highest published mean)"},
              .y = {.label = "share of runs with score > τ", .low = 0, .high = 1.02}};
  int colour = 0;
  for (const MethodScores& m : table.methods) {
    Rng rng = SeedTree(seed).child(m.name).stream("profile");
    Series s{.label = m.name,
             .x = tau,
             .y = performance_profile(m.scores, tau),
             .mark = Mark::kLine,
             .colour = colour++};
    std::vector<std::vector<double>> drawn(tau.size());
    for (int r = 0; r < kReplicates; ++r) {
      const std::vector<double> profile =
          performance_profile(resampled(m.scores, draw_resample(m.scores, rng)), tau);
      for (std::size_t i = 0; i < tau.size(); ++i) drawn[i].push_back(profile[i]);
    }
    for (std::size_t i = 0; i < tau.size(); ++i) {
      const Interval band = percentile_interval(drawn[i], 0.95);
      s.low.push_back(std::min(band.low, s.y[i]));
      s.high.push_back(std::max(band.high, s.y[i]));
    }
    panel.series.push_back(std::move(s));
  }
  return {.id = "profiles",
          .caption = "Performance profiles: the share of runs above each score.",
          .panels = {panel},
          .note = "Bands: pointwise " + bootstrap_note(table)};
}

std::optional<Figure> improvement_figure(const ScoreTable& table, std::uint64_t seed) {
  if (table.methods.size() < 2) return {};
  Panel panel{.y = {.label = "Pr(better)", .low = 0, .high = 1}};
  for (std::size_t i = 0; i + 1 < table.methods.size(); ++i) {
    BarGroup& group = panel.bars.emplace_back(BarGroup{.label = table.methods[i].name});
    for (std::size_t j = i + 1; j < table.methods.size(); ++j) {
      const MethodScores &x = table.methods[i], &y = table.methods[j];
      Rng rng = SeedTree(seed).child(x.name + " > " + y.name).stream("improvement");
      const Aggregate a = bootstrap_improvement(x.scores, y.scores, rng);
      group.bars.push_back(
          {.label = "than " + y.name,
           .value = a.value,
           .interval = {std::min(a.interval.low, a.value), std::max(a.interval.high, a.value)},
           .colour = static_cast<int>(j)});
    }
  }
  const double groups = static_cast<double>(panel.bars.size());
  panel.references.push_back(
      {.label = "no difference", .x = {-0.6, groups - 0.4}, .y = {0.5, 0.5}});
  return Figure{
      .id = "improvement",
      .caption =
          "Probability that a run of the method below the bars is better than one of the method of "
          "their colour, mean over tasks.",
      .panels = {panel},
      .note = bootstrap_note(table)};
}

}  // namespace speder::deep

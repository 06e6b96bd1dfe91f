#include "speder/deep/results/curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "speder/core/check.hpp"
#include "speder/deep/results/run_settings.hpp"
#include "speder/deep/results/table.hpp"

namespace speder::deep {
namespace {

using Line = std::map<std::int64_t, std::vector<double>>;  // step → returns of the seeds

struct TaskCurves {
  std::map<std::string, Line> lines;  // "speder", "speder (reward_model=false)"
  std::map<std::string, int> seeds;
  std::map<std::string, double> length;
};

Series to_series(const std::string& label, const Line& line, int colour) {
  // a run with one evaluation is a point: a line of it would not be seen
  Series s{
      .label = label, .mark = line.size() > 1 ? Mark::kLine : Mark::kLinePoints, .colour = colour};
  for (const auto& [step, values] : line) {
    const MeanStd v = mean_std(values);
    s.x.push_back(static_cast<double>(step) / 1000);
    s.y.push_back(v.mean);
    const auto [low, high] = std::ranges::minmax(values);
    s.low.push_back(low);  // never beyond what a run has reached
    s.high.push_back(high);
  }
  return s;
}

/// SPEDER's published value of a task, if its suite has one.
std::optional<MeanStd> published(const std::string& env) {
  for (const PublishedRow& row : published_rows()) {
    if (row.algorithm != "speder") continue;
    const auto& envs = suite_envs(row.suite);
    const auto found = std::find(envs.begin(), envs.end(), env);
    if (found != envs.end()) return row.cells[static_cast<std::size_t>(found - envs.begin())];
  }
  return {};
}

/// A legend is as narrow as its panel: the one preset of all runs is said by the titles instead.
std::map<std::string, TaskCurves> by_task(const std::vector<Run>& runs, const std::string& preset,
                                          std::string_view metric) {
  std::map<std::string, TaskCurves> tasks;
  for (const Run& run : runs) {
    const GridCell cell = GridCell::parse(run.key.cell);
    if (!is_training(cell)) continue;
    TaskCurves& task = tasks[cell.text("env")];
    const std::string label = method_label(cell, preset);
    const double steps = cell.number("steps");
    if (steps < task.length[label]) continue;
    if (steps > task.length[label]) {
      task.lines[label].clear();
      task.seeds[label] = 0;
      task.length[label] = steps;
    }
    ++task.seeds[label];
    for (const Measure& m : run.measures) {
      if (m.metric == metric) task.lines[label][m.n].push_back(m.value);
    }
  }
  return tasks;
}

/// The low end of the y axis where the first quarter of the steps would take half of its height or more
/// (an untrained CartPole loses thousands), else none. A quarter of the whole range is always shown.
std::optional<double> low_end(const Panel& panel, double last) {
  constexpr double kFirst = 0.25, kShare = 2, kKept = 0.25, kRoom = 0.05;
  double lowest = INFINITY, low = INFINITY, high = -INFINITY;  // `low` is of the later steps
  for (const Series& s : panel.series) {
    for (std::size_t i = 0; i < s.x.size(); ++i) {
      lowest = std::min(lowest, s.low[i]);
      high = std::max(high, s.high[i]);
      if (s.x[i] > kFirst * last) low = std::min(low, s.low[i]);
    }
  }
  for (const ReferenceLine& r : panel.references) {
    low = std::min(low, r.y.front());
    high = std::max(high, r.y.front());
  }
  const double whole = high - lowest;
  low = std::min(low, high - kKept * whole);
  if (!(whole > kShare * (high - low))) return {};
  return low - kRoom * (high - low);
}

/// `preset` is "" where curves of several are drawn.
Panel to_panel(const std::string& env, const std::string& preset, const TaskCurves& task,
               const std::map<std::string, int>& colours) {
  Panel panel{.title = preset.empty() ? env : fmt::format("{} ({})", env, preset),
              .x = {.label = "environment steps (thousands)"},
              .y = {.label = "return of the mean action"}};
  double last = 0;
  int least = std::numeric_limits<int>::max(), most = 0;
  for (const auto& [label, line] : task.lines) {
    panel.series.push_back(to_series(label, line, colours.at(label)));
    least = std::min(least, task.seeds.at(label));
    most = std::max(most, task.seeds.at(label));
    if (!line.empty()) last = std::max(last, panel.series.back().x.back());
  }
  if (const auto value = published(env)) {
    const auto both = [](double v) { return std::vector<double>{v, v}; };
    panel.references.push_back({.label = "SPEDER as published (200K steps) ± its deviation",
                                .x = {0, last},
                                .y = both(value->mean),
                                .low = both(value->mean - value->deviation),
                                .high = both(value->mean + value->deviation)});
  }
  panel.title += fmt::format(", {}{} seed{}", least < most ? fmt::format("{} to ", least) : "",
                             most, most == 1 ? "" : "s");
  panel.y.low = low_end(panel, last);
  if (panel.y.low) panel.title += ", start cut off";
  return panel;
}

std::map<std::string, int> colours_of(const std::map<std::string, TaskCurves>& tasks) {
  std::map<std::string, int> colours;
  for (const auto& [env, task] : tasks) {
    for (const auto& [label, line] : task.lines) colours[label] = 0;
  }
  int next = 0;
  for (auto& [label, colour] : colours) colour = next++;
  return colours;
}

/// What SpectralActorCritic::inspect() measures and where a sound run lies.
struct FeatureMetric {
  std::string_view name, title;
  Scale scale = Scale::kLinear;
  std::optional<double> sound = {};
};
constexpr FeatureMetric kFeatureMetrics[] = {
    {"phi_rank", "effective rank of E φφᵀ"},
    {"phi_drift", "change in 1,000 updates", Scale::kLog},
    {"phi_action", "variance by actions"},
    {"sigma_1", "largest of φᵀμ", Scale::kLinear, 1.0},
    {"sigma_16", "the 16th of φᵀμ"},
    {"sigma_16_seen", "that mode on the batch"},
    {"bellman", "error over Var y", Scale::kLog},
    {"reward_share", "of r̂ in Q", Scale::kLog},
    {"unit_rms", "states in their units", Scale::kLinear, 1.0}};

/// The metric's curves of one task; none where no run has it.
std::optional<Panel> feature_panel(const FeatureMetric& metric, const TaskCurves& task,
                                   const std::map<std::string, int>& colours) {
  // The name stands in the title: beside the ticks of a narrow panel it would touch them.
  Panel panel{.title = fmt::format("{}: {}", metric.name, metric.title),
              .x = {.label = "environment steps (thousands)"},
              .y = {.scale = metric.scale}};
  double first = INFINITY, last = 0, low = INFINITY, high = -INFINITY;
  for (const auto& [label, line] : task.lines) {
    if (line.empty()) continue;
    const Series s = to_series(label, line, colours.at(label));
    first = std::min(first, s.x.front());
    last = std::max(last, s.x.back());
    low = std::min(low, std::ranges::min(s.low));
    high = std::max(high, std::ranges::max(s.high));
    panel.series.push_back(s);
  }
  if (panel.series.empty()) return {};
  if (low <= 0) panel.y.scale = Scale::kLinear;
  if (metric.sound) {
    constexpr double kRoom = 0.1;  // below the line, of the height
    low = std::min(low, *metric.sound);
    panel.y.low = low - kRoom * (std::max(high, *metric.sound) - low);
    panel.references.push_back(
        {.label = "sound", .x = {first, last}, .y = {*metric.sound, *metric.sound}});
  }
  return panel;
}

}  // namespace

std::vector<Figure> feature_curves(const std::vector<Run>& runs) {
  const std::string preset = common_preset(runs);
  const std::map<std::string, int> colours = colours_of(by_task(runs, preset, "return"));
  std::map<std::string, Figure> figures;  // by task
  for (const FeatureMetric& metric : kFeatureMetrics) {
    for (const auto& [env, task] : by_task(runs, preset, metric.name)) {
      auto panel = feature_panel(metric, task, colours);
      if (!panel) continue;
      Figure& figure = figures[env];
      figure.id = "features_" + env;
      figure.caption = fmt::format(
          "{}: what was learned of P and how the critic reads it, at each evaluation: mean over "
          "seeds, band "
          "from the lowest to the highest.",
          env);
      figure.columns = 3;
      figure.panels.push_back(std::move(*panel));
    }
  }
  std::vector<Figure> out;
  for (auto& [env, figure] : figures) out.push_back(std::move(figure));
  return out;
}

Figure learning_curves(const std::vector<Run>& runs) {
  const std::string preset = common_preset(runs);
  auto tasks = by_task(runs, preset, "return");
  if (tasks.empty()) throw InputError("there are no training runs to draw");
  const std::map<std::string, int> colours = colours_of(tasks);
  Figure figure{.id = "learning_curves",
                .caption =
                    "Return of the mean action at each evaluation: mean over seeds, band from the "
                    "lowest to the highest seed.",
                .panels = {},
                .columns = tasks.size() > 1 ? 2 : 1,
                .note = "Lines: mean over seeds. Bands: from the lowest to the highest seed."};
  std::vector<std::string> labels;
  for (const auto& [label, colour] : colours) labels.push_back(label);
  if (const std::string note = older_note(labels); !note.empty()) figure.note += " " + note;
  for (const char* suite : {"mbbl", "dmc"}) {
    for (const std::string& env : suite_envs(suite)) {
      if (const auto task = tasks.extract(env)) {
        figure.panels.push_back(to_panel(env, preset, task.mapped(), colours));
      }
    }
  }
  for (const auto& [env, task] : tasks) {  // those of no suite
    figure.panels.push_back(to_panel(env, preset, task, colours));
  }
  return figure;
}

}  // namespace speder::deep

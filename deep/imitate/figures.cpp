#include "speder/deep/imitate/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace speder::deep {
namespace {

struct Look {
  std::string_view method, name;
  int colour;  // in the palette; skill methods share one, their names tell them apart
};
constexpr Look kLooks[] = {{"speder", "SPEDER", 0},
                           {"speder-nonorm", "SPEDER w/o norm", 4},
                           {"bc", "BC", 1},
                           {"trail-ebm", "TRAIL EBM", 2},
                           {"trail-linear", "TRAIL linear", 5},
                           {"opal", "OPAL", 3},
                           {"spirl", "SPiRL", 3},
                           {"skild", "SkiLD", 3}};

const Look& look_of(const ImitateRow& row) {
  return *std::ranges::find(kLooks, row.method, &Look::method);
}

std::string name_of(const ImitateRow& row) {
  const std::string name(look_of(row).name);
  return row.window > 0 ? fmt::format("{} t={}", name, row.window) : name;
}

Bar bar_of(const ImitateRow& row, int colour) {
  return {.label = {},
          .value = row.mean,
          .interval = row.interval,
          .points = row.success,
          .colour = colour};
}

Axis success_axis() { return {.label = "success rate", .low = 0, .high = 1.05}; }

// "4 seeds" or "2 to 4 seeds".
std::string seeds_of(const std::vector<ImitateRow>& rows) {
  std::size_t least = SIZE_MAX, most = 0;
  for (const ImitateRow& r : rows) {
    if (r.success.empty()) continue;
    least = std::min(least, r.success.size());
    most = std::max(most, r.success.size());
  }
  return least == most ? fmt::format("{} seeds", most) : fmt::format("{} to {} seeds", least, most);
}

std::string bar_caption(const std::vector<ImitateRow>& rows, const ImitateSuite& suite) {
  return fmt::format(
      "mean over {} of {} final episodes each (circles), with its 95% interval, the hull of "
      "Student's over seeds and the exact binomial one over all episodes.",
      seeds_of(rows), suite.base.final_episodes);
}

Panel& panel_of(Figure& figure, const std::string& title, const Axis& x) {
  const auto found = std::ranges::find(figure.panels, title, &Panel::title);
  if (found != figure.panels.end()) return *found;
  figure.panels.push_back({.title = title, .x = x, .y = success_axis()});
  return figure.panels.back();
}

Series curve_of(const ImitateRow& row, int colour) {
  Series s{.label = name_of(row), .mark = Mark::kLine, .colour = colour};
  for (const auto& [step, values] : row.curve) {
    RunningMean mean;
    for (const double v : values) mean.add(v);
    s.x.push_back(static_cast<double>(step) / 1000);
    s.y.push_back(mean.mean());
    s.low.push_back(std::max(0.0, mean.mean() - mean.standard_error()));
    s.high.push_back(std::min(1.0, mean.mean() + mean.standard_error()));
  }
  return s;
}

}  // namespace

Figure success_figure(const std::vector<ImitateRow>& rows, const ImitateSuite& suite) {
  Figure f{.id = "imitate-success",
           .caption = "Share of episodes that reach the goal: " + bar_caption(rows, suite),
           .panels = {},
           .columns = 2};
  for (const ImitateRow& row : rows) {
    if (row.success.empty()) continue;
    Panel& p = panel_of(f, row.body + " " + row.data, {});
    p.bars.push_back({.label = name_of(row), .bars = {bar_of(row, look_of(row).colour)}});
  }
  return f;
}

std::optional<Figure> normalisation_figure(const std::vector<ImitateRow>& rows,
                                           const ImitateSuite& suite) {
  Figure f{.id = "imitate-normalisation", .caption = {}, .panels = {}, .columns = 2};
  std::vector<ImitateRow> drawn;
  for (const ImitateRow& with : rows) {
    const auto without = std::ranges::find_if(rows, [&](const ImitateRow& r) {
      return r.method == "speder-nonorm" && r.body == with.body && r.data == with.data;
    });
    if (with.method != "speder" || without == rows.end()) continue;
    if (with.success.empty() || without->success.empty()) continue;
    BarGroup group{.label = with.data, .bars = {bar_of(with, 0), bar_of(*without, 4)}};
    group.bars[0].label = "with normalisation";
    group.bars[1].label = "without";
    panel_of(f, "SPEDER on " + with.body, {}).bars.push_back(std::move(group));
    drawn.insert(drawn.end(), {with, *without});
  }
  if (drawn.empty()) return {};
  f.caption = "SPEDER with and without the normalisation term: " + bar_caption(drawn, suite);
  return f;
}

std::optional<Figure> success_curves(const std::vector<ImitateRow>& rows,
                                     const ImitateSuite& suite) {
  Figure f{.id = "imitate-curves",
           .caption = fmt::format(
               "Share of {} episodes that reach the goal in the evaluations of phase 2: mean over "
               "{}, band of one standard error.",
               suite.base.eval_episodes, seeds_of(rows)),
           .panels = {},
           .columns = 2};
  const Axis iterations{.label = "iterations of phase 2 (thousands)", .low = 0};
  for (const ImitateRow& row : rows) {
    if (row.curve.empty()) continue;
    const std::string title = row.body + " " + row.data + (row.window > 0 ? ", skills" : "");
    Panel& p = panel_of(f, title, iterations);
    const int next = static_cast<int>(p.series.size()) % kColours;
    p.series.push_back(curve_of(row, row.window > 0 ? next : look_of(row).colour));
  }
  if (f.panels.empty()) return {};
  return f;
}

std::vector<std::string> axis_labels(const HeatAxis& axis) {
  std::vector<std::string> labels(static_cast<std::size_t>(axis.count));
  for (Index k = axis.begin; k < axis.count; k += axis.every) {
    labels[static_cast<std::size_t>(k)] =
        fmt::format("{:.3g}", axis.first + axis.step * static_cast<double>(k));
  }
  return labels;
}

Figure coverage_figure(const OfflineData& data, const Maze& maze, const std::string& title) {
  constexpr Index kPerCell = 5;  // squares along a side of a cell
  const Index rows = kPerCell * maze.rows(), columns = kPerCell * maze.columns();
  const double square = maze.cell_size() / kPerCell;
  const Place corner = maze.centre({0, 0});  // its lower left is half a cell away
  const double left = corner.x - maze.cell_size() / 2, bottom = corner.y - maze.cell_size() / 2;
  Matrix visits = Matrix::Zero(rows, columns);
  const auto width = static_cast<std::size_t>(data.observation_size);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const auto x = static_cast<Index>(std::floor((data.observations[i * width] - left) / square));
    const auto y =
        static_cast<Index>(std::floor((data.observations[i * width + 1] - bottom) / square));
    if (x >= 0 && x < columns && y >= 0 && y < rows) visits(y, x) += 1;
  }
  for (Index y = 0; y < rows; ++y) {
    for (Index x = 0; x < columns; ++x) {
      const bool wall =
          !maze.free({static_cast<int>(y / kPerCell), static_cast<int>(x / kPerCell)});
      visits(y, x) = wall && visits(y, x) == 0 ? std::numeric_limits<double>::quiet_NaN()
                                               : std::log10(1 + visits(y, x));
    }
  }
  HeatMap heat{
      .label = "log_{10}(1 + rows)",
      .columns = axis_labels({left + square / 2, square, columns, kPerCell / 2, 2 * kPerCell}),
      .rows = axis_labels({bottom + square / 2, square, rows, kPerCell / 2, 2 * kPerCell}),
      .values = visits,
      .x_scale = Interval{left, left + square * static_cast<double>(columns)},
      .y_scale = Interval{bottom, bottom + square * static_cast<double>(rows)}};
  Panel panel{.title = title, .x = {.label = "x (m)"}, .y = {.label = "y (m)"}};
  panel.heat = std::move(heat);
  return {.id = "coverage",
          .caption = fmt::format("{}: positions of {} rows; walls are blank.", title, data.rows()),
          .panels = {panel}};
}

}  // namespace speder::deep

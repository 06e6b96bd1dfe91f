#include <cmath>
#include <set>

#include "speder/core/check.hpp"
#include "speder/plots/analysis.hpp"

namespace speder {
namespace {

// Gaps of the cell with one value of the setting, a row per (repetition, draw).
struct CellGaps {
  GapTable table;
  std::map<std::pair<int, int>, std::map<double, double>> rows;
};

void add_run(CellGaps& cell, const Run& run, std::string_view metric) {
  for (int draw = 0;; ++draw) {
    std::map<double, double> curve = curve_of(run, draw_name(metric, draw));
    if (curve.empty()) return;
    cell.rows[{static_cast<int>(run.key.repetition), draw}] = std::move(curve);
  }
}

void fill_table(CellGaps& cell, const std::set<std::pair<int, int>>& all) {
  std::set<double> grid;
  for (const auto& [key, curve] : cell.rows) {
    for (const auto& [n, gap] : curve) grid.insert(n);
  }
  cell.table.n.assign(grid.begin(), grid.end());
  for (const auto& key : all) {  // a failed run never counts as a success
    std::vector<double> gaps;
    for (const double n : grid) {
      const auto row = cell.rows.find(key);
      const bool known = row != cell.rows.end() && row->second.contains(n);
      gaps.push_back(known ? row->second.at(n) : std::nan(""));
    }
    cell.table.gap.push_back(std::move(gaps));
  }
}

}  // namespace

std::map<double, double> curve_of(const Run& run, std::string_view metric) {
  std::map<double, double> out;
  for (const Measure& m : run.measures) {
    if (m.metric == metric) out[static_cast<double>(m.n)] = m.value;
  }
  return out;
}

ComplexityFit complexity_fit(const ExperimentData& data, std::string_view name,
                             const ComplexityRequest& request) {
  std::map<double, CellGaps> cells;  // by setting
  std::set<std::pair<int, int>> all;
  for (const Run& run : data.runs) {
    const GridCell cell = GridCell::parse(run.key.cell);
    if (request.keep && !request.keep(cell)) continue;
    CellGaps& gaps = cells[cell.number(request.setting)];
    gaps.table.epsilon = request.epsilon(cell);
    if (!run.failed) add_run(gaps, run, request.metric);
    for (const auto& [key, curve] : gaps.rows) all.insert(key);
  }
  ComplexityFit out;
  std::vector<GapTable> tables;
  for (auto& [setting, gaps] : cells) {
    if (gaps.rows.empty()) continue;  // every run failed: the report says how many
    fill_table(gaps, all);
    gaps.table.x = request.x ? request.x(setting) : setting;
    out.settings.push_back(setting);
    tables.push_back(std::move(gaps.table));
  }
  MetricTable clusters;
  for (const auto& [instance, draw] : all) clusters.clusters.push_back({instance, draw});
  out.runs = static_cast<int>(all.size());
  out.fit = fit_of(data, name, clusters, complexity_curve(std::move(tables), request.delta),
                   {.variance_floor = quarter_octave_variance()});
  return out;
}

Panel complexity_panel(std::string title, Axis x, const RateFit& fit) {
  Panel panel{.title = std::move(title), .x = std::move(x)};
  panel.y = {.label = "N(ε, δ) (samples)", .scale = Scale::kLog};
  panel.series = point_series("measured", fit, 0);
  if (const auto line = fit_line(fit, 0)) panel.fits = {*line};
  return panel;
}

}  // namespace speder

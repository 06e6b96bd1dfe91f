#include "speder/plots/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "speder/io/toml_file.hpp"

namespace speder {
namespace {

struct OfflineAxis {
  std::string symbol;
  std::string unit;
  std::string design;
  std::string claim;
  RateClaim theory;
  bool over_n;  // else over the cell's value
};

// Largest gap / right-hand side of the theorem, corrected by 1/√n, over all runs.
double largest_ratio(const ExperimentData& data) {
  double largest = 0;
  for (const Run& run : data.runs) {
    const std::map<double, double> theorem = curve_of(run, "theorem");
    for (const auto& [n, gap] : curve_of(run, "gap")) {
      largest = std::max(largest, gap / theorem.at(n));
    }
  }
  return largest;
}

// Least and largest number of the metric over all runs, as measured.
std::string range_of(const ExperimentData& data, std::string_view metric) {
  double low = INFINITY, high = -INFINITY;
  for (const Run& run : data.runs) {
    for (const auto& [n, value] : curve_of(run, metric)) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  return fmt::format("{} … {}", shown(low), shown(high));
}

ExperimentReport judge_offline(const ExperimentData& data, const OfflineAxis& axis) {
  double c_alpha = 0, c_lambda = 0;
  const ConfigTable config = ConfigTable::parse(data.record.config, data.record.id);
  config.read("c_alpha", c_alpha);
  config.read("c_lambda", c_lambda);
  const WorstCase worst = worst_case(
      data, "gap", "gap", [](const GridCell&) { return true; },
      [&](const CellFilter& keep) {
        return axis.over_n ? metric_over_n(data, "gap", keep)
                           : metric_over_cells(data, "value", "gap", keep);
      });
  ExperimentReport out;
  out.design =
      axis.design + fmt::format(
                        " The instances' own gaps form a ladder; the one with the largest mean gap "
                        "counts at each point. c_α = {:g}, c_λ = {:g}.",
                        c_alpha, c_lambda);
  out.findings = {rate_finding(axis.claim, worst.fit, axis.theory)};
  out.findings.front().ratio = fmt::format("≤ {:.1e}", largest_ratio(data));
  out.caveats = {
      "The ratio is the largest gap / √(ω²d⁴C* log(|F|/δ)/((1−γ)⁶ n)): the theorem with its hidden "
      "constant taken as 1 and with the 1/n that its proof gives and its statement lacks."};
  Panel panel;
  panel.x = {.label = axis.symbol + " (" + axis.unit + ")", .scale = Scale::kLog};
  panel.y = {.label = "V* − V^π̂ (value)", .scale = Scale::kLog};
  panel.series = member_series(worst, "gap");
  panel.references = theory_line(worst.fit, axis.theory);
  if (const auto line = fit_line(worst.fit, 0)) panel.fits = {*line};
  const std::size_t runs = worst.tables.empty() ? 0 : worst.tables.front().clusters.size();
  out.figures = {{.id = data.record.id,
                  .caption = fmt::format("Offline gap against {}: means over {} runs for each "
                                         "instance, and their maximum.",
                                         axis.symbol, runs),
                  .panels = {panel},
                  .columns = 1}};
  return out;
}

}  // namespace

ExperimentReport judge_off_n(const ExperimentData& data) {
  return judge_offline(data, {.symbol = "n",
                              .unit = "transitions",
                              .design = "Two-state chains, uniform behaviour: n moves.",
                              .claim = "worst-case gap falls at least like 1/√n",
                              .theory = {.exponent = -0.5},
                              .over_n = true});
}

ExperimentReport judge_off_omega(const ExperimentData& data) {
  return judge_offline(
      data, {.symbol = "ω",
             .unit = "1/probability",
             .design = "Two-state chains whose inferior action is taken with probability 1/ω: ω "
                       "moves, n stays, C* stays within " +
                       range_of(data, "c_star") + ".",
             .claim = "worst-case gap grows at most like ω",
             .theory = {.exponent = 1},
             .over_n = false});
}

ExperimentReport judge_off_coverage(const ExperimentData& data) {
  ExperimentReport out = judge_offline(
      data, {.symbol = "C*",
             .unit = "no unit",
             .design = "Needle trees under a behaviour policy of the wanted C*: C* moves, ω and n "
                       "stay.",
             .claim = "worst-case gap grows at most like √C*",
             .theory = {.exponent = 0.5},
             .over_n = false});
  out.caveats.emplace_back(
      "c_α is small, so that the estimator's own error decides. With a larger one the penalty "
      "does, "
      "and the gap is a multiple of √C* − const, whose log-log slope lies above ½ on every finite "
      "range although the bound holds.");
  return out;
}

}  // namespace speder

#include "speder/plots/analysis.hpp"

#include <fmt/format.h>

#include <cmath>

#include "speder/core/tolerance.hpp"

namespace speder {
namespace {

CellFilter variant(std::string_view name) {
  return [name](const GridCell& cell) { return cell.text("variant") == name; };
}

// Fisher (1925): −2 ∑ log pᵢ has the law χ²_{2m} when the m tests' hypotheses all hold.
Finding combined_test(std::string claim, const MetricTable& p_values) {
  double statistic = 0;
  int tests = 0;
  for (const auto& row : p_values.curve.y) {
    for (const double p : row) {
      if (std::isnan(p)) continue;
      statistic -= 2 * std::log(p);
      ++tests;
    }
  }
  const double p = tests > 0 ? chi_square_upper_tail(statistic, 2.0 * tests) : 1;
  Finding out;
  out.claim = std::move(claim);
  out.measured = p > 0 ? fmt::format("p = {:.2g}", p) : "p < 1e-300";  // the tail underflows
  out.theory = fmt::format("p > {:g}", tol::kFalseAlarm);
  out.verdict = tests == 0              ? Verdict::kInconclusive
                : p <= tol::kFalseAlarm ? Verdict::kViolated
                                        : Verdict::kConsistent;
  out.reason = fmt::format("{} χ² tests combined by Fisher's method", tests);
  return out;
}

Panel mean_panel(const MetricTable& lengths, const RateFit& fit) {
  Panel panel;
  panel.title = "mean length";
  panel.x = {.label = "1/(1−γ) (steps)", .scale = Scale::kLog};
  panel.y = {.label = "episode length (steps)", .scale = Scale::kLog};
  panel.series = {mean_series("mean and 95% interval", lengths, 0)};
  if (const auto line = fit_line(fit, 0)) panel.fits = {*line};
  panel.references = {{.label = "1/(1−γ)", .x = lengths.curve.x, .y = lengths.curve.x}};
  return panel;
}

// Pr(length > k) against k (1−γ): all discounts fall on exp(−x) as γ → 1.
Panel tail_panel(const ExperimentData& data, const std::vector<double>& horizons) {
  Panel panel;
  panel.title = "tail";
  panel.x = {.label = "k (1−γ) (no unit)"};
  panel.y = {.label = "Pr(length > k)", .scale = Scale::kLog};
  const std::size_t middle = horizons.size() / 2;
  int colour = 0;
  for (const double h : {horizons.front(), horizons[middle], horizons.back()}) {
    const CellFilter keep = [h](const GridCell& cell) {
      return cell.text("variant") == "stop" && cell.number("horizon") == h;
    };
    Series points =
        mean_series(fmt::format("1/(1−γ) = {}", h), metric_over_n(data, "tail", keep), colour++);
    const MetricTable theory = metric_over_n(data, "tail_theory", keep);
    ReferenceLine line{.label = colour == 1 ? "γᵏ" : ""};
    for (std::size_t k = 0; k < theory.curve.x.size(); ++k) {
      line.x.push_back(std::floor(theory.curve.x[k] * h / 2) / h);
      line.y.push_back(theory.curve.y.front()[k]);
    }
    for (double& x : points.x) x = std::floor(x * h / 2) / h;
    panel.series.push_back(std::move(points));
    panel.references.push_back(std::move(line));
  }
  return panel;
}

}  // namespace

ExperimentReport judge_horizon(const ExperimentData& data) {
  const MetricTable lengths = metric_over_cells(data, "horizon", "length", variant("stop"));
  ExperimentReport out;
  out.design =
      "γ moves; the MDP (simplex family, one per repetition) and the uniform policy stay. Lengths "
      "count the states visited.";
  if (lengths.curve.x.empty()) return out;
  const RateFit fit = fit_of(data, "length", lengths, mean_curve(lengths.curve));
  const auto p_values = [&](std::string_view metric, std::string_view which) {
    return metric_over_cells(data, "horizon", metric, variant(which));
  };
  out.findings = {
      rate_finding("mean length grows at most like 1/(1−γ)", fit, {.exponent = 1}),
      combined_test("Pr(length > k) = γᵏ", p_values("length_p", "stop")),
      combined_test("the state reached is distributed as d^π", p_values("state_p", "stop")),
      combined_test("stopping half as often: Pr(length > k) = γᵏ", p_values("length_p", "late"))};
  out.findings.back().role = Role::kMutation;
  out.figures = {{.id = "horizon",
                  .caption = fmt::format(
                      "Episode lengths: {} runs at each discount, bars and points are means "
                      "with 95% intervals.",
                      lengths.clusters.size()),
                  .panels = {mean_panel(lengths, fit), tail_panel(data, lengths.curve.x)},
                  .columns = 2}};
  return out;
}

}  // namespace speder

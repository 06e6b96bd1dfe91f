#include "speder/plots/analysis.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

namespace speder {
namespace {

CellFilter cells(std::string estimator, double spread) {
  return [estimator = std::move(estimator), spread](const GridCell& cell) {
    return cell.text("estimator") == estimator && cell.number("spread") == spread;
  };
}

std::string estimator_name(const std::string& id) {
  if (id == "spectral") return "least squares over all functions of rank d";
  return id == "mle" ? "maximum likelihood" : "least squares";
}

Panel panel_of(const ExperimentData& data, double spread, const std::string& metric,
               const std::string& label) {
  Panel panel{.title = fmt::format("{}, μ ~ Dirichlet({:g})", label, spread)};
  panel.x = {.label = "n (transitions)", .scale = Scale::kLog};
  panel.y = {.label = label, .scale = Scale::kLog};
  int colour = 0;
  for (const std::string estimator : {"l2", "mle", "spectral"}) {
    const MetricTable table = metric_over_n(data, metric, cells(estimator, spread));
    panel.series.push_back(mean_series(estimator_name(estimator), table, colour));
    if (const auto line =
            fit_line(fit_of(data, estimator + metric, table, mean_curve(table.curve)), colour)) {
      panel.fits.push_back(*line);
    }
    ++colour;
  }
  return panel;
}

}  // namespace

ExperimentReport judge_gen_mle(const ExperimentData& data) {
  std::set<double, std::greater<>> spreads;
  for (const Run& run : data.runs) spreads.insert(GridCell::parse(run.key.cell).number("spread"));
  ExperimentReport out;
  out.design =
      "Simplex MDPs with flat and with peaked emissions μ (the panels name the law), a multi-scale "
      "class; n moves. All estimators see the same data; `spectral` has no class, only the rank.";
  const std::pair<const char*, const char*> metrics[] = {{"l2", "E‖P̂ − P*‖₂²"},
                                                         {"l1", "(E‖P̂ − P*‖₁)²"}};
  Figure figure{.id = "gen-mle", .caption = "", .panels = {}, .columns = 2};
  std::size_t runs = 0;
  for (const double spread : spreads) {
    for (const auto& [metric, label] : metrics) {
      for (const std::string estimator : {"l2", "mle", "spectral"}) {
        // What is guaranteed: L₂ for least squares, L₁ for maximum likelihood.
        if ((estimator == "mle") != (std::string(metric) == "l1")) continue;
        const MetricTable table = metric_over_n(data, metric, cells(estimator, spread));
        runs = table.clusters.size();
        out.findings.push_back(rate_finding(
            fmt::format("{}: {} falls at least like 1/n, μ ~ Dirichlet({:g})",
                        estimator_name(estimator), label, spread),
            fit_of(data, estimator + metric, table, mean_curve(table.curve)), {.exponent = -1}));
      }
      figure.panels.push_back(panel_of(data, spread, metric, label));
    }
  }
  figure.caption =
      fmt::format("Errors of the estimators: means over {} runs with 95% intervals.", runs);
  out.figures = {figure};
  out.caveats = {
      "The third curve is no claim of the paper: the class of all functions of rank d is not "
      "finite. "
      "Its error is that of d(|S||A| + |S| − d) free numbers.",
      "Counting measure: L₂ ≤ L₁ for every row, so the L₁ guarantee is the stronger one here, as "
      "the "
      "paper says."};
  return out;
}

}  // namespace speder

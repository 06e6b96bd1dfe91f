#include "speder/plots/analysis.hpp"

namespace speder {

ExperimentReport judge_coin(const ExperimentData& data) {
  constexpr RateClaim kTheory{.exponent = -0.5};
  ExperimentReport out;
  out.design = "n moves; each run throws its own coins.";
  Panel panel;
  panel.x = {.label = "n (throws)", .scale = Scale::kLog};
  panel.y = {.label = "error (no unit)", .scale = Scale::kLog};
  for (const char* variant : {"fair", "stuck"}) {
    const auto keep = [=](const GridCell& cell) { return cell.text("variant") == variant; };
    const MetricTable table = metric_over_cells(data, "n", "error", keep);
    const RateFit fit = fit_of(data, variant, table, mean_curve(table.curve));
    out.findings.push_back(
        rate_finding(std::string(variant) + ": error falls at least like n^−½", fit, kTheory));
    const int colour = static_cast<int>(panel.series.size());
    panel.series.push_back(mean_series(variant, table, colour));
    if (const auto line = fit_line(fit, colour)) panel.fits.push_back(*line);
  }
  out.findings[1].role = Role::kMutation;
  out.figures = {{.id = "coin", .caption = "Error of the mean of n coins.", .panels = {panel}}};
  return out;
}

}  // namespace speder

#include "speder/plots/analysis.hpp"

#include <fmt/format.h>

#include <cmath>

#include "speder/io/toml_file.hpp"

namespace speder {

ExperimentReport judge_planted(const ExperimentData& data) {
  double exponent = 0;
  ConfigTable::parse(data.record.config, data.record.id).read("exponent", exponent);
  const MetricTable table = metric_over_cells(data, "x", "value");
  const RateFit fit = fit_of(data, "value", table, mean_curve(table.curve));

  ExperimentReport out;
  out.design = "x moves; the noise is the mean of standard exponentials.";
  out.findings = {
      rate_finding("value grows at most like xᵖ, p planted", fit, {.exponent = exponent}),
      rate_finding("the same against p − ½", fit, {.exponent = exponent - 0.5})};
  out.findings[1].role = Role::kMutation;

  Panel panel;
  panel.x = {.label = "x (no unit)", .scale = Scale::kLog};
  panel.y = {.label = "value (no unit)", .scale = Scale::kLog};
  panel.series = {mean_series("mean and 95% interval", table, 0)};
  if (const auto line = fit_line(fit, 0)) panel.fits = {*line};
  ReferenceLine theory{.label = fmt::format("planted: x^{}", shown(exponent))};
  for (const double x : table.curve.x) {
    theory.x.push_back(x);
    theory.y.push_back(std::pow(x, exponent));
  }
  panel.references = {theory};
  out.figures = {{.id = "planted",
                  .caption = fmt::format("Planted power law: mean over {} runs at each x.",
                                         table.clusters.size()),
                  .panels = {panel},
                  .columns = 1}};
  return out;
}

}  // namespace speder

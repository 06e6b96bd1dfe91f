#include "speder/plots/analysis.hpp"

#include <fmt/format.h>

#include "speder/io/toml_file.hpp"

namespace speder {
namespace {

WorstCase worst_regret(const ExperimentData& data, const std::string& variant) {
  return worst_case(
      data, variant, "gap", [=](const GridCell& cell) { return cell.text("variant") == variant; },
      [&](const CellFilter& keep) { return metric_over_n(data, "regret", keep); });
}

Panel regret_panel(std::string title, const WorstCase& worst, const RateClaim& claim) {
  Panel panel{.title = std::move(title)};
  panel.x = {.label = "N (episodes)", .scale = Scale::kLog};
  panel.y = {.label = "regret (value)", .scale = Scale::kLog};
  panel.series = member_series(worst, "gap");
  panel.references = theory_line(worst.fit, claim);
  if (const auto line = fit_line(worst.fit, 0)) panel.fits = {*line};
  return panel;
}

}  // namespace

ExperimentReport judge_regret(const ExperimentData& data) {
  double c_alpha = 0, c_lambda = 0;
  const ConfigTable config = ConfigTable::parse(data.record.config, data.record.id);
  config.read("c_alpha", c_alpha);
  config.read("c_lambda", c_lambda);
  const WorstCase speder = worst_regret(data, "speder");
  const WorstCase mutant = worst_regret(data, "no-bonus");
  // √(N log(N|F|/δ) log(1 + N/(d² log(N|F|/δ)))): two logarithms under the root.
  const RateClaim claim{.exponent = 0.5, .log_power = 1};

  ExperimentReport out;
  out.design = fmt::format(
      "Needle trees; the gap to the best leaf that is easily found is a ladder, and at each N the "
      "instance with the largest mean regret counts, so that neither an easy nor a harmless "
      "instance hides the rate. c_α = {:g}, c_λ = {:g}.",
      c_alpha, c_lambda);
  out.findings = {
      rate_finding("worst-case regret grows at most like √N up to logarithms", speder.fit, claim),
      rate_finding("no bonus: worst-case regret grows at most like √N", mutant.fit, claim)};
  out.findings.back().role = Role::kMutation;
  const MetricTable theorem = metric_over_n(
      data, "theorem", [](const GridCell& cell) { return cell.text("variant") == "speder"; });
  if (!theorem.curve.y.empty() && !speder.fit.points.empty()) {
    out.findings.front().ratio =
        fmt::format("{:.1e}", speder.fit.points.back().y / theorem.curve.y.front().back());
  }
  out.caveats = {
      "The ratio is regret / right-hand side of the regret lemma at the largest N, its hidden "
      "constant taken as 1."};
  const std::size_t runs = speder.tables.empty() ? 0 : speder.tables.front().clusters.size();
  out.figures = {
      {.id = "regret",
       .caption = fmt::format("Cumulative regret on needle trees: means over {} runs for "
                              "each gap, and their maximum.",
                              runs),
       .panels = {regret_panel("with bonus", speder, claim),
                  regret_panel("mutation: no bonus", mutant, claim)},
       .columns = 2}};
  return out;
}

}  // namespace speder

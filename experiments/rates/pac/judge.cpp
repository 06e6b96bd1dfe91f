#include <fmt/format.h>

#include <cmath>

#include "speder/experiments/rates/laws.hpp"
#include "speder/experiments/rates/needle_report.hpp"
#include "speder/io/toml_file.hpp"

namespace speder {
namespace {

struct PacClaim {
  std::string symbol;  // of x
  std::string rate;    // x to the theory's exponent
  std::string unit;
  double exponent;
  std::string held;  // what moves, what does not
  NeedleAxis x;
};

Finding last_point_finding(const NeedleCells& cells, const HeldOutPoint& held_out,
                           const PacClaim& claim) {
  if (cells.empty()) return held_out_finding(held_out, "", "");
  const NeedleCell& c = cells[held_out.index];
  return held_out_finding(held_out, fmt::format("{} = {:.4g}", claim.symbol, claim.x(c)),
                          shown_n(c.N.n, c.budget));
}

ExperimentReport judge_pac(const ExperimentData& data, const PacClaim& claim) {
  double delta = 0.1, c_alpha = 0, share = 0;
  const ConfigTable config = ConfigTable::parse(data.record.config, data.record.id);
  config.read("delta", delta);
  config.read("c_alpha", c_alpha);
  config.read("share", share);
  const NeedleCurves curves = needle_curves_of(data, delta);
  const NeedleCells& printed = cells_of(curves, "printed");
  const std::vector<ScalingPoint> points = scaling_points(printed, {claim.x});
  const ScalingFit fit = fit_scaling(points);
  const HeldOutPoint held_out = hold_out_last(points);

  ExperimentReport out;
  out.design =
      "Needle MDPs. " + claim.held +
      fmt::format(
          " ε is {:g} of what refusing every door loses. N(ε, δ), δ = {:g}: the n from which "
          "on the mixture of π₁ … π_n is ε-optimal in a share 1 − δ of the runs; every run has "
          "an instance of its own. The study's c_α = {:g}, c_λ = c_α². A plan in every episode.",
          share, delta, c_alpha);
  out.findings = {scaling_finding(fmt::format("N(ε, δ) grows at most like {}", claim.rate), fit, 0,
                                  claim.exponent, needle_gate(curves, delta)),
                  last_point_finding(printed, held_out, claim), optimism_finding(printed, delta),
                  failing_mutation(curves, "none", "no bonus", delta)};
  out.findings.front().ratio = theorem_ratio(printed);

  ReportTable exponents{
      .id = data.record.id + "-exponents",
      .caption = "Exponents of " + claim.symbol + " with 95% intervals.",
      .head = {"what", "exponent", "interval", "points"},
      .rows = {{"theorem, as printed", fmt::format("{:g}", claim.exponent), "", ""}}};
  const auto row = [&](const std::string& what, const ScalingFit& f) {
    exponents.rows.push_back({what, f.fitted ? shown(f.exponent[0]) : "–",
                              f.fitted ? shown(f.interval(0)) : "", fmt::format("{}", f.points)});
  };
  row("printed α", fit);
  if (curves.contains("flat"))
    row("flat: α held", fit_scaling(scaling_points(cells_of(curves, "flat"), {claim.x})));
  row("lower bound", fit_scaling(stored_points(printed, "certificate", {claim.x})));
  row("theorem with its constants and C",
      fit_scaling(stored_points(printed, "theorem", {claim.x})));
  out.tables = {std::move(exponents),
                laws_table(data.record.id + "-laws", "The printed learner.", fit, {claim.symbol}),
                needle_table(curves, data.record.id + "-N"),
                premise_table(curves, data.record.id + "-premises")};

  Panel panel{.x = {.label = claim.symbol + " (" + claim.unit + ")", .scale = Scale::kLog},
              .y = {.label = "N(ε, δ) (episodes)", .scale = Scale::kLog}};
  int colour = 0;
  for (const char* curve : {"printed", "flat", "none"}) {
    for (Series& s : needle_series(curve, cells_of(curves, curve), claim.x, colour))
      panel.series.push_back(std::move(s));
    ++colour;
  }
  if (fit.fitted)
    panel.fits.push_back(with_band(
        {.label = fmt::format("slope {} {}", shown(fit.exponent[0]), shown(fit.interval(0))),
         .slope = fit.exponent[0],
         .intercept = fit.intercept,
         .from = claim.x(printed.front()),
         .to = claim.x(printed.back()),
         .colour = 0},
        fit, 0, Vector::Zero(1)));
  constexpr double kBeside = 1.03;  // of the measured point
  if (held_out.predicted)
    panel.series.push_back(held_out_series(held_out, kBeside * claim.x(printed[held_out.index])));
  ReferenceLine bound{.label = "lower bound"};
  for (const NeedleCell& c : printed) {
    if (!c.mean.contains("certificate")) continue;
    bound.x.push_back(claim.x(c));
    bound.y.push_back(c.mean.at("certificate"));
  }
  if (bound.x.size() >= 2) panel.references.push_back(std::move(bound));
  out.figures = {
      {.id = data.record.id,
       .caption = fmt::format("Episodes to an ε-optimal mixture in {:g}% of {} runs at "
                              "each point, with the controls.",
                              100 * (1 - delta), printed.empty() ? 0 : printed.front().ends.size()),
       .panels = {panel},
       .columns = 1}};
  return out;
}

double epsilon_axis(const NeedleCell& c) {
  const auto it = c.mean.find("epsilon");
  return it == c.mean.end() ? 1 : 1 / it->second;
}

}  // namespace

ExperimentReport judge_pac_d(const ExperimentData& data) {
  return judge_pac(data,
                   {.symbol = "d",
                    .rate = "d⁴",
                    .unit = "features",
                    .exponent = 4,
                    .held = "d = 2M + 4 moves; |A|, γ, Δ, ε, all values and the log|F| of the "
                            "schedules stay.",
                    .x = [](const NeedleCell& c) { return c.rank; }});
}

ExperimentReport judge_pac_actions(const ExperimentData& data) {
  return judge_pac(data,
                   {.symbol = "|A|",
                    .rate = "|A|²",
                    .unit = "actions",
                    .exponent = 2,
                    .held = "|A| moves; d, γ, Δ, ε, all values and the log|F| of the schedules "
                            "stay. C can't be held, it is at least |A|²/d².",
                    .x = [](const NeedleCell& c) { return c.actions; }});
}

ExperimentReport judge_pac_gamma(const ExperimentData& data) {
  return judge_pac(data, {.symbol = "1/(1−γ)",
                          .rate = "1/(1−γ)⁶",
                          .unit = "steps",
                          .exponent = 6,
                          .held = "γ moves and Δ with it, so that ε stays; d, |A| and log|F| stay.",
                          .x = [](const NeedleCell& c) { return c.horizon; }});
}

ExperimentReport judge_pac_epsilon(const ExperimentData& data) {
  return judge_pac(data, {.symbol = "1/ε",
                          .rate = "1/ε²",
                          .unit = "1/value",
                          .exponent = 2,
                          .held = "Δ moves and ε with it; d, |A|, γ and log|F| stay.",
                          .x = epsilon_axis});
}

ExperimentReport judge_pac_size(const ExperimentData& data) {
  return judge_pac(data, {.symbol = "log|F|",
                          .rate = "log|F|",
                          .unit = "nats",
                          .exponent = 1,
                          .held = "The log|F| that the schedules are told moves, and the levels of "
                                  "decoys in the class with it (its own log|F| is below and in the "
                                  "table); the MDP, d, |A|, γ and ε stay. flat holds α while the "
                                  "class grows.",
                          .x = [](const NeedleCell& c) { return c.log_class; }});
}

}  // namespace speder

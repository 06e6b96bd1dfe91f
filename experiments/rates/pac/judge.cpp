#include "speder/plots/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "speder/io/toml_file.hpp"

namespace speder {
namespace {

struct PacAxis {
  std::string symbol;  // of x
  std::string rate;    // x to the theory's exponent
  std::string unit;
  double exponent;
  double decades;  // the least range that decides; the protocol's 1.5 where the axis allows
  std::string design;
  double (*x)(double value);
};

double same(double value) { return value; }

// Mean of a number that a run states once, by the cell's value.
std::map<double, double> stated(const ExperimentData& data, std::string_view metric) {
  std::map<double, double> out;
  for (const Run& run : data.runs) {
    const std::map<double, double> curve = curve_of(run, metric);
    if (!curve.empty()) out[GridCell::parse(run.key.cell).number("value")] = curve.begin()->second;
  }
  return out;
}

// N measured / N of the theorem with its hidden constant and logarithms taken as 1.
std::string ratios(const ComplexityFit& complexity, const std::map<double, double>& theorem) {
  double low = INFINITY, high = 0;
  for (std::size_t i = 0; i < complexity.settings.size(); ++i) {
    const CurvePoint& p = complexity.fit.points[i];
    if (p.censoring != Censoring::kNone) continue;
    const double ratio = p.y / theorem.at(complexity.settings[i]);
    low = std::min(low, ratio);
    high = std::max(high, ratio);
  }
  return high > 0 ? fmt::format("{:.1e} … {:.1e}", low, high) : "–";
}

// The interval of a slope is the sampling error of the line and knows nothing of points off it.
std::string neighbour_slopes(const std::vector<CurvePoint>& points) {
  std::string list;
  const CurvePoint* before = nullptr;
  for (const CurvePoint& p : points) {
    if (p.censoring != Censoring::kNone) continue;
    if (before != nullptr) {
      const double slope = std::log(p.y / before->y) / std::log(p.x / before->x);
      list += fmt::format("{}{:.2f}", list.empty() ? "" : ", ", slope);
    }
    before = &p;
  }
  return "Slopes between neighbouring points, from the left: " + list + ".";
}

ExperimentReport judge_pac(const ExperimentData& data, const PacAxis& axis) {
  double delta = 0, c_alpha = 0, c_lambda = 0;
  const ConfigTable config = ConfigTable::parse(data.record.config, data.record.id);
  config.read("delta", delta);
  config.read("c_alpha", c_alpha);
  config.read("c_lambda", c_lambda);
  const std::map<double, double> epsilon = stated(data, "epsilon");
  const ComplexityFit complexity = complexity_fit(
      data, "episodes",
      {.setting = "value",
       .metric = "gap",
       .epsilon =
           [&](const GridCell& cell) {  // no run of the cell succeeded: nothing is below NaN
             const auto it = epsilon.find(cell.number("value"));
             return it == epsilon.end() ? std::nan("") : it->second;
           },
       .x = axis.x,
       .delta = delta});

  ExperimentReport out;
  out.design = axis.design +
               fmt::format(
                   " The instance's gap is 2ε. N(ε, δ), δ = {:g}, is the quantile over runs with "
                   "an isotonic fit on a 2^(1/4) grid. c_α = {:g}, c_λ = {:g}.",
                   delta, c_alpha, c_lambda);
  const RateClaim claim{.exponent = axis.exponent, .min_decades = axis.decades};
  out.findings = {
      rate_finding(fmt::format("N(ε, δ) grows at most like {}", axis.rate), complexity.fit, claim)};
  out.findings.front().ratio = ratios(complexity, stated(data, "theorem"));
  out.caveats = {
      "The ratio is N measured / (d⁴|A|²/((1−γ)⁶ε²)): the theorem's constant and logarithms are "
      "hidden, here they are taken as 1.",
      neighbour_slopes(complexity.fit.points)};
  Axis x{.label = axis.symbol + " (" + axis.unit + ")", .scale = Scale::kLog};
  Panel panel = complexity_panel("", x, complexity.fit);
  panel.y.label = "N(ε, δ) (episodes)";
  panel.references = theory_line(complexity.fit, claim);
  out.figures = {{.id = data.record.id,
                  .caption = fmt::format("Episodes to an ε-optimal mixture in {:g}% of {} runs at "
                                         "each point.",
                                         100 * (1 - delta), complexity.runs),
                  .panels = {panel},
                  .columns = 1}};
  return out;
}

constexpr double kProtocolDecades = 1.5;

}  // namespace

ExperimentReport judge_pac_d(const ExperimentData& data) {
  constexpr double kTreeDecades = 0.8;  // d = 2^{depth+1} + 2, depth 2 to 5 or more
  return judge_pac(
      data,
      {.symbol = "d",
       .rate = "d⁴",
       .unit = "features",
       .exponent = 4,
       .decades = kTreeDecades,
       .design = "Needle trees: the depth, and with it d = 2^{depth+1} + 2, moves; |A|, |F|, γ "
                 "and ε stay. The share of time at a leaf falls like 1/(depth + 2).",
       .x = [](double depth) { return std::exp2(depth + 1) + 2; }});
}

ExperimentReport judge_pac_actions(const ExperimentData& data) {
  return judge_pac(data,
                   {.symbol = "|A|",
                    .rate = "|A|²",
                    .unit = "actions",
                    .exponent = 2,
                    .decades = 1.2,  // |A| = 4 … 64
                    .design = "Two-state chains with one best action: |A| moves; d, γ, ε, |F| "
                              "and the other actions' chances stay.",
                    .x = same});
}

ExperimentReport judge_pac_gamma(const ExperimentData& data) {
  return judge_pac(data, {.symbol = "1/(1−γ)",
                          .rate = "1/(1−γ)⁶",
                          .unit = "steps",
                          .exponent = 6,
                          .decades = 0.99,  // 1/(1−γ) = 6.4 … 64; N grows a thousandfold
                          .design = "Two-state chains whose two time scales are the horizon: γ "
                                    "moves; ε (not relative to the value), |A|, d and |F| stay.",
                          .x = same});
}

ExperimentReport judge_pac_epsilon(const ExperimentData& data) {
  return judge_pac(data, {.symbol = "1/ε",
                          .rate = "1/ε²",
                          .unit = "1/value",
                          .exponent = 2,
                          .decades = kProtocolDecades,
                          .design = "Two-state chains: ε and the gap tied to it move; γ, |A|, d "
                                    "and |F| stay.",
                          .x = same});
}

ExperimentReport judge_pac_size(const ExperimentData& data) {
  return judge_pac(
      data,
      {.symbol = "log|F|",
       .rate = "log|F|",
       .unit = "nats",
       .exponent = 1,
       .decades = 0.69,  // |F| = 4 … 1024 or more
       .design = "Random binary codes over contexts: |F| moves; the MDP's law, d, |A|, γ and ε "
                 "stay.",
       .x = [](double size) { return std::log(size); }});
}

}  // namespace speder

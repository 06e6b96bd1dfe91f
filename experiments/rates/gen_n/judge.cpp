#include "speder/plots/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "speder/io/toml_file.hpp"

namespace speder {
namespace {

constexpr double kSizeDecades = 0.75;   // log|F| of |F| = 4 … 4096
constexpr double kVolumeDecades = 1.4;  // C over a factor of 30

CellFilter cells(std::string axis, std::string variant, std::string data = "iid") {
  return [axis = std::move(axis), variant = std::move(variant),
          data = std::move(data)](const GridCell& cell) {
    return cell.text("axis") == axis && cell.text("variant") == variant &&
           cell.text("data") == data;
  };
}

// How often a data set's error exceeds the bound at any n of its grid.
Finding bound_finding(const ExperimentData& data, std::string claim, const CellFilter& keep,
                      double delta) {
  BoundCount count;
  for (const Run& run : data.runs) {
    if (run.failed || !keep(GridCell::parse(run.key.cell))) continue;
    const std::map<double, double> bound = curve_of(run, "bound");
    std::map<double, double> error;
    for (int i = 0; !(error = curve_of(run, draw_name("error", i))).empty(); ++i) {
      double ratio = 0;
      for (const auto& [n, e] : error) ratio = std::max(ratio, e / bound.at(n));
      count.add(ratio);
    }
  }
  return frequency_finding(std::move(claim), count, delta);
}

// Every fourfold n of the octaves: a quantile is one of the ladder's radii, and n times it jumps
// where the next one takes over; at one phase of that ripple its slope and bend are its own.
MetricTable one_phase(const MetricTable& table) {
  MetricTable out{.curve = {}, .clusters = table.clusters};
  out.curve.y.resize(table.curve.y.size());
  for (std::size_t k = 0; k < table.curve.x.size(); k += 2) {
    out.curve.x.push_back(table.curve.x[k]);
    for (std::size_t r = 0; r < out.curve.y.size(); ++r) {
      out.curve.y[r].push_back(table.curve.y[r][k]);
    }
  }
  return out;
}

Panel by_n(const ExperimentData& data, const RateFit& fit) {
  Panel panel{.title = "error against n"};
  panel.x = {.label = "n (transitions)", .scale = Scale::kLog};
  panel.y = {.label = "E‖P̂ − P*‖² (1/ν)", .scale = Scale::kLog};
  const MetricTable iid = metric_over_n(data, "error", cells("n", "speder"));
  panel.series = {
      mean_series("independent data", iid, 0),
      mean_series("one long run", metric_over_n(data, "error", cells("n", "speder", "run")), 1)};
  if (const auto line = fit_line(fit, 0)) panel.fits = {*line};
  const MetricTable bound = metric_over_n(data, "bound", cells("n", "speder"));
  panel.references = {mean_reference("C' log(|F|/δ)/n, C' = 41.95 C", bound)};
  return panel;
}

Panel mutations(const ExperimentData& data) {
  Panel panel{.title = "mutations"};
  panel.x = {.label = "n (transitions)", .scale = Scale::kLog};
  panel.y = {.label = "E‖P̂ − P*‖² (1/ν)", .scale = Scale::kLog};
  const std::pair<const char*, const char*> variants[] = {{"no-truth", "P* not in F"},
                                                          {"rank", "truth of rank d+1"},
                                                          {"measure", "squared term without ν"},
                                                          {"stream", "one pair for ever"}};
  int colour = 2;
  for (const auto& [variant, label] : variants) {
    panel.series.push_back(
        mean_series(label, metric_over_n(data, "error", cells("n", variant)), colour++));
  }
  return panel;
}

Panel by_setting(std::string title, Axis x, const MetricTable& table, const RateFit& fit) {
  Panel panel{.title = std::move(title), .x = std::move(x)};
  panel.y = {.label = "E‖P̂ − P*‖² (1/ν)", .scale = Scale::kLog};
  panel.series = {mean_series("mean and 95% interval", table, 0)};
  if (const auto line = fit_line(fit, 0)) panel.fits = {*line};
  return panel;
}

}  // namespace

ExperimentReport judge_gen_n(const ExperimentData& data) {
  double delta = 0;
  int states = 0;
  const ConfigTable config = ConfigTable::parse(data.record.config, data.record.id);
  config.read("delta", delta);
  config.read("states", states);

  const MetricTable iid = metric_over_n(data, "error", cells("n", "speder"));
  const MetricTable run = metric_over_n(data, "error", cells("n", "speder", "run"));
  const ComplexityFit by_size = complexity_fit(data, "size",
                                               {.setting = "size",
                                                .metric = "error",
                                                .keep = cells("F", "speder"),
                                                .epsilon = [](const GridCell&) { return 0.0; },
                                                .x = [](double size) { return std::log(size); },
                                                .delta = delta});
  const MetricTable by_density =
      with_x(metric_over_cells(data, "volume", "error", cells("C", "speder")),
             [&](double volume) { return states / volume; });
  const auto mean_fit = [&](std::string_view name, const MetricTable& table) {
    return fit_of(data, name, table, mean_curve(table.curve));
  };
  const RateFit fit = mean_fit("iid", iid);
  const MetricTable phase = one_phase(iid);
  const RateFit density_fit = mean_fit("density", by_density);
  const RateClaim inverse{.exponent = -1};

  ExperimentReport out;
  out.design =
      "Simplex MDPs and a multi-scale class around each, both drawn anew in every repetition. "
      "n: the class stays; its radii halve from scale to scale, so that n times the error repeats "
      "with every fourfold n, and the grid of n has an odd number of octaves' ends, over which "
      "that ripple has no slope. log|F|: all candidates lie at one radius, and n runs until P* "
      "itself is chosen. C: ν = v/|S| scales every density and nothing else. C is max μ over the "
      "class, at least sup f; "
      "C' = 9C/(23 log(23/20) − 3), optimised over the proof's ρ.";
  out.findings = {
      rate_finding("mean error falls at least like 1/n, independent data", fit, inverse),
      rate_finding(
          fmt::format("its {:g} quantile falls at least like 1/n, at every fourfold n", 1 - delta),
          fit_of(data, "quantile", phase, quantile_curve(phase.curve, 1 - delta)), inverse),
      rate_finding("mean error falls at least like 1/n, one long run", mean_fit("run", run),
                   inverse),
      rate_finding("n from which on P* is found grows at most like log|F|", by_size.fit,
                   {.exponent = 1, .min_decades = kSizeDecades}),
      rate_finding("mean error grows at most like C", density_fit,
                   {.exponent = 1, .min_decades = kVolumeDecades}),
      bound_finding(
          data, "Pr(error > C' log(|F|/δ)/n at any n) ≤ δ",
          [](const GridCell& c) {
            return c.text("variant") == "speder" || c.text("variant") == "sparse";
          },
          delta)};
  const std::pair<const char*, const char*> mutants[] = {
      {"no-truth", "P* taken out of F: mean error falls like 1/n"},
      {"rank", "a truth of rank d+1: mean error falls like 1/n"},
      {"measure", "squared term without ν: mean error falls like 1/n"}};
  for (const auto& [variant, claim] : mutants) {
    const MetricTable table = metric_over_n(data, "error", cells("n", variant));
    out.findings.push_back(rate_finding(claim, mean_fit(variant, table), inverse));
    out.findings.back().role = Role::kMutation;
  }
  out.findings.push_back(
      bound_finding(data, "one pair for ever, judged as independent data: Pr(error > bound) ≤ δ",
                    cells("n", "stream"), delta));
  out.findings.back().role = Role::kMutation;
  out.figures = {
      {.id = "gen-n",
       .caption = fmt::format(
           "Squared L₂ error of the least-squares estimate over a multi-scale class: means over {} "
           "runs with 95% intervals. Dashed: the theorem's explicit bound.",
           iid.clusters.size()),
       .panels = {by_n(data, fit), mutations(data),
                  complexity_panel("n until P* is found",
                                   {.label = "log|F| (nats)", .scale = Scale::kLog}, by_size.fit),
                  by_setting("error against the scale of densities",
                             {.label = "1/ν ∝ C", .scale = Scale::kLog}, by_density, density_fit)},
       .columns = 2}};
  return out;
}

}  // namespace speder

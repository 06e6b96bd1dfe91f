#include "plots/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/check.hpp"

namespace speder {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// Rows keyed by cluster, columns by x.
MetricTable make_table(const std::map<std::pair<int, int>, std::map<double, double>>& values) {
  std::set<double> xs;
  for (const auto& [cluster, row] : values) {
    for (const auto& [x, y] : row) xs.insert(x);
  }
  MetricTable out;
  out.curve.x.assign(xs.begin(), xs.end());
  for (const auto& [cluster, row] : values) {
    out.clusters.push_back({cluster.first, cluster.second});
    std::vector<double> y;
    for (const double x : out.curve.x) y.push_back(row.contains(x) ? row.at(x) : kMissing);
    out.curve.y.push_back(std::move(y));
  }
  return out;
}

}  // namespace

bool acceptable(const Finding& finding) {
  return (finding.verdict == Verdict::kViolated) == (finding.role == Role::kMutation);
}

MetricTable metric_over_cells(const ExperimentData& data, std::string_view setting,
                              std::string_view metric, const CellFilter& keep) {
  std::map<std::pair<int, int>, std::map<double, double>> values;
  for (const Run& run : data.runs) {
    const GridCell cell = GridCell::parse(run.key.cell);
    if (run.failed || (keep && !keep(cell))) continue;
    auto& row = values[{0, static_cast<int>(run.key.repetition)}];
    for (const Measure& m : run.measures) {
      if (m.metric != metric) continue;
      const bool first = row.emplace(cell.number(setting), m.value).second;
      require(first, "two numbers for one setting and repetition", run.key.cell);
    }
  }
  return make_table(values);
}

MetricTable metric_over_n(const ExperimentData& data, std::string_view metric,
                          const CellFilter& keep) {
  std::map<std::pair<int, int>, std::map<double, double>> values;
  std::map<std::string, int> instances;
  for (const Run& run : data.runs) {
    if (run.failed || (keep && !keep(GridCell::parse(run.key.cell)))) continue;
    const int instance =
        instances.emplace(run.key.cell, static_cast<int>(instances.size())).first->second;
    auto& row = values[{instance, static_cast<int>(run.key.repetition)}];
    for (const Measure& m : run.measures) {
      if (m.metric == metric) row[static_cast<double>(m.n)] = m.value;
    }
  }
  return make_table(values);
}

int failures(const ExperimentData& data) {
  return static_cast<int>(std::ranges::count_if(data.runs, &Run::failed));
}

RateFit fit_of(const ExperimentData& data, std::string_view name, const MetricTable& table,
               const CurveStatistic& statistic, const RateOptions& options) {
  if (table.clusters.empty()) return {};
  Rng rng = SeedTree(data.record.seed).child(data.record.id).stream(name);
  return fit_rate(table.clusters, statistic, rng, options);
}

Finding rate_finding(std::string claim, const RateFit& fit, const RateClaim& theory) {
  const Judgement judgement = judge(fit, theory);
  Finding out;
  out.claim = std::move(claim);
  out.measured = fit.line ? shown(fit.line->b) : "–";
  out.interval = shown(fit.slope);
  // A claim without logarithms has a round exponent.
  out.theory = theory.log_power == 0 ? fmt::format("≤ {}{:g}", theory.exponent < 0 ? "−" : "",
                                                   std::abs(theory.exponent))
                                     : "≤ " + shown(judgement.theory_slope);
  out.verdict = judgement.verdict;
  out.reason = judgement.reason;
  if (fit.line) out.reason += fmt::format("; R² = {:.3f}", fit.line->r2);
  return out;
}

Series mean_series(std::string label, const MetricTable& table, int colour) {
  Series out{.label = std::move(label), .mark = Mark::kPoints, .colour = colour};
  for (std::size_t k = 0; k < table.curve.x.size(); ++k) {
    RunningMean mean;
    for (const auto& row : table.curve.y) {
      if (!std::isnan(row[k])) mean.add(row[k]);
    }
    if (mean.count() < 2) continue;
    const Interval interval = mean_interval(mean, 0.95);
    // Nothing at or below zero can be drawn on a log axis.
    const double low = interval.low > 0 ? interval.low : mean.mean();
    if (!(mean.mean() > 0)) continue;
    out.x.push_back(table.curve.x[k]);
    out.y.push_back(mean.mean());
    out.low.push_back(low);
    out.high.push_back(interval.high);
  }
  return out;
}

std::vector<Series> point_series(const std::string& label, const RateFit& fit, int colour) {
  Series known{.label = label, .mark = Mark::kPoints, .colour = colour};
  Series bound{.label = label + ", only a bound", .mark = Mark::kPoints, .colour = colour};
  bound.censored = true;
  for (const CurvePoint& p : fit.points) {
    if (!(p.y > 0)) continue;
    Series& to = p.censoring == Censoring::kNone ? known : bound;
    to.x.push_back(p.x);
    to.y.push_back(p.y);
  }
  std::vector<Series> out = {known};
  if (!bound.x.empty()) out.push_back(bound);
  return out;
}

std::optional<FitLine> fit_line(const RateFit& fit, int colour) {
  if (!fit.line) return std::nullopt;
  FitLine out{.slope = fit.line->b, .colour = colour};
  out.label = fmt::format("slope {} {}", shown(fit.line->b), shown(fit.slope));
  out.intercept = fit.line->a - fit.line->b * fit.line->centre;
  out.from = std::numeric_limits<double>::infinity();
  for (const CurvePoint& p : fit.points) {
    if (!(p.y > 0)) continue;
    out.from = std::min(out.from, p.x);
    out.to = std::max(out.to, p.x);
  }
  return out;
}

std::string shown(double value) {
  const double size = std::abs(value);
  const bool plain = size >= 0.001 && size < 100;
  const std::string text = plain ? fmt::format("{:.3f}", size) : fmt::format("{:.3g}", size);
  return (std::signbit(value) && text != "0" ? "−" : "") + text;
}

std::string shown(Interval interval) {
  return fmt::format("[{}, {}]", shown(interval.low), shown(interval.high));
}

}  // namespace speder

#include "speder/plots/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "speder/core/check.hpp"

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

// Repetitions that every table has: all of them unless a sweep is unfinished or runs failed.
void keep_common_rows(std::vector<MetricTable>& tables) {
  std::map<int, std::size_t> seen;
  for (const MetricTable& t : tables) {
    for (const Cluster& c : t.clusters) ++seen[c.seed];
  }
  for (MetricTable& t : tables) {
    MetricTable kept{{t.curve.x, {}}, {}};
    for (std::size_t i = 0; i < t.clusters.size(); ++i) {
      if (seen[t.clusters[i].seed] != tables.size()) continue;
      kept.clusters.push_back(t.clusters[i]);
      kept.curve.y.push_back(t.curve.y[i]);
    }
    t = std::move(kept);
  }
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
    RunningMean draws;
    for (int i = 0;; ++i) {
      const std::map<double, double> curve = curve_of(run, draw_name(metric, i));
      if (curve.empty()) break;
      require(curve.size() == 1, "two numbers for one setting and repetition", run.key.cell);
      draws.add(curve.begin()->second);
    }
    auto& row = values[{0, static_cast<int>(run.key.repetition)}];
    if (draws.count() == 0) continue;
    const bool first = row.emplace(cell.number(setting), draws.mean()).second;
    require(first, "two cells for one setting", run.key.cell);
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

MetricTable with_x(MetricTable table, const std::function<double(double)>& f) {
  for (double& x : table.curve.x) x = f(x);
  if (table.curve.x.size() > 1 && table.curve.x.front() > table.curve.x.back()) {
    std::ranges::reverse(table.curve.x);
    for (auto& row : table.curve.y) std::ranges::reverse(row);
  }
  return table;
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

WorstCase worst_case(const ExperimentData& data, std::string_view name, std::string_view member,
                     const CellFilter& keep,
                     const std::function<MetricTable(const CellFilter&)>& table) {
  std::set<double> members;
  for (const Run& run : data.runs) {
    const GridCell cell = GridCell::parse(run.key.cell);
    if (keep(cell)) members.insert(cell.number(member));
  }
  WorstCase out{{members.begin(), members.end()}, {}, {}};
  for (const double m : out.members) {
    out.tables.push_back(table([&keep, member, m](const GridCell& cell) {
      return keep(cell) && cell.number(member) == m;
    }));
  }
  keep_common_rows(out.tables);
  std::vector<CurveStatistic> curves;
  for (const MetricTable& t : out.tables) curves.push_back(mean_curve(t.curve));
  if (!curves.empty()) out.fit = fit_of(data, name, out.tables.front(), worst_curve(curves));
  return out;
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
  if (fit.scatter > 1) {
    out.reason += fmt::format(
        "; the points scatter about the line by more than their errors, "
        "which makes the interval {:.1f} times as wide",
        fit.scatter);
  }
  return out;
}

void BoundCount::add(double ratio) {
  ++runs;
  not_numbers += std::isnan(ratio) ? 1 : 0;
  exceeded += ratio > 1 ? 1 : 0;
  largest = std::max(largest, ratio);
}

Finding frequency_finding(std::string claim, const BoundCount& count, double delta) {
  Finding out;
  out.claim = std::move(claim);
  out.theory = fmt::format("≤ {:g}", delta);
  if (count.runs == 0) {
    out.reason = "no runs";
    return out;
  }
  const Interval frequency = clopper_pearson(count.runs, count.exceeded, 0.95);
  out.measured = fmt::format("{}/{}", count.exceeded, count.runs);
  out.interval = shown(frequency);
  out.ratio = fmt::format("≤ {}", shown(count.largest));
  out.verdict = frequency.low > delta     ? Verdict::kViolated
                : frequency.high <= delta ? Verdict::kConsistent
                                          : Verdict::kInconclusive;
  out.reason = fmt::format("exact binomial interval; the largest measured/bound is {}",
                           shown(count.largest));
  if (count.not_numbers > 0) {
    if (out.verdict == Verdict::kConsistent) out.verdict = Verdict::kInconclusive;
    out.reason =
        fmt::format("{} of {} measured/bound are not numbers", count.not_numbers, count.runs);
  }
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

std::vector<Series> member_series(const WorstCase& worst, std::string_view name) {
  std::vector<Series> out;
  for (std::size_t i = 0; i < worst.members.size(); ++i) {
    Series line = mean_series("", worst.tables[i], 0);
    if (line.x.empty()) continue;
    line.mark = Mark::kLine;
    line.faint = true;
    line.low.clear();
    line.high.clear();
    if (out.empty()) {
      line.label = fmt::format("single instances, {} = {:g} … {:g}", name, worst.members.front(),
                               worst.members.back());
    }
    out.push_back(std::move(line));
  }
  for (Series& s : point_series("worst case", worst.fit, 0)) out.push_back(std::move(s));
  return out;
}

std::vector<ReferenceLine> theory_line(const RateFit& fit, const RateClaim& claim) {
  const auto line = fit_line(fit, 0);
  if (!line) return {};
  const double slope = judge(fit, claim).theory_slope;
  const double at = value(*line, line->from);
  return {{.label = fmt::format("theory, at most: slope {}", shown(slope)),
           .x = {line->from, line->to},
           .y = {at, at * std::pow(line->to / line->from, slope)}}};
}

ReferenceLine mean_reference(std::string label, const MetricTable& table) {
  const Series mean = mean_series("", table, 0);
  return {.label = std::move(label), .x = mean.x, .y = mean.y};
}

std::vector<Series> point_series(const std::string& label, const RateFit& fit, int colour) {
  Series known{.label = label, .mark = Mark::kPoints, .colour = colour};
  Series bound{.label = label + ", only a bound", .mark = Mark::kPoints, .colour = colour};
  bound.censored = true;
  for (std::size_t i = 0; i < fit.points.size(); ++i) {
    const CurvePoint& p = fit.points[i];
    if (!(p.y > 0)) continue;
    Series& to = p.censoring == Censoring::kNone ? known : bound;
    to.x.push_back(p.x);
    to.y.push_back(p.y);
    if (fit.errors.empty()) continue;
    to.low.push_back(fit.errors[i].low);
    to.high.push_back(fit.errors[i].high);
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
  for (const RateFit::Band& b : fit.band) {
    out.band_x.push_back(b.x);
    out.band_low.push_back(b.y.low);
    out.band_high.push_back(b.y.high);
  }
  return out;
}

FitLine with_band(FitLine line, const ScalingFit& fit, Index axis, Vector at) {
  if (!fit.fitted || fit.joint.rows() != at.size() + 1 || !(fit.covariance(axis, axis) > 0)) {
    return line;
  }
  const Interval slope = fit.interval(axis);
  const double t = (slope.high - slope.low) / 2 / std::sqrt(fit.covariance(axis, axis));
  if (!std::isfinite(t)) return line;
  constexpr int kSteps = 8;
  for (int i = 0; i <= kSteps; ++i) {
    const double x = line.from * std::pow(line.to / line.from, static_cast<double>(i) / kSteps);
    at[axis] = std::log(x);
    Vector u(at.size() + 1);  // log N = u · (intercept, exponents)
    u << 1, at;
    const double half = t * std::sqrt(std::max(0.0, u.dot(fit.joint * u)));
    line.band_x.push_back(x);
    line.band_low.push_back(value(line, x) * std::exp(-half));
    line.band_high.push_back(value(line, x) * std::exp(half));
  }
  return line;
}

std::string shown(double value) {
  const double size = std::abs(value);
  const bool plain = size >= 0.001 && size < 100;
  const std::string text = plain ? fmt::format("{:.3f}", size) : fmt::format("{:.3g}", size);
  return (std::signbit(value) && text != "0" ? "−" : "") + text;
}

std::string shown(Interval interval) {
  if (!std::isfinite(interval.low) || !std::isfinite(interval.high)) return "[no interval]";
  return fmt::format("[{}, {}]", shown(interval.low), shown(interval.high));
}

}  // namespace speder

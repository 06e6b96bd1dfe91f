#include "speder/plots/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "speder/core/tolerance.hpp"

namespace speder {
namespace {

constexpr const char* kSvd = "SVD of P(s'|s,a)";
constexpr std::array kOthers = {"successor features", "proto-value functions", "Krylov basis",
                                "spectral state-aggregation"};

MetricTable errors(const ExperimentData& data, const std::string& fit, const char* name) {
  return metric_over_cells(data, "distance", fmt::format("{} {}", fit, name));
}

Finding exact(const ExperimentData& data, const std::string& fit, std::string claim) {
  double largest = 0;
  std::size_t count = 0;
  std::size_t not_numbers = 0;
  for (const auto& row : errors(data, fit, kSvd).curve.y) {
    for (const double e : row) {
      ++count;
      not_numbers += std::isnan(e) ? 1 : 0;
      largest = std::max(largest, e);
    }
  }
  Finding out;
  out.claim = std::move(claim);
  out.theory = fmt::format("≤ {:g} (rounding)", tol::kLinearSolve);
  out.reason = fmt::format("largest of {} fits", count);
  if (count == 0) return out;
  out.measured = fmt::format("{:.1e}", largest);
  out.verdict = largest <= tol::kLinearSolve ? Verdict::kConsistent : Verdict::kViolated;
  if (not_numbers == 0) return out;
  out.reason = fmt::format("{} of {} fits are not numbers", not_numbers, count);
  if (out.verdict == Verdict::kConsistent) out.verdict = Verdict::kInconclusive;
  return out;
}

// Error at the far policy minus error at the policy the features were made for, same MDP.
Finding grows(const ExperimentData& data, const char* name) {
  const MetricTable table = errors(data, "v", name);
  RunningMean growth;
  for (const auto& row : table.curve.y) {
    if (!row.empty()) growth.add(row.back() - row.front());
  }
  const Interval interval = mean_interval(growth, 0.95);
  Finding out;
  out.claim = fmt::format("{}: V of another policy is fitted worse than V of its own", name);
  out.measured = shown(growth.mean());
  out.interval = shown(interval);
  out.theory = "> 0";
  out.verdict = interval.low > 0    ? Verdict::kConsistent
                : interval.high < 0 ? Verdict::kViolated
                                    : Verdict::kInconclusive;
  out.reason = "growth of the missed share from κ = 0 to κ = 1";
  return out;
}

Panel panel_of(const ExperimentData& data, const std::string& fit, std::string title) {
  Panel panel{.title = std::move(title)};
  panel.x = {.label = "κ, distance of the policy (no unit)"};
  panel.y = {.label = "share of the deviation missed", .low = -0.02, .high = 1.05};
  int colour = 0;
  for (const char* name : {kSvd, kOthers[0], kOthers[1], kOthers[2], kOthers[3]}) {
    const MetricTable table = errors(data, fit, name);
    Series line{.label = name, .mark = Mark::kLinePoints, .colour = colour++};
    for (std::size_t k = 0; k < table.curve.x.size(); ++k) {
      RunningMean mean;
      for (const auto& row : table.curve.y) mean.add(row[k]);
      line.x.push_back(table.curve.x[k]);
      line.y.push_back(mean.mean());
      const Interval interval = mean_interval(mean, 0.95);  // within what a share can be
      line.low.push_back(std::clamp(interval.low, 0.0, mean.mean()));
      line.high.push_back(std::max(std::min(interval.high, 1.0), mean.mean()));
    }
    panel.series.push_back(std::move(line));
  }
  return panel;
}

}  // namespace

ExperimentReport judge_table1(const ExperimentData& data) {
  ExperimentReport out;
  out.design =
      "Simplex MDPs of rank d. Features are built under one deterministic policy π and fitted to "
      "the values of (1−κ)π + κπ°. Q: as many weights as the SVD of P has (state features are "
      "lifted by the action); V: d state features, what they were made for. Where r is not in the "
      "range of P, r is subtracted for all alike.";
  out.findings = {exact(data, "q_equal", "SVD of P at rank d: Q of every policy is fitted exactly"),
                  exact(data, "v", "SVD of P at rank d: V of every policy is fitted exactly")};
  for (const char* name : kOthers) out.findings.push_back(grows(data, name));
  out.figures = {
      {.id = "table1",
       .caption = fmt::format("Best linear fit by spectral features built under another "
                              "policy: mean over {} MDPs. At rank d the Krylov basis and "
                              "the state aggregation span the same functions. Bars: 95%.",
                              errors(data, "v", kSvd).clusters.size()),
       .panels = {panel_of(data, "v", "V of the target policy"),
                  panel_of(data, "q_equal", "Q, equal dimension")},
       .columns = 2}};
  return out;
}

}  // namespace speder

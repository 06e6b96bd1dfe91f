#include "speder/plots/analysis.hpp"

#include <fmt/format.h>

#include <cmath>

namespace speder {
namespace {

constexpr double kSolved = 0.5;    // lost less than half of what there is to gain
constexpr double kReliable = 0.9;  // share of runs in which a learner that works solves its task
constexpr double kDeep = 3;        // locks of two levels open by the two uniform actions alone

CellFilter cells(std::string variant) {
  return [variant = std::move(variant)](const GridCell& cell) {
    return cell.text("variant") == variant;
  };
}

struct Count {
  std::int64_t runs = 0, solved = 0;
};

// By the value of the setting.
std::map<double, Count> solved(const ExperimentData& data, const std::string& setting,
                               const std::string& variant) {
  std::map<double, Count> out;
  for (const Run& run : data.runs) {
    const GridCell cell = GridCell::parse(run.key.cell);
    if (run.failed || cell.text("variant") != variant) continue;
    Count& count = out[cell.number(setting)];
    ++count.runs;
    count.solved += curve_of(run, "lost").begin()->second < kSolved ? 1 : 0;
  }
  return out;
}

Count pooled(const std::map<double, Count>& counts, double from) {
  Count out;
  for (const auto& [x, c] : counts) {
    if (x < from) continue;
    out.runs += c.runs;
    out.solved += c.solved;
  }
  return out;
}

Finding reliable(std::string claim, const Count& count) {
  Finding out;
  out.claim = std::move(claim);
  out.theory = fmt::format("≥ {:g}", kReliable);
  if (count.runs == 0) {
    out.reason = "no runs";
    return out;
  }
  const Interval share = clopper_pearson(count.runs, count.solved, 0.95);
  out.measured = fmt::format("{}/{}", count.solved, count.runs);
  out.interval = shown(share);
  out.verdict = share.low >= kReliable   ? Verdict::kConsistent
                : share.high < kReliable ? Verdict::kViolated
                                         : Verdict::kInconclusive;
  out.reason = fmt::format(
      "share of runs that lose less than {:g} of what there is to gain; exact "
      "binomial interval",
      kSolved);
  return out;
}

// Mean loss without minus mean loss with, paired by instance and data.
Finding better(const ExperimentData& data) {
  const MetricTable with = metric_over_cells(data, "omega", "lost", cells("penalty"));
  const MetricTable without = metric_over_cells(data, "omega", "lost", cells("no-penalty"));
  RunningMean difference;
  for (std::size_t i = 0; i < std::min(with.curve.y.size(), without.curve.y.size()); ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < with.curve.x.size(); ++k)
      sum += without.curve.y[i][k] - with.curve.y[i][k];
    difference.add(sum / static_cast<double>(with.curve.x.size()));
  }
  Finding out;
  out.claim = "the penalty reduces the loss under poor coverage";
  out.theory = "> 0";
  const Interval interval = mean_interval(difference, 0.95);
  out.measured = shown(difference.mean());
  out.interval = shown(interval);
  out.verdict = interval.low > 0    ? Verdict::kConsistent
                : interval.high < 0 ? Verdict::kViolated
                                    : Verdict::kInconclusive;
  out.reason = "difference of the share lost, without minus with the penalty, on the same data";
  return out;
}

Series share_series(std::string label, const std::map<double, Count>& counts, int colour) {
  Series out{.label = std::move(label), .mark = Mark::kLinePoints, .colour = colour};
  for (const auto& [x, c] : counts) {
    const Interval share = clopper_pearson(c.runs, c.solved, 0.95);
    out.x.push_back(x);
    out.y.push_back(static_cast<double>(c.solved) / static_cast<double>(c.runs));
    out.low.push_back(share.low);
    out.high.push_back(share.high);
  }
  return out;
}

}  // namespace

ExperimentReport judge_ablate(const ExperimentData& data) {
  const auto bonus = solved(data, "depth", "bonus");
  const auto none = solved(data, "depth", "no-bonus");
  ExperimentReport out;
  out.design =
      "Online: combination locks of growing depth, the same budget of episodes; most rivals say "
      "that the lock does not open. Offline: trees whose other leaves are reached with probability "
      "1/ω a step; most rivals say that a prize is there. With and without see the same instances.";
  out.findings = {
      reliable("with bonus: locks of three levels and more are opened", pooled(bonus, kDeep)),
      reliable("no bonus: locks of three levels and more are opened", pooled(none, kDeep)),
      better(data)};
  out.findings[1].role = Role::kMutation;
  Panel online{.title = "online: lock"};
  online.x = {.label = "depth (levels)"};
  online.y = {.label = "share of runs that open it", .low = 0, .high = 1.05};
  online.series = {share_series("UCB", bonus, 0), share_series("no bonus", none, 1)};
  Panel offline{.title = "offline: poor coverage"};
  offline.x = {.label = "ω (1/probability)", .scale = Scale::kLog};
  offline.y = {.label = "share of runs near the optimum", .low = 0, .high = 1.05};
  offline.series = {share_series("LCB", solved(data, "omega", "penalty"), 0),
                    share_series("no penalty", solved(data, "omega", "no-penalty"), 1)};
  const std::int64_t runs = bonus.empty() ? 0 : bonus.begin()->second.runs;
  out.figures = {
      {.id = "ablate",
       .caption = fmt::format("Shares of {} runs at each point with exact 95% intervals. "
                              "Solved: less than half of the possible gain is lost.",
                              runs),
       .panels = {online, offline},
       .columns = 2}};
  return out;
}

}  // namespace speder

#include "speder/experiments/rates/offline/points.hpp"

#include <fmt/format.h>

#include <optional>

namespace speder {

ExperimentReport judge_off_calibrate(const ExperimentData& data) {
  const double delta = offline_setting(data, "delta", 0.1);
  // c_α → cell → (runs, pessimistic ones)
  std::map<double, std::map<std::string, std::pair<int, int>>> counts;
  for (const Run& run : data.runs) {
    if (run.failed) continue;
    for (const Measure& m : run.measures) {
      auto& [runs, held] = counts[std::stod(m.metric.substr(m.metric.find('.') + 1))][run.key.cell];
      ++runs;
      held += m.value == 1 ? 1 : 0;
    }
  }
  ExperimentReport out;
  out.design =
      "All cells of off-n, off-omega and off-C, on seeds of their own: the share of runs that are "
      "pessimistic, V̂ ≤ V^π̂, at every n. The study's c_α is the least at which it is 1−δ or more "
      "in "
      "every cell.";
  ReportTable table;
  table.id = "off-calibrate";
  table.caption = "The least share over the cells.";
  table.head = {"c_α", "least share", "cell"};
  std::optional<double> least;
  for (const auto& [constant, cells] : counts) {
    double worst = 1;
    std::string where;
    for (const auto& [cell, count] : cells) {
      const double share = static_cast<double>(count.second) / count.first;
      if (share < worst) {
        worst = share;
        where = cell;
      }
    }
    table.rows.push_back({fmt::format("{:g}", constant), shown(worst), where});
    if (worst < 1 - delta) {
      least.reset();
    } else if (!least) {
      least = constant;
    }
  }
  out.tables = {std::move(table)};
  Finding finding;
  finding.claim = "some c_α makes the learner pessimistic in every cell";
  finding.measured = least ? fmt::format("c_α = {:g}", *least) : "–";
  finding.theory = fmt::format("1−δ = {:g}", 1 - delta);
  finding.verdict = least ? Verdict::kConsistent : Verdict::kInconclusive;
  finding.reason =
      least ? "the least of the constants tried" : "none of the constants tried is large enough";
  out.findings = {std::move(finding)};
  return out;
}

}  // namespace speder

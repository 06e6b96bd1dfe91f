#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "speder/experiments/rates/needle_report.hpp"
#include "speder/io/toml_file.hpp"

namespace speder {

ExperimentReport judge_calibrate(const ExperimentData& data) {
  double delta = 0.1, chosen = 0;
  std::vector<double> constants;
  const ConfigTable config = ConfigTable::parse(data.record.config, data.record.id);
  config.read("delta", delta);
  config.read("chosen", chosen);
  config.read("constants", constants);
  const NeedleCurves curves = needle_curves_of(data, delta);

  ExperimentReport out;
  out.design = fmt::format(
      "Algorithm 1 on needle MDPs with the printed schedules, c_λ = c_α², until the mixture is "
      "ε-optimal. A run counts if V̂ ≥ V* in every one of its plans. The study's c_α is the "
      "smallest of "
      "the grid at which a share 1 − δ = {:g} of the runs counts in every cell.",
      1 - delta);
  ReportTable table{.id = "calibrate",
                    .caption = "Share of runs in which every plan is optimistic, and of all plans.",
                    .head = {"c_α", "d", "|A|", "runs", "lower bound", "plans"},
                    .rows = {}};
  std::map<double, double> worst;  // lower bound of the worst cell, by constant
  for (const auto& [curve, cells] : curves) {
    for (const NeedleCell& c : cells) {
      const double c_alpha = c.scale * constants.front();
      const double runs = c.mean.at("optimistic");
      const auto count = static_cast<std::int64_t>(c.ends.size());
      const auto held = std::llround(runs * static_cast<double>(count));
      const double sure = clopper_pearson(count, held, 0.95).low;
      const auto known = worst.emplace(c_alpha, sure).first;
      known->second = std::min(known->second, sure);
      table.rows.push_back({fmt::format("{:g}", c_alpha), fmt::format("{:g}", c.rank),
                            fmt::format("{:g}", c.actions), fmt::format("{}/{}", held, count),
                            fmt::format("{:.3f}", sure),
                            fmt::format("{:.3f}", c.mean.at("optimism"))});
    }
  }
  std::ranges::sort(table.rows, [](const auto& a, const auto& b) {
    return std::stod(a.front()) < std::stod(b.front());
  });
  Finding finding{.claim = fmt::format("c_α = {:g} is the smallest constant of the grid at which "
                                       "every plan is optimistic in a share 1 − δ of the runs, "
                                       "surely",
                                       chosen),
                  .theory = fmt::format("{:g}", chosen)};
  const auto first =
      std::ranges::find_if(worst, [&](const auto& w) { return w.second >= 1 - delta; });
  if (worst.empty() || first == worst.end()) {
    finding.reason = "no constant of the grid is enough";
  } else {
    constexpr double kSame = 1e-9;  // a constant is read, divided and multiplied again
    finding.measured = fmt::format("{:g}", first->first);
    finding.verdict =
        std::abs(first->first / chosen - 1) < kSame ? Verdict::kConsistent : Verdict::kViolated;
    finding.reason = fmt::format("the lower bound of its worst cell is {:.3f}", first->second);
  }
  out.findings = {finding};
  Panel panel{.x = {.label = "c_α (no unit)", .scale = Scale::kLog},
              .y = {.label = "share of runs, lower bound, worst cell", .low = 0.0, .high = 1.05}};
  Series series{.label = "every plan optimistic", .mark = Mark::kLinePoints};
  ReferenceLine line{.label = "1 − δ"};
  for (const auto& [c_alpha, share] : worst) {
    series.x.push_back(c_alpha);
    series.y.push_back(share);
    line.x.push_back(c_alpha);
    line.y.push_back(1 - delta);
  }
  if (!series.x.empty()) {
    panel.series.push_back(std::move(series));
    panel.references.push_back(std::move(line));
  }
  out.figures = {{.id = "calibrate",
                  .caption = "Optimism of all plans by the constant of the bonus, worst cell.",
                  .panels = {panel},
                  .columns = 1}};
  out.tables = {std::move(table)};
  return out;
}

}  // namespace speder

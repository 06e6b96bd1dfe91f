#include "speder/deep/imitate/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "speder/sweep/grid_cell.hpp"

namespace speder::deep {
namespace {

constexpr double kConfidence = 0.95;

std::size_t rank(const std::string& method) {
  const auto& all = imitation_methods();
  return static_cast<std::size_t>(
      std::ranges::find(all, method, [](const auto& m) { return std::string(m.name); }) -
      all.begin());
}

ImitateRow empty_row(const GridCell& cell) {
  ImitateRow row;
  row.body = cell.text("body") == "ant" ? "AntMaze" : "PointMaze";
  row.data = cell.text("layout") + " " + cell.text("style");
  row.method = cell.text("method");
  row.window = cell.has("window") ? static_cast<int>(cell.number("window")) : 0;
  return row;
}

void add(ImitateRow& row, const Run& run) {
  if (run.failed) {
    ++row.failed;
    return;
  }
  for (const Measure& m : run.measures) {
    if (m.metric == "success") row.curve[m.n].push_back(m.value);
    if (m.metric == "final_success") row.success.push_back(m.value);
    if (m.metric == "last_success") row.last.push_back(m.value);
    if (m.metric == "phase1_small_mass") row.small_mass.push_back(m.value);
  }
}

}  // namespace

std::string label(const ImitateRow& row) {
  return row.window > 0 ? fmt::format("{} t={}", row.method, row.window) : row.method;
}

std::vector<ImitateRow> imitate_rows(const std::vector<Run>& runs, const ImitateSuite& suite) {
  std::vector<ImitateRow> rows;
  for (const Run& run : runs) {
    const ImitateRow fresh = empty_row(GridCell::parse(run.key.cell));
    const auto same = [&](const ImitateRow& r) {
      return std::tie(r.body, r.data, r.method, r.window) ==
             std::tie(fresh.body, fresh.data, fresh.method, fresh.window);
    };
    auto found = std::ranges::find_if(rows, same);
    if (found == rows.end()) found = rows.insert(rows.end(), fresh);
    add(*found, run);
  }
  for (ImitateRow& row : rows) {
    RunningMean mean;
    for (const double s : row.success) mean.add(s);
    row.mean = mean.mean();
    row.interval = success_interval(row.success, suite.base.final_episodes);
  }
  std::ranges::stable_sort(rows, {}, [](const ImitateRow& r) {
    return std::tuple(r.body, r.data.starts_with("large"), r.data, rank(r.method), r.window);
  });
  return rows;
}

Interval success_interval(const std::vector<double>& seeds, int episodes) {
  if (seeds.empty()) return {0, 1};
  RunningMean mean;
  for (const double s : seeds) mean.add(s);
  const std::int64_t n = episodes * mean.count();
  const auto reached = static_cast<std::int64_t>(std::lround(mean.mean() * static_cast<double>(n)));
  const Interval by_seed = mean_interval(mean, kConfidence);
  const Interval pooled = clopper_pearson(n, reached, kConfidence);
  const double low = std::max(0.0, std::min(by_seed.low, pooled.low));
  const double high = std::min(1.0, std::max(by_seed.high, pooled.high));
  return {std::min(low, mean.mean()), std::max(high, mean.mean())};  // a mean may round to above 1
}

Difference difference(const ImitateRow& a, const ImitateRow& b) {
  const double value = a.mean - b.mean;
  return {value,
          {value - std::hypot(a.mean - a.interval.low, b.interval.high - b.mean),
           value + std::hypot(a.interval.high - a.mean, b.mean - b.interval.low)}};
}

std::string imitate_table(const std::vector<ImitateRow>& rows) {
  std::string out = "| data | method | success | 95% interval | seeds |\n|---|---|---:|---|---|\n";
  for (const ImitateRow& r : rows) {
    if (r.success.empty()) continue;
    std::string seeds;
    for (const double s : r.success) seeds += fmt::format("{}{:.2f}", seeds.empty() ? "" : " ", s);
    out += fmt::format("| {}-{} | {} | {:.3f} | {:.2f} to {:.2f} | {} |\n", r.body, r.data,
                       label(r), r.mean, r.interval.low, r.interval.high, seeds);
  }
  return out;
}

}  // namespace speder::deep

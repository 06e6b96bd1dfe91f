#include "deep/cli/imitate_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/grid_cell.hpp"
#include "core/statistics.hpp"
#include "deep/imitate/config.hpp"

namespace speder::deep::cli {
namespace {

constexpr double kConfidence = 0.95;

/// Methods in their table's order, skills by length.
std::size_t rank(const std::string& method) {
  const auto& all = imitation_methods();
  const std::string name = method.substr(0, method.find(' '));
  return static_cast<std::size_t>(
      std::find_if(all.begin(), all.end(), [&](const auto& m) { return m.name == name; }) -
      all.begin());
}

}  // namespace

std::vector<ImitateRow> imitate_rows(const std::vector<Run>& runs, int episodes) {
  std::map<std::pair<std::string, std::string>, ImitateRow> found;
  for (const Run& run : runs) {
    const GridCell cell = GridCell::parse(run.key.cell);
    const std::string data =
        fmt::format("{}-{} {}", cell.text("body") == "ant" ? "AntMaze" : "PointMaze",
                    cell.text("layout"), cell.text("style"));
    std::string method = cell.text("method");
    if (cell.has("window")) method += " t=" + cell.text("window");
    for (const Measure& m : run.measures) {
      if (m.metric != "final_success") continue;
      ImitateRow& row = found[{data, method}];
      row.data = data;
      row.method = method;
      row.success.push_back(m.value);
    }
  }
  std::vector<ImitateRow> rows;
  for (auto& [key, row] : found) {
    RunningMean mean;
    for (const double s : row.success) mean.add(s);
    const Interval seeds = mean_interval(mean, kConfidence);
    const std::int64_t n = episodes * mean.count();
    const auto reached =
        static_cast<std::int64_t>(std::lround(mean.mean() * static_cast<double>(n)));
    const Interval pooled = clopper_pearson(n, reached, kConfidence);
    row.mean = mean.mean();
    row.low = std::max(0.0, std::min(seeds.low, pooled.low));
    row.high = std::min(1.0, std::max(seeds.high, pooled.high));
    rows.push_back(std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const ImitateRow& a, const ImitateRow& b) {
    return std::pair(a.data, rank(a.method)) < std::pair(b.data, rank(b.method));
  });
  return rows;
}

std::string imitate_table(const std::vector<ImitateRow>& rows) {
  std::string out = "| data | method | success | 95% interval | seeds |\n|---|---|---:|---|---|\n";
  for (const ImitateRow& r : rows) {
    std::string seeds;
    for (const double s : r.success) seeds += fmt::format("{}{:.2f}", seeds.empty() ? "" : " ", s);
    out += fmt::format("| {} | {} | {:.3f} | {:.2f} to {:.2f} | {} |\n", r.data, r.method, r.mean,
                       r.low, r.high, seeds);
  }
  return out;
}

Figure imitate_figure(const std::vector<ImitateRow>& rows, const std::string& suite) {
  Figure f{.id = "imitate",
           .caption = fmt::format("Share of episodes that reach the goal ({} suite): mean over "
                                  "seeds; 95% interval, the hull of Student's over seeds and the "
                                  "exact binomial one over episodes.",
                                  suite),
           .panels = {},
           .columns = 2};
  for (const ImitateRow& row : rows) {
    if (f.panels.empty() || f.panels.back().title != row.data) {
      f.panels.push_back({.title = row.data,
                          .x = {.label = "method, in the order of the legend", .low = 0},
                          .y = {.label = "success", .low = 0, .high = 1.05}});
    }
    Panel& p = f.panels.back();
    const auto place = static_cast<double>(p.series.size() + 1);
    p.x.high = place + 1;
    p.series.push_back({.label = row.method,
                        .x = {place},
                        .y = {row.mean},
                        .low = {row.low},
                        .high = {row.high},
                        .mark = Mark::kPoints,
                        .colour = static_cast<int>(p.series.size()) % kColours});
  }
  return f;
}

}  // namespace speder::deep::cli

#include "speder/deep/results/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "speder/core/check.hpp"
#include "speder/deep/results/run_settings.hpp"
#include "speder/deep/train/loop.hpp"

namespace speder::deep {
namespace {

/// The longest runs of one task, algorithm and preset.
struct Group {
  OurCell cell;
  std::vector<double> values;
};

std::string cell_text(const MeanStd& v) {
  return fmt::format("{:.1f} ± {:.1f}", v.mean, v.deviation);
}

/// "±" is two bytes and one column wide.
std::string padded(const std::string& text, std::size_t width) {
  std::size_t columns = 0;
  for (const char c : text) columns += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  return std::string(width > columns ? width - columns : 1, ' ') + text;
}

constexpr std::size_t kNameWidth = 26;
constexpr std::size_t kCellWidth = 19;

/// A name longer than its column has a line of its own.
std::string line(const std::string& name, const std::vector<std::string>& cells) {
  std::string out = name + (name.size() < kNameWidth ? std::string(kNameWidth - name.size(), ' ')
                                                     : "\n" + std::string(kNameWidth, ' '));
  for (const std::string& c : cells) out += padded(c, kCellWidth);
  while (out.ends_with(' ')) out.pop_back();
  return out + "\n";
}

}  // namespace

MeanStd mean_std(const std::vector<double>& values) {
  MeanStd out;
  const auto n = static_cast<double>(values.size());
  for (const double v : values) out.mean += v / n;
  for (const double v : values) out.deviation += (v - out.mean) * (v - out.mean);
  out.deviation = values.size() > 1 ? std::sqrt(out.deviation / (n - 1)) : 0;
  return out;
}

bool is_training(const GridCell& cell) {
  return cell.has("env") && cell.has("algorithm") && cell.has("preset") && cell.has("steps");
}

std::vector<OurCell> summarise(const std::vector<Run>& runs) {
  std::map<std::tuple<std::string, std::string, std::string>, Group> groups;
  for (const Run& run : runs) {
    const GridCell cell = GridCell::parse(run.key.cell);
    if (!is_training(cell)) continue;
    Group& g = groups[{cell.text("env"), cell.text("algorithm"), settings_label(cell)}];
    const auto steps = static_cast<std::int64_t>(cell.number("steps"));
    if (steps < g.cell.steps) continue;
    if (steps > g.cell.steps) {
      g = {.cell = {.env = cell.text("env"),
                    .algorithm = cell.text("algorithm"),
                    .preset = settings_label(cell),
                    .value = {},
                    .steps = steps},
           .values = {}};
    }
    const double value = final_return(run.measures);
    if (run.failed || std::isnan(value)) {
      ++g.cell.failed;
    } else {
      g.values.push_back(value);
    }
  }
  std::vector<OurCell> cells;
  for (auto& [key, g] : groups) {
    g.cell.seeds = static_cast<int>(g.values.size());
    if (!g.values.empty()) g.cell.value = mean_std(g.values);
    cells.push_back(g.cell);
  }
  return cells;
}

std::string format_table(std::string_view suite, const std::vector<OurCell>& ours) {
  const std::vector<std::string>& envs = suite_envs(suite);
  std::string out = line(fmt::format("suite {}", suite), envs);
  for (const PublishedRow& row : published_rows()) {
    if (row.suite != suite) continue;
    std::vector<std::string> cells;
    for (const MeanStd& v : row.cells) cells.push_back(cell_text(v));
    out += line(fmt::format("{} (published)", row.method), cells);
  }
  std::map<std::pair<std::string, std::string>, std::vector<const OurCell*>> rows;
  for (const OurCell& cell : ours) {
    const auto column = std::find(envs.begin(), envs.end(), cell.env);
    if (column == envs.end()) continue;
    auto& row = rows[{cell.algorithm, cell.preset}];
    row.resize(envs.size(), nullptr);
    row[static_cast<std::size_t>(column - envs.begin())] = &cell;
  }
  for (const auto& [key, row] : rows) {
    std::vector<std::string> values, notes;
    for (const OurCell* cell : row) {
      const bool any = cell != nullptr && cell->seeds > 0;
      values.push_back(!any               ? ""
                       : cell->seeds == 1 ? fmt::format("{:.1f}", cell->value.mean)
                                          : cell_text(cell->value));
      notes.push_back(cell == nullptr
                          ? ""
                          : fmt::format("{} seed{}, {}K{}", cell->seeds,
                                        cell->seeds == 1 ? "" : "s", cell->steps / 1000,
                                        cell->failed > 0
                                            ? ", " + std::to_string(cell->failed) + " failed"
                                            : ""));
    }
    out += line(fmt::format("{} ({}, ours)", key.first, key.second), values);
    out += line("", notes);
  }
  return out;
}

}  // namespace speder::deep

#include "speder/deep/results/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "speder/core/check.hpp"
#include "speder/deep/results/misprints.hpp"
#include "speder/deep/results/run_settings.hpp"
#include "speder/deep/train/loop.hpp"

namespace speder::deep {
namespace {

/// The longest runs of one task, algorithm and preset.
struct Group {
  OurCell cell;
  std::vector<double> values;
};

std::string steps_text(std::int64_t steps) {
  return steps % 1000 == 0 ? fmt::format("{}K", steps / 1000) : fmt::format("{} steps", steps);
}

std::string note_text(const OurCell& c) {
  std::string note =
      fmt::format("{} seed{}, {}", c.seeds, c.seeds == 1 ? "" : "s", steps_text(c.steps));
  if (c.failed > 0) note += fmt::format(", {} failed", c.failed);
  if (c.unevaluated > 0) note += fmt::format(", {} not evaluated", c.unevaluated);
  return note;
}

/// Columns on a terminal: "±" is two bytes and one column wide.
std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

constexpr std::size_t kWidestName = 26;  // a longer one has lines of its own
constexpr std::size_t kGap = 2;

struct TableLine {
  std::string name;
  std::vector<std::string> cells;
};

/// A name on lines of at most `width` columns, broken at blanks.
std::string wrapped(std::string_view name, std::size_t width) {
  std::string out;
  while (columns_of(name) > width) {
    const std::size_t blank = name.rfind(' ', width);
    const std::size_t cut = blank == 0 || blank == std::string_view::npos ? name.find(' ') : blank;
    if (cut == std::string_view::npos) break;
    out += std::string(name.substr(0, cut)) + "\n";
    name.remove_prefix(cut + 1);
  }
  return out + std::string(name);
}

/// The lines with cells [from, to) of each; a line without any of them is left out.
std::string block(const std::vector<TableLine>& lines, const std::vector<std::size_t>& widths,
                  std::size_t from, std::size_t to, std::size_t width) {
  const std::size_t name_width = widths.back();
  std::string out;
  for (const TableLine& l : lines) {
    std::string text = l.name;
    if (columns_of(text) > name_width) text = wrapped(text, width) + "\n";
    text += std::string(
        name_width - std::min(name_width, columns_of(text.substr(text.rfind('\n') + 1))), ' ');
    bool any = false;
    for (std::size_t i = from; i < to; ++i) {
      any = any || !l.cells[i].empty();
      text += std::string(widths[i] - columns_of(l.cells[i]), ' ') + l.cells[i];
    }
    if (!any) continue;
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  }
  return out;
}

/// As many columns side by side as fit, then the next ones below, each block with all its names.
std::string blocks(const std::vector<TableLine>& lines, std::size_t width) {
  const std::size_t columns = lines.at(0).cells.size();
  std::vector<std::size_t> widths(columns + 1,
                                  0);  // of the cells with their gap, then of the names
  for (const TableLine& l : lines) {
    for (std::size_t i = 0; i < columns; ++i) {
      widths[i] = std::max(widths[i], columns_of(l.cells[i]) + kGap);
    }
    const std::size_t name = columns_of(l.name);
    if (name <= kWidestName) widths.back() = std::max(widths.back(), name);
  }
  std::string out;
  for (std::size_t from = 0, to = 0; from < columns; from = to) {
    std::size_t used = widths.back() + widths[from];
    for (to = from + 1; to < columns && used + widths[to] <= width; ++to) used += widths[to];
    out += (out.empty() ? "" : "\n") + block(lines, widths, from, to, width);
  }
  return out;
}

/// The planners and model-based learners of the published row "Best MBBL" that are here.
bool is_model_based(std::string_view algorithm) {
  return algorithm == "metrpo" || algorithm == "rs" || algorithm == "pets-rs" ||
         algorithm == "pets-cem";
}

/// Per task the largest mean of ours among them, and whose it is. Nothing when there is none.
std::vector<TableLine> best_model_based(const std::vector<std::string>& envs,
                                        const std::vector<OurCell>& ours) {
  TableLine values{"best model-based (ours)", std::vector<std::string>(envs.size())};
  TableLine names{{}, values.cells};
  bool any = false;
  for (std::size_t i = 0; i < envs.size(); ++i) {
    const OurCell* best = nullptr;
    for (const OurCell& cell : ours) {
      const bool counts = cell.env == envs[i] && cell.seeds > 0 && is_model_based(cell.algorithm);
      if (counts && (best == nullptr || cell.value.mean > best->value.mean)) best = &cell;
    }
    if (best == nullptr) continue;
    any = true;
    values.cells[i] = fmt::format("{:.1f}", best->value.mean);
    names.cells[i] = fmt::format("{}, {}", best->algorithm, steps_text(best->steps));
  }
  return any ? std::vector{values, names} : std::vector<TableLine>{};
}

}  // namespace

std::string cell_text(const MeanStd& v) {
  return std::isnan(v.deviation) ? fmt::format("{:.1f}", v.mean)
                                 : fmt::format("{:.1f} ± {:.1f}", v.mean, v.deviation);
}

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
    const auto result = final_return(run.measures);
    if (run.failed) {
      ++g.cell.failed;
    } else if (!result) {
      ++g.cell.unevaluated;
    } else {
      g.values.push_back(result->mean);
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

std::string command_that_shows(std::string_view experiment, const std::string& store) {
  if (experiment.starts_with("deep-")) return "speder deep table " + store;
  const bool page = experiment.starts_with("imitate-") || experiment.starts_with("heatmap-");
  return (page ? "speder deep report " : "speder report ") + store;
}

std::vector<ResultRow> result_rows(std::string_view suite, const std::vector<OurCell>& ours) {
  const std::vector<std::string>& envs = suite_envs(suite);
  std::vector<ResultRow> out;
  for (const PublishedRow& row : published_rows()) {
    if (row.suite != suite) continue;
    ResultRow& line =
        out.emplace_back(ResultRow{.name = std::string(row.method), .published = true});
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      line.values.emplace_back(row.cells[i]);
      line.notes.emplace_back();
      line.misprints.push_back(misprint_of(row, i));
    }
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
    ResultRow& line =
        out.emplace_back(ResultRow{.name = fmt::format("{} ({})", key.first, key.second)});
    for (const OurCell* cell : row) {
      line.misprints.push_back(-1);
      line.notes.push_back(cell == nullptr ? "" : note_text(*cell));
      line.values.emplace_back();
      if (cell == nullptr || cell->seeds == 0) continue;
      line.values.back() = cell->value;
      if (cell->seeds == 1) line.values.back()->deviation = std::nan("");  // not known
    }
  }
  return out;
}

std::string format_table(std::string_view suite, const std::vector<OurCell>& ours, int width) {
  std::vector<TableLine> lines = {{fmt::format("suite {}", suite), suite_envs(suite)}};
  for (const ResultRow& row : result_rows(suite, ours)) {
    TableLine values{row.published ? row.name + " (published)"
                                   : row.name.substr(0, row.name.size() - 1) + ", ours)",
                     {}};
    TableLine notes{"", row.notes};
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      values.cells.push_back(row.values[i]          ? cell_text(*row.values[i])
                             : row.notes[i].empty() ? ""
                                                    : "-");
      if (row.misprints[i] < 0) continue;
      values.cells.back() += fmt::format(" [{}]", row.misprints[i] + 1);
    }
    lines.push_back(std::move(values));
    if (!row.published) lines.push_back(std::move(notes));
  }
  for (TableLine& line : best_model_based(suite_envs(suite), ours))
    lines.push_back(std::move(line));
  std::string out = blocks(lines, static_cast<std::size_t>(width));
  for (const std::string& note : misprint_notes(suite))
    out += wrapped(note, static_cast<std::size_t>(width)) + "\n";
  return out;
}

std::vector<std::string> preset_labels(const std::vector<OurCell>& ours) {
  std::vector<std::string> out;
  for (const OurCell& cell : ours) out.push_back(cell.preset);
  return out;
}

std::vector<std::string> misprint_notes(std::string_view suite) {
  std::vector<std::string> out;
  for (const Misprint& m : misprints()) {
    if (suite != "mbbl") continue;
    out.push_back(fmt::format("[{}] {} on {} is {:.1f} ± {:.1f} in its source; printed is {}.",
                              out.size() + 1, m.method, m.env, m.right.mean, m.right.deviation,
                              m.why));
  }
  return out;
}

}  // namespace speder::deep

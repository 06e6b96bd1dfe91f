#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "speder/core/check.hpp"
#include "speder/plots/layout/frame.hpp"
#include "speder/plots/layout/rich_text.hpp"

namespace speder {
namespace {

constexpr double kInch = 72;         // points
constexpr double kPanelWidth = 3.4;  // inches: a journal's column
constexpr double kShape = 0.56;      // height of a box / width of its panel
constexpr double kTallest = 0.8;     // the same where a heat map stands beside others
constexpr double kAlone = 1.0;       // and where heat maps stand alone
constexpr double kSample = 2.6, kAfter = 0.5, kBetween = 1.5,
                 kRow = 1.35;  // of the legend, in font sizes

// The colours' range of every panel: that of all heat maps with its name.
std::vector<HeatRange> heat_ranges(const Figure& figure) {
  std::map<std::string, HeatRange> ranges;
  for (const Panel& panel : figure.panels) {
    if (!panel.heat) continue;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    HeatRange& r =
        ranges.try_emplace(panel.heat->label, HeatRange{kInfinity, -kInfinity}).first->second;
    for (const double v : panel.heat->values.reshaped()) {
      if (!std::isfinite(v)) continue;
      r.low = std::min(r.low, v);
      r.high = std::max(r.high, v);
    }
  }
  std::vector<HeatRange> out;
  for (const Panel& panel : figure.panels) {
    HeatRange r = panel.heat ? ranges.at(panel.heat->label) : HeatRange{};
    if (!(r.high > r.low))
      r = std::isfinite(r.low) ? HeatRange{r.low - 0.5, r.low + 0.5} : HeatRange{};
    out.push_back(r);
  }
  return out;
}

struct LegendEntry {
  KeyEntry key;
  std::vector<std::string> lines;
  double width = 0;  // in font sizes
};

// Marks that look alike and mean different things in different panels carry the panels' letters.
std::vector<std::string> letters_of(const std::vector<KeyEntry>& keys, std::size_t panels,
                                    bool& used) {
  std::vector<std::string> out(keys.size());
  for (std::size_t i = 0; i < keys.size() && panels > 1; ++i) {
    const bool alike = std::ranges::any_of(
        keys, [&](const KeyEntry& k) { return k.label != keys[i].label && k.looks_like(keys[i]); });
    if (!alike) continue;
    used = true;
    for (const int p : keys[i].panels)
      out[i] += fmt::format("{}{}", out[i].empty() ? "" : ", ", static_cast<char>('a' + p % 26));
    out[i] = "(" + out[i] + ") ";
  }
  return out;
}

std::vector<LegendEntry> legend_of(const std::vector<KeyEntry>& keys,
                                   const std::vector<std::string>& letters, double width) {
  std::vector<LegendEntry> out;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    LegendEntry e{.key = keys[i],
                  .lines = wrapped_text(letters[i] + keys[i].label, width - kSample - kAfter - 1)};
    for (const std::string& l : e.lines) e.width = std::max(e.width, text_width(l));
    e.width += kSample + kAfter;
    out.push_back(std::move(e));
  }
  return out;
}

// Rows of a legend: as many columns as fit, read column by column, or where only one would fit, entries
// one after another.
struct LegendRows {
  std::vector<double> columns;  // widths; empty: entries one after another
  std::vector<std::vector<const LegendEntry*>> rows;
};
LegendRows legend_rows(std::span<const LegendEntry> entries, double width) {
  constexpr std::size_t kMost = 5;
  LegendRows out;
  std::size_t columns = 1, rows = entries.size();
  for (std::size_t n = std::min(kMost, entries.size()); n > 1; --n) {
    const std::size_t high = (entries.size() + n - 1) / n;
    if (columns > 1 && high != rows) break;
    std::vector<double> widths((entries.size() + high - 1) / high, 0);
    for (std::size_t i = 0; i < entries.size(); ++i)
      widths[i / high] = std::max(widths[i / high], entries[i].width);
    double total = kBetween * static_cast<double>(widths.size() - 1);
    for (const double w : widths) total += w;
    if (total > width) continue;
    // As few columns as have no more rows: no entry is left alone in the last.
    columns = widths.size();
    rows = high;
    out.columns = std::move(widths);
  }
  if (columns > 1) {
    out.rows.resize(rows);
    for (std::size_t i = 0; i < entries.size(); ++i) out.rows[i % rows].push_back(&entries[i]);
    return out;
  }
  double used = 0;
  for (const LegendEntry& e : entries) {
    const bool fits = !out.rows.empty() && used + kBetween + e.width <= width;
    if (!fits) out.rows.emplace_back();
    used = fits ? used + kBetween + e.width : e.width;
    out.rows.back().push_back(&e);
  }
  return out;
}

// Draws the legend from `top` on and returns where it ends. What does not fit into one row has the marks of
// the measurements in rows of their own, above those of fits and theory.
double add_legend(Scene& scene, std::vector<LegendEntry> list, double left, double top,
                  double width, double unit) {
  const auto measured = [](const LegendEntry& e) {
    return e.key.kind == KeyEntry::Kind::kSeries || e.key.kind == KeyEntry::Kind::kFilled;
  };
  const std::span<const LegendEntry> entries = list;
  std::vector<LegendRows> groups = {legend_rows(entries, width / unit)};
  if (groups.front().rows.size() > 1) {
    const auto split = entries.size() - std::ranges::stable_partition(list, measured).size();
    groups = {legend_rows(entries.first(split), width / unit),
              legend_rows(entries.subspan(split), width / unit)};
  }
  double y = top;
  int number = 0;
  for (const LegendRows& group : groups) {
    for (const auto& row : group.rows) {
      double x = left, lines = 1;
      for (std::size_t c = 0; c < row.size(); ++c) {
        const LegendEntry& e = *row[c];
        add_sample(scene, e.key, number++, {x + kSample * unit / 2, y + unit * kRow / 2},
                   kSample * unit, unit);
        for (std::size_t l = 0; l < e.lines.size(); ++l) {
          scene.add(Words{.at = {x + (kSample + kAfter) * unit,
                                 y + unit * (kRow / 2 + 0.36 + kRow * static_cast<double>(l))},
                          .text = e.lines[l],
                          .size = unit,
                          .role = "legend"});
        }
        lines = std::max(lines, static_cast<double>(e.lines.size()));
        x += ((group.columns.empty() ? e.width : group.columns[c]) + kBetween) * unit;
      }
      y += kRow * unit * lines;
    }
  }
  return y;
}

// The height of the boxes of a row of panels whose boxes are that wide.
double box_height(std::span<const Panel> row, double panel_width, double box_width) {
  double height = kShape * panel_width, heat = 0;
  bool all = true;
  for (const Panel& p : row) {
    if (!p.heat || p.heat->values.cols() == 0) {
      all = false;
      continue;
    }
    heat = std::max(heat, box_width * static_cast<double>(p.heat->values.rows()) /
                              static_cast<double>(p.heat->values.cols()));
  }
  if (heat == 0) return height;
  return all ? std::min(heat, kAlone * panel_width)
             : std::max(height, std::min(heat, kTallest * panel_width));
}

}  // namespace

void set_font(PictureStyle& style, const std::string& text) {
  const std::size_t comma = text.rfind(',');
  const std::string name = text.substr(0, comma);
  const std::string size = comma == std::string::npos ? "" : text.substr(comma + 1);
  for (const char c : name) {
    const bool word = (std::isalnum(static_cast<unsigned char>(c)) != 0) || c == ' ' || c == '-';
    if (!word)
      throw InputError(
          "--font: a name of letters, digits, blanks and '-', then a comma and a size: 'Liberation "
          "Sans,9'");
  }
  if (!name.empty()) style.font = name;
  if (size.empty()) return;
  char* end = nullptr;
  const double points = std::strtod(size.c_str(), &end);
  if (*end != '\0' || !(points >= 4 && points <= 40))
    throw InputError("--font: a size of 4 to 40 points after the comma, not '" + size + "'");
  style.size = points;
}

namespace {

// As many columns as the figure wants, fewer where its panels would be too narrow to be read.
std::size_t columns_of(const Figure& figure, double width, double unit) {
  constexpr double kNarrowest = 19, kNarrowestHeat = 14;  // font sizes
  const bool heat =
      std::ranges::all_of(figure.panels, [](const Panel& p) { return p.heat.has_value(); });
  const double least = (heat ? kNarrowestHeat : kNarrowest) * unit;
  auto columns = std::min(static_cast<std::size_t>(figure.columns), figure.panels.size());
  while (columns > 1 && width < least * static_cast<double>(columns)) --columns;
  return columns;
}

// The panels of a figure and their places: boxes of one width, whatever stands beside them.
struct Grid {
  std::size_t columns = 1;
  std::vector<PanelPlan> plans = {};
  std::vector<double> left = {}, right = {};  // margins of each column
  std::vector<double> heights = {};           // of the boxes of each row
  double box_width = 0;
};

Grid grid_of(const Figure& figure, double width, double unit, bool letters) {
  const auto panels = figure.panels.size();
  Grid out{.columns = columns_of(figure, width, unit)};
  const double panel_width = width / static_cast<double>(out.columns);
  const std::vector<HeatRange> heats = heat_ranges(figure);
  constexpr int kRounds = 3;  // the margins depend on the ticks, and these on the boxes
  out.box_width = panel_width - 8 * unit;  // a first guess
  for (int round = 0; round < kRounds; ++round) {
    out.plans.clear();
    out.heights.clear();
    out.left.assign(out.columns, 0);
    out.right.assign(out.columns, 0);
    for (std::size_t i = 0; i < panels; ++i) {
      const std::size_t column = i % out.columns;
      if (column == 0)
        out.heights.push_back(
            box_height(std::span(figure.panels).subspan(i, std::min(out.columns, panels - i)),
                       panel_width, out.box_width));
      const Panel& panel = figure.panels[i];
      const bool next = (i + 1) % out.columns != 0 && i + 1 < panels && figure.panels[i + 1].heat &&
                        panel.heat && figure.panels[i + 1].heat->label == panel.heat->label;
      const std::string letter =
          letters ? fmt::format("({})", static_cast<char>('a' + i % 26)) : "";
      out.plans.push_back(plan_panel(panel, letter, panel_width, out.box_width, out.heights.back(),
                                     unit, heats[i], panel.heat && !next));
      out.left[column] = std::max(out.left[column], out.plans.back().left);
      out.right[column] = std::max(out.right[column], out.plans.back().right);
    }
    double margins = 0;
    for (std::size_t c = 0; c < out.columns; ++c) margins += out.left[c] + out.right[c];
    const double least = 4 * unit;  // words that leave no room are cut off, not the marks
    out.box_width = std::max((width - margins) / static_cast<double>(out.columns), least);
  }
  return out;
}

}  // namespace

Scene layout(const Figure& figure, const PictureStyle& style) {
  require_drawable(figure);
  const auto panels = figure.panels.size();
  const double unit = style.size;
  Scene scene;
  scene.width =
      kInch * (style.width > 0
                   ? style.width
                   : kPanelWidth * static_cast<double>(
                                       std::min(static_cast<std::size_t>(figure.columns), panels)));
  const std::vector<KeyEntry> keys = key_entries(figure);
  bool letters_used = false;
  const std::vector<std::string> letters = letters_of(keys, panels, letters_used);
  const auto references = reference_numbers(figure);
  Grid grid = grid_of(figure, scene.width, unit, letters_used);
  const std::size_t columns = grid.columns;
  double y = 0.2 * unit;
  for (std::size_t row = 0; row * columns < panels; ++row) {
    double top = 0, bottom = 0;
    const std::size_t first = row * columns, last = std::min(first + columns, panels);
    for (std::size_t i = first; i < last; ++i) {
      top = std::max(top, grid.plans[i].top);
      bottom = std::max(bottom, grid.plans[i].bottom);
    }
    double x = 0;
    for (std::size_t i = first; i < last; ++i) {
      PanelPlan& plan = grid.plans[i];
      const double left = grid.left[i - first], right = grid.right[i - first];
      plan.from = x;
      plan.to = x + left + grid.box_width + right;
      add_panel(scene, plan, {x + left, y + top, plan.to - right, y + top + grid.heights[row]},
                unit, references);
      x = plan.to;
    }
    y += top + grid.heights[row] + bottom + 0.4 * unit;
  }
  const double margin = unit;
  const double text = scene.width - 2 * margin;
  y = add_legend(scene, legend_of(keys, letters, text / unit), margin, y, text, unit);
  if (!figure.note.empty()) {
    for (const std::string& line : wrapped_text(figure.note, text / unit)) {
      y += kRow * unit;
      scene.add(Words{.at = {margin, y - 0.3 * unit}, .text = line, .size = unit, .role = "note"});
    }
  }
  scene.height = y + 0.5 * unit;
  return scene;
}

}  // namespace speder

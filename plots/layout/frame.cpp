#include "speder/plots/layout/frame.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "speder/plots/layout/rich_text.hpp"

namespace speder {
namespace {

using Kind = Paint::Kind;
constexpr double kLine = 1.25;    // of a line of text, in font sizes, as all below
constexpr double kTick = 0.35;    // length of a tick
constexpr double kPad = 0.35;     // between a tick and its label, a label and the next thing
constexpr double kMiddle = 0.36;  // from the baseline to the middle of a digit
constexpr double kSlant = 35;     // degrees of names that do not fit side by side
constexpr double kBarWidth = 0.9, kBarGap = 0.7;
constexpr int kMostTicks = 8;

double widest(const std::vector<Tick>& ticks) {
  double out = 0;
  for (const Tick& t : ticks) out = std::max(out, text_width(t.label));
  return out;
}

// Fewer labels until neighbours stand apart; `size(label)` is what one takes along the axis.
template <class Size>
std::vector<Tick> ticks_apart(const AxisMap& map, double gap, Size size) {
  std::vector<Tick> out;
  for (int most = kMostTicks; most >= 1; --most) {
    out = ticks_of(map, most);
    const Tick* before = nullptr;
    bool fits = true;
    for (const Tick& t : out) {
      if (t.label.empty()) continue;
      if (before != nullptr)
        fits = fits && std::abs(map(t.at) - map(before->at)) >=
                           (size(t.label) + size(before->label)) / 2 + gap;
      before = &t;
    }
    if (fits) break;
  }
  return out;
}

// Names of cells or bars at 0, 1, …: every k-th where all do not fit.
std::vector<Tick> name_ticks(const std::vector<std::string>& names, double distance, double unit,
                             bool across) {
  double need = 0;
  for (const std::string& n : names)
    need = std::max(need, across ? text_width(n) * unit + kPad * unit * 1.5 : kLine * unit);
  const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(need / distance - 1e-9)));
  std::vector<Tick> out;
  for (std::size_t i = 0; i < names.size(); i += every)
    out.push_back({static_cast<double>(i), names[i]});
  return out;
}

// Round numbers along cells that lie on a scale, at the places of their cells.
std::vector<Tick> scale_ticks(const Interval& scale, Index cells, double from, double to,
                              double unit, bool across) {
  AxisMap map{.low = scale.low, .high = scale.high, .from = from, .to = to};
  const auto size = [&](const std::string& label) {
    return across ? text_width(label) * unit : unit;
  };
  std::vector<Tick> out = ticks_apart(map, unit * (across ? 0.9 : 0.5), size);
  for (Tick& t : out)
    t.at = (t.at - scale.low) / (scale.high - scale.low) * static_cast<double>(cells) - 0.5;
  return out;
}

std::vector<Tick> y_ticks_of(const Panel& panel, const AxisMap& y, double unit) {
  if (!panel.heat) return ticks_apart(y, unit * 0.5, [&](const std::string&) { return unit; });
  const auto cells = panel.heat->values.rows();
  const double distance = std::abs(y.to - y.from) / static_cast<double>(std::max<Index>(cells, 1));
  return panel.heat->y_scale ? scale_ticks(*panel.heat->y_scale, cells, y.from, y.to, unit, false)
                             : name_ticks(panel.heat->rows, distance, unit, false);
}

std::vector<Tick> x_ticks_of(const Panel& panel, const AxisMap& x, double unit) {
  if (panel.heat) {
    const auto cells = panel.heat->values.cols();
    return panel.heat->x_scale ? scale_ticks(*panel.heat->x_scale, cells, x.from, x.to, unit, true)
                               : name_ticks(panel.heat->columns,
                                            std::abs(x.to - x.from) /
                                                static_cast<double>(std::max<Index>(cells, 1)),
                                            unit, true);
  }
  if (!panel.bars.empty()) {  // every bar has its name
    std::vector<Tick> out;
    for (const BarGroup& group : panel.bars)
      out.push_back({static_cast<double>(out.size()), group.label});
    return out;
  }
  return ticks_apart(x, unit * 0.9,
                     [&](const std::string& label) { return text_width(label) * unit; });
}

std::vector<Tick> colour_ticks(const HeatRange& range, double height, double unit) {
  AxisMap map{.low = range.low, .high = range.high, .from = height, .to = 0};
  return ticks_apart(map, unit * 0.9, [&](const std::string&) { return unit; });
}

void add_lines_of_text(Scene& scene, const std::vector<std::string>& lines, Point first,
                       double unit, double angle, std::string_view role) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const double step = kLine * unit * static_cast<double>(i);
    scene.add(
        Words{.at = angle == 0 ? Point{first.x, first.y + step} : Point{first.x + step, first.y},
              .text = lines[i],
              .size = unit,
              .align = Align::kMiddle,
              .angle = angle,
              .role = role});
  }
}

// The name of a bar below it; one line where it is a number of an axis.
std::vector<std::string> name_lines(const std::string& name, double width) {
  return width > 0 ? wrapped_text(name, width) : std::vector<std::string>{name};
}

// What a slanted name shows; the whole is in the numbers beside the figure.
std::string slanted_name(const std::string& name) {
  constexpr double kLongest = 16;  // font sizes
  if (text_width(name) <= kLongest) return name;
  std::string out;
  for (const std::string& c : characters(name)) {
    if (text_width(out + c + "…") > kLongest) break;
    out += c;
  }
  return out + "…";
}

// The middle of a centred text, moved so far that the text stays on the panel's part of the page.
double on_page(const std::vector<std::string>& lines, double middle, const PanelPlan& plan,
               double unit) {
  constexpr double kClear = 0.4;  // font sizes
  double half = 0;
  for (const std::string& l : lines) half = std::max(half, text_width(l) * unit / 2);
  const double first = plan.from + half + kClear * unit, last = plan.to - half - kClear * unit;
  return first > last ? (plan.from + plan.to) / 2 : std::clamp(middle, first, last);
}

void add_colour_bar(Scene& scene, const PanelPlan& plan, const Box& box, double unit) {
  constexpr int kSteps = 64;
  const double x0 = box.x1 + kBarGap * unit, x1 = x0 + kBarWidth * unit;
  for (int i = 0; i < kSteps; ++i) {
    const double y1 = box.y1 - box.height() * i / kSteps,
                 y0 = std::max(box.y0, box.y1 - box.height() * (i + 1) / kSteps - 0.2);
    scene.add(Outline{.paths = {{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}},
                      .closed = true,
                      .fill = {.kind = Kind::kFixed, .rgb = heat_colour((i + 0.5) / kSteps)},
                      .role = "cell"});
  }
  std::vector<Path> marks;
  double widest_label = 0;
  for (const Tick& t : colour_ticks(plan.heat, box.height(), unit)) {
    const AxisMap map{.low = plan.heat.low, .high = plan.heat.high, .from = box.y1, .to = box.y0};
    const double y = map(t.at);
    marks.push_back({{x1, y}, {x1 + kTick * unit, y}});
    scene.add(Words{.at = {x1 + (kTick + kPad) * unit, y + kMiddle * unit},
                    .text = t.label,
                    .size = unit,
                    .role = "tick"});
    widest_label = std::max(widest_label, text_width(t.label));
  }
  scene.add(Outline{.paths = std::move(marks),
                    .stroke = {.paint = {.kind = Kind::kText}, .width = 0.6},
                    .role = "axis"});
  const double x = x1 + (kTick + 2 * kPad + widest_label + 0.85) * unit;
  add_lines_of_text(scene, wrapped_text(plan.panel->heat->label, box.height() / unit),
                    {x, (box.y0 + box.y1) / 2}, unit, 90, "label");
}

void add_grid(Scene& scene, const PanelPlan& plan, const Box& box,
              const std::vector<Tick>& x_ticks) {
  if (plan.panel->heat) return;
  std::vector<Path> lines;
  for (const Tick& t : plan.y_ticks) {
    if (!t.label.empty()) lines.push_back({{box.x0, plan.y(t.at)}, {box.x1, plan.y(t.at)}});
  }
  for (const Tick& t : x_ticks) {
    if (!t.label.empty() && plan.panel->bars.empty())
      lines.push_back({{plan.x(t.at), box.y0}, {plan.x(t.at), box.y1}});
  }
  if (!lines.empty())
    scene.add(Outline{.paths = std::move(lines),
                      .stroke = {.paint = {.kind = Kind::kGrid}, .width = 0.5},
                      .role = "grid"});
}

void add_axes(Scene& scene, const PanelPlan& plan, const Box& box, double unit,
              const std::vector<Tick>& x_ticks) {
  std::vector<Path> lines = {{{box.x0, box.y0}, {box.x0, box.y1}, {box.x1, box.y1}}};
  for (const Tick& t : plan.y_ticks) {
    const double y = plan.y(t.at), length = (t.label.empty() ? kTick / 2 : kTick) * unit;
    lines.push_back({{box.x0 - length, y}, {box.x0, y}});
    if (t.label.empty()) continue;
    scene.add(Words{.at = {box.x0 - (kTick + kPad) * unit, y + kMiddle * unit},
                    .text = t.label,
                    .size = unit,
                    .align = Align::kEnd,
                    .role = "tick"});
  }
  for (const Tick& t : x_ticks) {
    const double x = plan.x(t.at), length = (t.label.empty() ? kTick / 2 : kTick) * unit;
    if (plan.panel->bars.empty()) lines.push_back({{x, box.y1}, {x, box.y1 + length}});
    if (t.label.empty()) continue;
    if (!plan.slanted) {
      add_lines_of_text(scene, name_lines(t.label, plan.name_width),
                        {x, box.y1 + (kTick + kPad + 0.75) * unit}, unit, 0, "tick");
      continue;
    }
    scene.add(Words{.at = {x + kPad * unit, box.y1 + (kTick + kPad + 0.4) * unit},
                    .text = slanted_name(t.label),
                    .size = unit,
                    .align = Align::kEnd,
                    .angle = kSlant,
                    .role = "tick"});
  }
  scene.add(Outline{.paths = std::move(lines),
                    .stroke = {.paint = {.kind = Kind::kText}, .width = 0.7},
                    .role = "axis"});
}

// A linear axis that ends where a mark stands is longer by the mark, so that none lies on the frame.
AxisMap with_room(AxisMap map, const Panel& panel) {
  constexpr double kRoom = 0.03;  // of the range
  if (map.log) return map;
  const double room = kRoom * (map.high - map.low);
  bool low = false, high = false;
  for (const Series& s : panel.series) {
    if (s.mark == Mark::kLine || s.faint) continue;
    for (const double x : s.x) {
      low = low || (x >= map.low && x < map.low + room);
      high = high || (x <= map.high && x > map.high - room);
    }
  }
  if (low) map.low -= room;
  if (high) map.high += room;
  return map;
}

}  // namespace

PanelPlan plan_panel(const Panel& panel, const std::string& letter, double panel_width,
                     double box_width, double box_height, double unit, HeatRange heat,
                     bool colour_bar) {
  PanelPlan out{.panel = &panel, .heat = heat, .colour_bar = colour_bar};
  out.x = with_room(axis_range(panel.x, drawn_x(panel)), panel);
  out.y = axis_range(panel.y, drawn_y(panel));
  if (panel.heat) {
    out.x = {.low = -0.5, .high = static_cast<double>(panel.heat->values.cols()) - 0.5};
    out.y = {.low = -0.5, .high = static_cast<double>(panel.heat->values.rows()) - 0.5};
  } else if (!panel.bars.empty()) {
    out.x = {.low = -0.6, .high = static_cast<double>(panel.bars.size()) - 0.4};
  }
  out.y.from = box_height;
  out.y.to = 0;
  out.y_ticks = y_ticks_of(panel, out.y, unit);
  const std::string title =
      letter.empty() ? panel.title : letter + (panel.title.empty() ? "" : " " + panel.title);
  if (!title.empty()) out.title = wrapped_text(title, panel_width / unit - 2);
  if (!panel.x.label.empty()) out.x_label = wrapped_text(panel.x.label, panel_width / unit - 4);
  if (!panel.y.label.empty()) out.y_label = wrapped_text(panel.y.label, box_height / unit + 2);
  const auto rows = [](const std::vector<std::string>& lines) {
    return kLine * static_cast<double>(lines.size());
  };
  out.left = unit * (kTick + 2 * kPad + widest(out.y_ticks) + rows(out.y_label) + 0.3);
  out.right = unit * 1.2;
  if (colour_bar) {
    const auto ticks = colour_ticks(heat, box_height, unit);
    out.right =
        unit *
        (kBarGap + kBarWidth + kTick + 2 * kPad + widest(ticks) +
         kLine * static_cast<double>(wrapped_text(panel.heat->label, box_height / unit).size()) +
         0.6);
  }
  if (!panel.heat && panel.bars.empty()) {  // half of the last number stands beyond the axis
    constexpr double kClearOfEdge = 0.3;
    AxisMap across = out.x;
    across.from = 0;
    across.to = box_width;
    for (const Tick& t : x_ticks_of(panel, across, unit)) {
      const double end = across(t.at) + text_width(t.label) * unit / 2;
      out.right = std::max(out.right, end - box_width + kClearOfEdge * unit);
    }
  }
  out.top = unit * (0.6 + rows(out.title));
  double names = 1;
  if (!panel.bars.empty()) {
    if (std::ranges::all_of(panel.bars, [](const BarGroup& g) { return g.label.empty(); }))
      names = 0;
    constexpr double kMostLines = 4, kBetween = 0.8;
    const double distance = box_width / static_cast<double>(panel.bars.size()) / unit;
    out.name_width = std::max(1.0, distance - kBetween);
    for (const BarGroup& group : panel.bars) {
      const auto lines = name_lines(group.label, out.name_width);
      names = std::max(names, 1 + kLine * static_cast<double>(lines.size() - 1));
      for (const std::string& l : lines)
        out.slanted = out.slanted || text_width(l) > out.name_width;
    }
    out.slanted = out.slanted || names > kMostLines * kLine;
    if (out.slanted) {
      const double turn = kSlant * std::numbers::pi / 180;
      double longest = 0, middle = 0.5 * distance;
      for (const BarGroup& group : panel.bars) {
        const double width = text_width(slanted_name(group.label));
        longest = std::max(longest, width);
        out.left = std::max(out.left, (std::cos(turn) * width - middle + 0.5) * unit);
        middle += distance;
      }
      names = std::sin(turn) * longest + 0.9;
    }
  }
  out.bottom = unit * (kTick + kPad + names + rows(out.x_label) + 0.5);
  return out;
}

void add_panel(Scene& scene, PanelPlan plan, Box box, double unit,
               const std::map<std::string, int>& references) {
  const Panel& panel = *plan.panel;
  const Box outer = box;
  if (panel.heat && panel.heat->values.size() > 0) {  // square cells
    const auto columns = static_cast<double>(panel.heat->values.cols()),
               rows = static_cast<double>(panel.heat->values.rows());
    const double cell = std::min(box.width() / columns, box.height() / rows);
    const double left = (box.width() - cell * columns) / 2;
    box = {box.x0 + left, box.y1 - cell * rows, box.x0 + left + cell * columns, box.y1};
  }
  plan.x.from = box.x0;
  plan.x.to = box.x1;
  plan.y.from = box.y1;
  plan.y.to = box.y0;
  plan.y_ticks = y_ticks_of(panel, plan.y, unit);
  const std::vector<Tick> x_ticks = x_ticks_of(panel, plan.x, unit);
  const PanelPlace place{.box = box, .x = plan.x, .y = plan.y, .unit = unit};
  add_grid(scene, plan, box, x_ticks);
  if (panel.heat) {
    std::vector<double> levels;
    if (panel.heat->contours) {
      for (const Tick& t : colour_ticks(plan.heat, box.height(), unit)) levels.push_back(t.at);
    }
    add_heat(scene, *panel.heat, place, plan.heat.low, plan.heat.high, levels);
  }
  add_marks(scene, panel, place, references);
  add_axes(scene, plan, box, unit, x_ticks);
  if (plan.colour_bar) add_colour_bar(scene, plan, box, unit);
  const double middle = (box.x0 + box.x1) / 2,
               outer_middle = panel.heat ? middle : (outer.x0 + outer.x1) / 2;
  const double below =
      plan.bottom - unit * (kLine * static_cast<double>(plan.x_label.size()) + 0.5);
  add_lines_of_text(scene, plan.x_label,
                    {on_page(plan.x_label, middle, plan, unit), box.y1 + below + unit}, unit, 0,
                    "label");
  const double y_lines = kLine * static_cast<double>(plan.y_label.size());
  add_lines_of_text(scene, plan.y_label,
                    {box.x0 - unit * (kTick + 2 * kPad + widest(plan.y_ticks) + y_lines - 1),
                     (box.y0 + box.y1) / 2},
                    unit, 90, "label");
  const double above = kLine * static_cast<double>(plan.title.size()) - 1;
  add_lines_of_text(scene, plan.title,
                    {on_page(plan.title, outer_middle, plan, unit), box.y0 - unit * (0.55 + above)},
                    unit, 0, "title");
}

}  // namespace speder

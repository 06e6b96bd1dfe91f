#include "speder/plots/render/matplot.hpp"

#include <fmt/format.h>
#include <matplot/matplot.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <set>

#include "speder/core/check.hpp"
#include "speder/io/text_file.hpp"
#include "speder/stats/statistics.hpp"

namespace speder {
namespace {

namespace fs = std::filesystem;
namespace mp = matplot;

constexpr unsigned kPanelWidth = 490;   // pixels: 3.4 in at 144 to the inch
constexpr unsigned kPanelHeight = 400;  // pixels
constexpr float kSlant = 35;            // degrees of the names of bars
constexpr float kNames = 0.15F;         // share of a panel that slanted names take

// matplot++ writes labels into gnuplot's double-quoted strings and escapes the quote alone; what
// enhanced text would interpret gets its backslash.
std::string label_text(const std::string& text) { return gnuplot_codes(text, "{}^_@&~\\"); }

mp::color_array colour_of(int colour, float transparency = 0) {
  const Rgb c = palette(colour);
  const auto share = [](int v) { return static_cast<float>(v) / 255.0F; };
  return {transparency, share(c.r), share(c.g), share(c.b)};
}

void add_band(const mp::axes_handle& axes, const Series& s) {
  std::vector<double> x = s.x, y = s.high;  // there along the top, back along the bottom
  x.insert(x.end(), s.x.rbegin(), s.x.rend());
  y.insert(y.end(), s.low.rbegin(), s.low.rend());
  const auto band = axes->fill(x, y);
  constexpr float kFaint = 0.8F;
  band->color(colour_of(s.colour, kFaint));
  band->line_width(0);
}

void add_interval(const mp::axes_handle& axes, double x, Interval y,
                  const mp::color_array& colour) {
  const auto line = axes->plot(std::vector<double>{x, x}, std::vector<double>{y.low, y.high});
  line->color(colour);
  line->line_width(1.5F);
}

void add_series(const mp::axes_handle& axes, const Series& s) {
  if (s.x.empty()) return;
  const bool points = s.mark == Mark::kPoints;
  if (!s.low.empty() && !points) add_band(axes, s);
  for (std::size_t i = 0; points && i < s.low.size(); ++i) {
    add_interval(axes, s.x[i], {s.low[i], s.high[i]}, colour_of(s.colour));
  }
  const char* marker = s.censored ? "^" : "o";
  const auto line = axes->plot(s.x, s.y, points ? marker : s.mark == Mark::kLine ? "-" : "-o");
  constexpr float kFaintGrey = 0.66F;
  line->color(s.faint ? mp::color_array{0, kFaintGrey, kFaintGrey, kFaintGrey}
                      : colour_of(s.colour));
  if (!points) line->line_width(s.faint ? 0.8F : 1.5F);
  if (s.mark != Mark::kLine) {
    constexpr float kPoint = 5;
    line->marker_face(!s.censored);
    line->marker_size(kPoint);
    line->marker_color(colour_of(s.colour));
    line->marker_face_color(colour_of(s.colour));
  }
  line->display_name(label_text(s.label));
}

void add_lines(const mp::axes_handle& axes, const Panel& panel) {
  constexpr int kSteps = 64;
  for (const FitLine& f : panel.fits) {
    std::vector<double> x, y;
    for (int i = 0; i <= kSteps; ++i) {
      x.push_back(f.from * std::pow(f.to / f.from, static_cast<double>(i) / kSteps));
      y.push_back(value(f, x.back()));
    }
    const auto line = axes->plot(x, y);
    line->color(colour_of(f.colour));
    line->line_width(2);
    line->display_name(label_text(f.label));
  }
  for (const ReferenceLine& r : panel.references) {
    if (r.x.empty()) continue;
    const auto line = axes->plot(r.x, r.y, "--");
    constexpr float kGrey = 0.47F;
    line->color({0, kGrey, kGrey, kGrey});
    line->line_width(1.5F);
    line->display_name(label_text(r.label));
  }
}

// Bins as outlines: bars of unequal width are not among the library's.
void add_histograms(const mp::axes_handle& axes, const Panel& panel) {
  const double floor = panel.y.scale == Scale::kLog ? 0.5 : 0;
  for (const Histogram& h : panel.histograms) {
    if (h.heights.empty()) continue;
    double least = INFINITY;
    for (const double v : h.heights) least = v > 0 ? std::min(least, v) : least;
    const double bottom = panel.y.scale == Scale::kLog ? floor * least : 0;
    std::vector<double> x = {h.edges.front()}, y = {bottom};
    for (std::size_t k = 0; k < h.heights.size(); ++k) {
      x.insert(x.end(), {h.edges[k], h.edges[k + 1], h.edges[k + 1]});
      y.insert(y.end(), {std::max(h.heights[k], bottom), std::max(h.heights[k], bottom), bottom});
    }
    const auto line = axes->plot(x, y);
    line->color(colour_of(h.colour));
    line->display_name(label_text(h.label));
  }
}

// n places, one apart.
std::vector<double> positions(std::size_t n, double first) {
  std::vector<double> out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(first + static_cast<double>(i));
  return out;
}

void add_bars(const mp::axes_handle& axes, const Panel& panel) {
  const mp::color_array black = {0, 0, 0, 0};
  std::set<std::string> named = {""};
  for (const DrawnBar& b : drawn_bars(panel)) {
    const double left = b.x - b.width / 2, right = b.x + b.width / 2;
    const auto box = axes->fill(std::vector<double>{left, right, right, left},
                                std::vector<double>{0, 0, b.bar->value, b.bar->value});
    constexpr float kFaint = 0.4F;
    box->color(colour_of(b.bar->colour, kFaint));
    if (named.insert(b.bar->label).second) box->display_name(label_text(b.bar->label));
    add_interval(axes, b.x, b.bar->interval, black);
    if (b.points_x.empty()) continue;
    const auto points = axes->plot(b.points_x, b.bar->points, "o");
    points->color(black);
    constexpr float kPoint = 4;
    points->marker_size(kPoint);
  }
  std::vector<std::string> names;
  for (const BarGroup& group : panel.bars) names.push_back(label_text(group.label));
  axes->x_axis().tick_values(positions(names.size(), 0));
  axes->x_axis().ticklabels(names);
  if (slanted(panel)) axes->x_axis().tickangle(kSlant);
}

void add_heat(const mp::axes_handle& axes, const HeatMap& heat) {
  std::vector<std::vector<double>> rows;  // matplot++ draws the first row on top
  for (Index i = heat.values.rows() - 1; i >= 0; --i) {
    rows.emplace_back(heat.values.row(i).begin(), heat.values.row(i).end());
  }
  axes->imagesc(rows);
  axes->colormap(mp::palette::viridis());
  axes->color_box(true);
  axes->cb_axis().label(label_text(heat.label));
  std::vector<std::string> columns, names;
  for (const std::string& c : heat.columns) columns.push_back(label_text(c));
  for (auto r = heat.rows.rbegin(); r != heat.rows.rend(); ++r) names.push_back(label_text(*r));
  axes->x_axis().tick_values(positions(columns.size(), 1));
  axes->x_axis().ticklabels(columns);
  axes->y_axis().tick_values(positions(names.size(), 1));
  axes->y_axis().ticklabels(names);
}

// From the first to the last number drawn, with a little room.
Interval range_of(const Axis& axis, const std::vector<double>& values) {
  const bool log = axis.scale == Scale::kLog;
  const auto to = [&](double v) { return log ? std::log(v) : v; };
  const auto from = [&](double v) { return log ? std::exp(v) : v; };
  double low = INFINITY, high = -INFINITY;
  for (const double v : values) {
    low = std::min(low, to(v));
    high = std::max(high, to(v));
  }
  constexpr double kRoom = 0.05;
  const double room = high > low ? kRoom * (high - low) : 1;
  return {axis.low.value_or(from(low - room)), axis.high.value_or(from(high + room))};
}

// The point a share of the axis away from its low end.
double along(const Axis& axis, Interval range, double share) {
  if (axis.scale == Scale::kLog) return range.low * std::pow(range.high / range.low, share);
  return range.low + share * (range.high - range.low);
}

void style_axis(mp::axis_type& axis, const Axis& wanted, Interval range) {
  axis.label(label_text(wanted.label));
  if (wanted.scale == Scale::kLog) axis.scale(mp::axis_type::axis_scale::log);
  axis.limits({range.low, range.high});
}

// Below the axis: the library's own "outside" goes beside it, over the data.
void add_legend(const mp::axes_handle& axes, const Panel& panel, Interval x, Interval y) {
  if (legend_entries(panel) == 0) return;
  const auto legend = mp::legend(axes);
  legend->strings(std::vector<std::string>{});  // names of its own for what has none
  legend->location(mp::legend::general_alignment::topleft);
  constexpr double kBelow = -0.24;  // of the axis: the tick labels and the axis label end there
  const double below = slanted(panel) ? 2 * kBelow : kBelow;
  legend->position(
      {static_cast<float>(along(panel.x, x, 0)), static_cast<float>(along(panel.y, y, below))});
  legend->box(false);
}

void add_panel(const mp::axes_handle& axes, const Panel& panel) {
  axes->hold(true);
  if (panel.heat) add_heat(axes, *panel.heat);
  add_histograms(axes, panel);
  if (!panel.bars.empty()) add_bars(axes, panel);
  for (const Series& s : panel.series) add_series(axes, s);
  add_lines(axes, panel);
  axes->title(label_text(panel.title));
  if (panel.heat) {
    axes->x_axis().label(label_text(panel.x.label));
    axes->y_axis().label(label_text(panel.y.label));
    return;
  }
  const std::vector<double> xs = drawn_x(panel);
  if (xs.empty()) return;
  const Interval x = range_of(panel.x, xs);
  const Interval y = range_of(panel.y, drawn_y(panel));
  style_axis(axes->x_axis(), panel.x, x);
  style_axis(axes->y_axis(), panel.y, y);
  axes->grid(true);
  add_legend(axes, panel, x, y);
}

// Left, bottom, width and height of panel i as shares of the picture, with room for the legend.
std::array<float, 4> place(const Figure& figure, std::size_t i, std::size_t columns,
                           std::size_t rows) {
  const Panel& panel = figure.panels[i];
  const auto entries = static_cast<float>(legend_entries(panel));
  constexpr float kSide = 0.16F, kRight = 0.05F, kTop = 0.09F, kAxis = 0.15F, kEntry = 0.055F;
  const float width = 1 / static_cast<float>(columns);
  const float height = 1 / static_cast<float>(rows);
  const auto column = static_cast<float>(i % columns);
  const auto row = static_cast<float>(rows - 1 - i / columns);
  const float below = kAxis + kEntry * entries + (slanted(panel) ? kNames : 0);
  const float right = panel.heat ? kSide : kRight;
  return {(column + kSide) * width, (row + below) * height, (1 - kSide - right) * width,
          (1 - kTop - below) * height};
}

// A folder of ours, so that no path of the user's is written into a script.
struct Scratch {
  fs::path folder;
  Scratch() {
    std::string name = (fs::temp_directory_path() / "speder_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw InputError(name + ": cannot be made");
    folder = name;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
};

}  // namespace

void render_matplot(const Figure& figure, Picture format, const fs::path& file) {
  require_drawable(figure);
  const auto thin = [](const Panel& p) {
    return p.heat && (p.heat->rows.size() < 2 || p.heat->columns.size() < 2);
  };
  if (std::ranges::any_of(figure.panels, thin)) {  // matplot++ has no heat map of one row
    return render_gnuplot(figure, format, file);
  }
  static std::mutex one_at_a_time;  // the library keeps a current figure for the whole process
  const std::lock_guard guard(one_at_a_time);
  const std::size_t panels = figure.panels.size();
  const std::size_t columns = std::min(static_cast<std::size_t>(figure.columns), panels);
  const std::size_t rows = (panels + columns - 1) / columns;
  const Scratch scratch;
  const fs::path drawn = scratch.folder / ("picture." + extension(format));
  {
    const auto picture = mp::figure<mp::backend::gnuplot>(true);
    picture->size(kPanelWidth * static_cast<unsigned>(columns),
                  kPanelHeight * static_cast<unsigned>(rows));
    for (std::size_t i = 0; i < panels; ++i) {
      const auto axes = picture->add_subplot(rows, columns, i);
      axes->position(place(figure, i, columns, rows));
      add_panel(axes, figure.panels[i]);
    }
    picture->save(drawn.string());
    picture->backend(nullptr);  // gnuplot has finished when its pipe is closed
  }
  const std::string bytes = fs::exists(drawn) ? read_text_file(drawn) : "";
  if (!whole_picture(bytes, format)) {
    throw InputError(file.string() +
                     ": could not be drawn by matplot++ (is gnuplot installed, is " +
                     scratch.folder.parent_path().string() + " full?)");
  }
  write_text_file(file, bytes);
}

}  // namespace speder

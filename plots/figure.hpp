#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "speder/core/types.hpp"
#include "speder/stats/statistics.hpp"

// A picture as plain data: what is drawn, not how. Both renderers draw the same Figure.
namespace speder {

enum class Scale { kLinear, kLog };

struct Axis {
  std::string label = {};  // with its unit
  Scale scale = Scale::kLinear;
  std::optional<double> low = {};
  std::optional<double> high = {};
};

enum class Mark { kPoints, kLine, kLinePoints };

/// Measured values, with bars (points) or a band (lines) when low and high are given.
struct Series {
  std::string label = {};
  std::vector<double> x = {}, y = {}, low = {}, high = {};
  Mark mark = Mark::kLinePoints;
  int colour = 0;         // position in the palette
  bool censored = false;  // drawn hollow: only a bound is known
  bool faint = false;     // thin and neutral: background to the others
};

/// y = exp(intercept) x^slope from x.low to x.high, labelled with its slope. A band of its 95% interval
/// where one is known.
struct FitLine {
  std::string label = {};
  double slope = 0;
  double intercept = 0;  // log y at log x = 0
  double from = 0;
  double to = 0;
  int colour = 0;
  std::vector<double> band_x = {}, band_low = {}, band_high = {};
};

[[nodiscard]] double value(const FitLine& fit, double x);

/// A line of the theory, or a published one with its band: dashed, neutral colour.
struct ReferenceLine {
  std::string label = {};
  std::vector<double> x = {}, y = {};
  std::vector<double> low = {}, high = {};
};

/// values(i, j) at row label i (bottom to top), column label j. Cells are square, and heat maps of one
/// figure with the same label share their colours.
struct HeatMap {
  std::string label = {};  // of the colour scale
  std::vector<std::string> columns = {}, rows = {};
  Matrix values = {};
  std::optional<Interval> x_scale = {},
                          y_scale = {};  // outer edges: round numbers instead of labels
  bool contours = false;                 // lines at the marked values of the colour scale
};

/// heights[k] over [edges[k], edges[k+1]).
struct Histogram {
  std::string label = {};
  std::vector<double> edges = {}, heights = {};
  int colour = 0;
};

/// A bar from 0 to a value, with its interval and the values it summarises as points over it.
struct Bar {
  std::string label = {};  // in the legend, once for all groups; empty: not there
  double value = 0;
  Interval interval = {};
  std::vector<double> points = {};
  int colour = 0;
};

/// Bars side by side over one label of the x axis.
struct BarGroup {
  std::string label = {};
  std::vector<Bar> bars = {};
};

struct Panel {
  std::string title = {};
  Axis x = {}, y = {};
  std::vector<Series> series = {};
  std::vector<FitLine> fits = {};
  std::vector<ReferenceLine> references = {};
  std::vector<Histogram> histograms = {};
  std::vector<BarGroup> bars = {};
  std::optional<HeatMap> heat = {};
};

/// One picture of one or more panels (small multiples), row by row.
struct Figure {
  std::string id;       // file name and anchor
  std::string caption;  // what is shown, units, sample sizes
  std::vector<Panel> panels;
  int columns = 1;
  std::string note = {};  // below the legend: what bands and bars are
};

/// A bar as both renderers draw it: group g stands at x = g, its bars side by side around it, the
/// points of a bar beside one another in their order, so that equal ones stay visible.
struct DrawnBar {
  const Bar* bar = nullptr;
  std::string name = {};  // the group's label, with the bar's own
  double x = 0;
  double width = 0;
  std::vector<double> points_x = {};
};
[[nodiscard]] std::vector<DrawnBar> drawn_bars(const Panel& panel);

/// Every number drawn along an axis; bars and bins start at 0. Without heat maps.
[[nodiscard]] std::vector<double> drawn_x(const Panel& panel);
[[nodiscard]] std::vector<double> drawn_y(const Panel& panel);

struct Rgb {
  int r = 0, g = 0, b = 0;
};
inline constexpr int kColours = 6;
/// okabe-ito (Okabe and Ito 2008, told apart with every common colour blindness; without its black and
/// its yellow, which vanish on a dark or a white page), bright (Tol 2021) and grey. After the last
/// colour the first comes again: marker and dashes tell those apart.
[[nodiscard]] const std::vector<std::string>& palette_names();
[[nodiscard]] Rgb palette(int colour, std::string_view name = "okabe-ito");
[[nodiscard]] std::string hex(Rgb colour);

/// Throws std::invalid_argument when lengths disagree or a log axis is given a value that is not
/// positive: a renderer would silently drop it.
void require_drawable(const Figure& figure);

/// Every plotted number, tidy: figure,panel,kind,label,x,y,low,high.
[[nodiscard]] std::string to_csv(const Figure& figure);
/// A field of a CSV file, quoted when it has to be.
[[nodiscard]] std::string csv_field(const std::string& text);

}  // namespace speder

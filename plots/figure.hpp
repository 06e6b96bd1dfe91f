#pragma once

#include <optional>
#include <string>
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

/// y = exp(intercept) x^slope from x.low to x.high, labelled with its slope.
struct FitLine {
  std::string label = {};
  double slope = 0;
  double intercept = 0;  // log y at log x = 0
  double from = 0;
  double to = 0;
  int colour = 0;
};

[[nodiscard]] double value(const FitLine& fit, double x);

/// A line of the theory: dashed, neutral colour.
struct ReferenceLine {
  std::string label = {};
  std::vector<double> x = {}, y = {};
};

/// values(i, j) at row label i (bottom to top), column label j.
struct HeatMap {
  std::string label = {};  // of the colour scale
  std::vector<std::string> columns = {}, rows = {};
  Matrix values = {};
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

enum class Legend { kBelow, kTopLeft, kTopRight, kBottomLeft, kBottomRight };

struct Panel {
  std::string title = {};
  Axis x = {}, y = {};
  std::vector<Series> series = {};
  std::vector<FitLine> fits = {};
  std::vector<ReferenceLine> references = {};
  std::vector<Histogram> histograms = {};
  std::vector<BarGroup> bars = {};
  std::optional<HeatMap> heat = {};
  Legend legend = Legend::kBelow;  // inside only where no data can be
};

/// One picture of one or more panels (small multiples), row by row.
struct Figure {
  std::string id;       // file name and anchor
  std::string caption;  // what is shown, units, sample sizes
  std::vector<Panel> panels;
  int columns = 1;
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
/// Named marks; bars of one name are one entry.
[[nodiscard]] int legend_entries(const Panel& panel);
/// Characters of the longest name of a group of bars, and whether the names beside one another are
/// wider than the panel.
[[nodiscard]] std::size_t longest_name(const Panel& panel);
[[nodiscard]] bool slanted(const Panel& panel);

/// Okabe & Ito (2008), told apart with every common colour blindness. Without its black and its
/// yellow, which vanish on a dark or a white page.
struct Rgb {
  int r, g, b;
};
inline constexpr int kColours = 6;
[[nodiscard]] Rgb palette(int colour);
[[nodiscard]] std::string hex(Rgb colour);

/// Throws std::invalid_argument when lengths disagree or a log axis is given a value that is not
/// positive: a renderer would silently drop it.
void require_drawable(const Figure& figure);

/// Every plotted number, tidy: figure,panel,kind,label,x,y,low,high.
[[nodiscard]] std::string to_csv(const Figure& figure);
/// A field of a CSV file, quoted when it has to be.
[[nodiscard]] std::string csv_field(const std::string& text);

}  // namespace speder

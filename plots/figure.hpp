#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/types.hpp"

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

enum class Legend { kBelow, kTopLeft, kTopRight, kBottomLeft, kBottomRight };

struct Panel {
  std::string title = {};
  Axis x = {}, y = {};
  std::vector<Series> series = {};
  std::vector<FitLine> fits = {};
  std::vector<ReferenceLine> references = {};
  std::vector<Histogram> histograms = {};
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

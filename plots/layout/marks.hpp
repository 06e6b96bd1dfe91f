#pragma once

#include <map>

#include "speder/plots/layout/scene.hpp"
#include "speder/plots/layout/ticks.hpp"

// The marks of a panel and their samples in the legend. Private to the layout.
namespace speder {

/// Where a panel draws.
struct PanelPlace {
  Box box;
  AxisMap x, y;
  double unit = 8;  // the font's size: marks grow with it
};

/// A named mark of the figure.
struct KeyEntry {
  enum class Kind { kSeries, kFit, kReference, kFilled };
  Kind kind = Kind::kSeries;
  std::string label = {};
  Series series = {};  // the look of kSeries; without its numbers
  int colour = 0;      // of kFit and kFilled; the number of kReference
  bool band = false;   // a fit with a band
  std::vector<int> panels = {};
  [[nodiscard]] bool looks_like(const KeyEntry& other) const;
};
/// Every name once, in the order of their marks.
[[nodiscard]] std::vector<KeyEntry> key_entries(const Figure& figure);
/// Numbers of the named reference lines of a figure; those without a name look like the one before.
[[nodiscard]] std::map<std::string, int> reference_numbers(const Figure& figure);

void add_marks(Scene& scene, const Panel& panel, const PanelPlace& place,
               const std::map<std::string, int>& references);
/// A sample of the mark, `width` wide around `middle`.
void add_sample(Scene& scene, const KeyEntry& entry, int number, Point middle, double width,
                double unit);
/// The cells of a heat map from `low` to `high` of its colours, with contours at `levels`.
void add_heat(Scene& scene, const HeatMap& heat, const PanelPlace& place, double low, double high,
              const std::vector<double>& levels);
/// A colour of the scale, 0 to 1.
[[nodiscard]] Rgb heat_colour(double share);

/// Lines where a matrix of values at (column, row) crosses a level, in those units (marching squares).
[[nodiscard]] std::vector<Path> contour(const Matrix& values, double level);

}  // namespace speder

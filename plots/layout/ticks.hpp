#pragma once

#include <string>
#include <vector>

#include "speder/plots/figure.hpp"

namespace speder {

/// A mark on an axis; without a label a minor one.
struct Tick {
  double at = 0;
  std::string label = {};
};

/// An axis from data to points on the page.
struct AxisMap {
  double low = 0, high = 1;
  bool log = false;
  double from = 0, to = 1;  // places of low and high
  [[nodiscard]] double operator()(double v) const;
};

/// The range shown: that of the axis where it is given, else of the values with some room (logarithmic)
/// or up to the next round number (linear).
[[nodiscard]] AxisMap axis_range(const Axis& axis, const std::vector<double>& values);

/// Round numbers inside the range, at most `most` with labels: 1, 2 or 5 times a power of ten.
[[nodiscard]] std::vector<Tick> ticks_of(const AxisMap& map, int most);
/// The step between round numbers of which at most `most` lie in the range.
[[nodiscard]] double round_step(double low, double high, int most);

}  // namespace speder

#pragma once

#include <string>
#include <vector>

#include "speder/core/types.hpp"

namespace speder::deep {

/// A heat map's axis: square k lies at first + k·step; begin, begin + every, … are labelled.
struct HeatAxis {
  double first = 0;
  double step = 1;
  Index count = 0;
  Index begin = 0;
  Index every = 1;
};
[[nodiscard]] std::vector<std::string> axis_labels(const HeatAxis& axis);

}  // namespace speder::deep

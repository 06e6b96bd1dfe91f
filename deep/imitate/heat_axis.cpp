#include "speder/deep/imitate/heat_axis.hpp"

#include <fmt/format.h>

namespace speder::deep {

std::vector<std::string> axis_labels(const HeatAxis& axis) {
  std::vector<std::string> labels(static_cast<std::size_t>(axis.count));
  for (Index k = axis.begin; k < axis.count; k += axis.every) {
    labels[static_cast<std::size_t>(k)] =
        fmt::format("{:.3g}", axis.first + axis.step * static_cast<double>(k));
  }
  return labels;
}

}  // namespace speder::deep

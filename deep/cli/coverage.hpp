#pragma once

#include "deep/data/offline.hpp"
#include "deep/maze/maze.hpp"
#include "plots/figure.hpp"

namespace speder::deep::cli {

/// How often each part of a maze was visited: log10 of rows per square, walls left blank.
[[nodiscard]] Figure coverage_figure(const OfflineData& data, const Maze& maze,
                                     const std::string& title);

/// A heat map's axis: square k lies at first + k·step; begin, begin + every, … are labelled.
struct HeatAxis {
  double first = 0;
  double step = 1;
  Index count = 0;
  Index begin = 0;
  Index every = 1;
};
[[nodiscard]] std::vector<std::string> axis_labels(const HeatAxis& axis);

}  // namespace speder::deep::cli

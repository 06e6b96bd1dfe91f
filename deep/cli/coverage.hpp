#pragma once

#include "speder/deep/sim/data/offline.hpp"
#include "speder/deep/sim/maze/maze.hpp"
#include "speder/plots/figure.hpp"

namespace speder::deep::cli {

/// How often each part of a maze was visited: log10 of rows per square, walls left blank.
[[nodiscard]] Figure coverage_figure(const OfflineData& data, const Maze& maze,
                                     const std::string& title);

}  // namespace speder::deep::cli

#include "speder/deep/cli/coverage.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "speder/deep/imitate/heat_axis.hpp"

namespace speder::deep::cli {
namespace {

constexpr Index kPerCell = 5;  // squares along a side of a cell

}  // namespace

Figure coverage_figure(const OfflineData& data, const Maze& maze, const std::string& title) {
  const Index rows = kPerCell * maze.rows(), columns = kPerCell * maze.columns();
  const double square = maze.cell_size() / kPerCell;
  const Place corner = maze.centre({0, 0});  // its lower left is half a cell away
  const double left = corner.x - maze.cell_size() / 2, bottom = corner.y - maze.cell_size() / 2;
  Matrix visits = Matrix::Zero(rows, columns);
  const auto width = static_cast<std::size_t>(data.observation_size);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const auto x = static_cast<Index>(std::floor((data.observations[i * width] - left) / square));
    const auto y =
        static_cast<Index>(std::floor((data.observations[i * width + 1] - bottom) / square));
    if (x >= 0 && x < columns && y >= 0 && y < rows) visits(y, x) += 1;
  }
  for (Index y = 0; y < rows; ++y) {
    for (Index x = 0; x < columns; ++x) {
      const bool wall =
          !maze.free({static_cast<int>(y / kPerCell), static_cast<int>(x / kPerCell)});
      visits(y, x) = wall && visits(y, x) == 0 ? std::numeric_limits<double>::quiet_NaN()
                                               : std::log10(1 + visits(y, x));
    }
  }
  HeatMap heat{
      .label = "log10(1 + rows)",
      .columns = axis_labels({left + square / 2, square, columns, kPerCell / 2, 2 * kPerCell}),
      .rows = axis_labels({bottom + square / 2, square, rows, kPerCell / 2, 2 * kPerCell}),
      .values = visits};
  Panel panel{.title = title, .x = {.label = "x (m)"}, .y = {.label = "y (m)"}};
  panel.heat = std::move(heat);
  return {.id = "coverage",
          .caption = fmt::format("{}: positions of {} rows; walls are blank.", title, data.rows()),
          .panels = {panel}};
}

}  // namespace speder::deep::cli

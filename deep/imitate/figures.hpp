#pragma once

#include <optional>

#include "speder/deep/imitate/rows.hpp"
#include "speder/deep/sim/data/offline.hpp"
#include "speder/deep/sim/maze/maze.hpp"
#include "speder/plots/figure.hpp"

namespace speder::deep {

/// The paper's bar plot: success of the final evaluation, a bar per method with its 95% interval and
/// the seeds as points, a panel per data set.
[[nodiscard]] Figure success_figure(const std::vector<ImitateRow>& rows, const ImitateSuite& suite);
/// SPEDER with and without the normalisation term; none when no data set has both.
[[nodiscard]] std::optional<Figure> normalisation_figure(const std::vector<ImitateRow>& rows,
                                                         const ImitateSuite& suite);
/// Success of the evaluations against the iterations of phase 2: mean over seeds, band of one
/// standard error; skill methods in panels of their own. None when there were no evaluations.
[[nodiscard]] std::optional<Figure> success_curves(const std::vector<ImitateRow>& rows,
                                                   const ImitateSuite& suite);

/// A heat map's axis: square k lies at first + k·step; begin, begin + every, … are labelled.
struct HeatAxis {
  double first = 0;
  double step = 1;
  Index count = 0;
  Index begin = 0;
  Index every = 1;
};
[[nodiscard]] std::vector<std::string> axis_labels(const HeatAxis& axis);
/// How often each part of a maze was visited: log10 of rows per square, walls left blank.
[[nodiscard]] Figure coverage_figure(const OfflineData& data, const Maze& maze,
                                     const std::string& title);

}  // namespace speder::deep

#pragma once

#include <optional>

#include "speder/deep/imitate/rows.hpp"
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

}  // namespace speder::deep

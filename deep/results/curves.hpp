#pragma once

#include "speder/plots/figure.hpp"
#include "speder/sweep/store.hpp"

namespace speder::deep {

/// Learning curves: a panel per task, a line per algorithm and preset with the mean over seeds of the
/// evaluations and a band from the lowest to the highest, and the paper's value for SPEDER with its band.
/// Tasks in the order of the tables; only runs of a cell's greatest length count.
[[nodiscard]] Figure learning_curves(const std::vector<Run>& runs);

/// What SpectralActorCritic::inspect() stored of the runs of each task, a panel per metric with a dashed line
/// where a sound run lies; tasks without such runs have no figure.
[[nodiscard]] std::vector<Figure> feature_curves(const std::vector<Run>& runs);

}  // namespace speder::deep

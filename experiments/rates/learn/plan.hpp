#pragma once

#include "speder/experiments/learn/grid.hpp"
#include "speder/experiments/rates/experiment.hpp"

namespace speder {

/// The experiment `learn` on a grid: what its suites and `speder scale` have in common.
[[nodiscard]] SweepPlan plan_learn_grid(LearnGrid grid);

}  // namespace speder

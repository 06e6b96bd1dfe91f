#pragma once

#include "experiments/sweep/experiment.hpp"

namespace speder {

/// Regret of Algorithm 1 against the number of episodes.                             [lem:regret]
[[nodiscard]] SweepPlan plan_regret(const ConfigTable& settings);

}  // namespace speder

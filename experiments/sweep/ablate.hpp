#pragma once

#include "experiments/sweep/experiment.hpp"

namespace speder {

/// What the bonus (online) and the penalty (offline) are good for.
[[nodiscard]] SweepPlan plan_ablate(const ConfigTable& settings);

}  // namespace speder

#pragma once

#include "experiments/sweep/experiment.hpp"

namespace speder {

/// A power law of known exponent with noise: checks the way from sweep to verdict without a
/// learner. Each run at x reports x^exponent · mean of `draws` standard exponentials.
[[nodiscard]] SweepPlan plan_planted(const ConfigTable& settings);

}  // namespace speder

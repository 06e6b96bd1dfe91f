#pragma once

#include "experiments/sweep/experiment.hpp"

namespace speder {

/// Samples from d^π by stopping with probability 1 − γ after each step: lengths against the
/// geometric law, end states against the exact visitation.              [sec:pac, remark on d^π]
[[nodiscard]] SweepPlan plan_horizon(const ConfigTable& settings);

}  // namespace speder

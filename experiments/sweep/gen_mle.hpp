#pragma once

#include "experiments/sweep/experiment.hpp"

namespace speder {

/// Least squares and maximum likelihood over the same class and data.   [sec:generalization, remark]
[[nodiscard]] SweepPlan plan_gen_mle(const ConfigTable& settings);

}  // namespace speder

#pragma once

#include "experiments/sweep/experiment.hpp"

namespace speder {

/// L2 generalisation of the least-squares estimator over a finite class.   [thm:generalization]
[[nodiscard]] SweepPlan plan_gen_n(const ConfigTable& settings);

}  // namespace speder

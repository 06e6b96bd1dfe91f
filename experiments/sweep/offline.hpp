#pragma once

#include "experiments/sweep/experiment.hpp"

namespace speder {

// Gap of Algorithm 2 against n, ω and C*.                                       [thm:pac_offline]
[[nodiscard]] SweepPlan plan_off_n(const ConfigTable& settings);
[[nodiscard]] SweepPlan plan_off_omega(const ConfigTable& settings);
[[nodiscard]] SweepPlan plan_off_coverage(const ConfigTable& settings);

}  // namespace speder

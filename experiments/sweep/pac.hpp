#pragma once

#include "experiments/sweep/experiment.hpp"

namespace speder {

// Online sample complexity against one factor of N = d⁴|A|² log|F| / ((1−γ)⁶ ε²).  [thm:pac_online]
[[nodiscard]] SweepPlan plan_pac_d(const ConfigTable& settings);
[[nodiscard]] SweepPlan plan_pac_actions(const ConfigTable& settings);
[[nodiscard]] SweepPlan plan_pac_gamma(const ConfigTable& settings);
[[nodiscard]] SweepPlan plan_pac_epsilon(const ConfigTable& settings);
[[nodiscard]] SweepPlan plan_pac_size(const ConfigTable& settings);

}  // namespace speder

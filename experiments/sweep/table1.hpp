#pragma once

#include "experiments/sweep/experiment.hpp"

namespace speder {

/// Spectral features and the policy they were made for.         [table:spectral_connections]
[[nodiscard]] SweepPlan plan_table1(const ConfigTable& settings);

}  // namespace speder

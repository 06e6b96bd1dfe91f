#pragma once

#include "plots/analysis.hpp"

namespace speder {

[[nodiscard]] ExperimentReport analyse_horizon(const ExperimentData& data);

}  // namespace speder

#pragma once

#include "plots/analysis.hpp"

namespace speder {

[[nodiscard]] ExperimentReport analyse_ablate(const ExperimentData& data);

}  // namespace speder

#pragma once

#include "plots/analysis.hpp"

namespace speder {

[[nodiscard]] ExperimentReport analyse_regret(const ExperimentData& data);

}  // namespace speder

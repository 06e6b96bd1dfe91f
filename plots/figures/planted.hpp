#pragma once

#include "plots/analysis.hpp"

namespace speder {

[[nodiscard]] ExperimentReport analyse_planted(const ExperimentData& data);

}  // namespace speder

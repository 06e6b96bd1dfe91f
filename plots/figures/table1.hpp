#pragma once

#include "plots/analysis.hpp"

namespace speder {

[[nodiscard]] ExperimentReport analyse_table1(const ExperimentData& data);

}  // namespace speder

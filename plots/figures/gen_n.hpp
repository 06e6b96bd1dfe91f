#pragma once

#include "plots/analysis.hpp"

namespace speder {

[[nodiscard]] ExperimentReport analyse_gen_n(const ExperimentData& data);

}  // namespace speder

#pragma once

#include "plots/analysis.hpp"

namespace speder {

[[nodiscard]] ExperimentReport analyse_gen_mle(const ExperimentData& data);

}  // namespace speder

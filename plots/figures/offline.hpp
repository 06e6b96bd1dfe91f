#pragma once

#include "plots/analysis.hpp"

namespace speder {

[[nodiscard]] ExperimentReport analyse_off_n(const ExperimentData& data);
[[nodiscard]] ExperimentReport analyse_off_omega(const ExperimentData& data);
[[nodiscard]] ExperimentReport analyse_off_coverage(const ExperimentData& data);

}  // namespace speder

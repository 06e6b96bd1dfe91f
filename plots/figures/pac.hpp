#pragma once

#include "plots/analysis.hpp"

namespace speder {

[[nodiscard]] ExperimentReport analyse_pac_d(const ExperimentData& data);
[[nodiscard]] ExperimentReport analyse_pac_actions(const ExperimentData& data);
[[nodiscard]] ExperimentReport analyse_pac_gamma(const ExperimentData& data);
[[nodiscard]] ExperimentReport analyse_pac_epsilon(const ExperimentData& data);
[[nodiscard]] ExperimentReport analyse_pac_size(const ExperimentData& data);

}  // namespace speder

#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "speder/experiments/rates/learn/study.hpp"

namespace speder::cli {

/// N as a table, the fit, the point held out, the verdicts.
[[nodiscard]] std::string study_text(const ScalingStudy& study);
[[nodiscard]] nlohmann::json study_json(const ScalingStudy& study);

}  // namespace speder::cli

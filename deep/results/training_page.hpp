#pragma once

#include "speder/plots/report/report.hpp"

namespace speder::deep {

/// What training runs of any stores came to: the paper's tables with ours, learning curves, results over
/// tasks and seeds, the settings in which runs differ, and commands that repeat them.
[[nodiscard]] ReportSection training_section(const std::vector<std::string>& stores);
/// Whether a store's experiment has training runs.
[[nodiscard]] bool is_training_record(const ExperimentRecord& record);
/// A warning of a page whose intervals come from fewer than five seeds; empty: there are enough.
[[nodiscard]] std::string seed_warning(const std::vector<std::string>& stores);

}  // namespace speder::deep

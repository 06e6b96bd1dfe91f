#pragma once

#include <filesystem>
#include <vector>

#include "speder/experiments/audit/audit.hpp"

namespace speder::cli {

/// One file per counterexample in the folder (made when absent), named in the findings.
void save_counterexamples(const std::filesystem::path& folder,
                          std::vector<audit::AuditedEntry>& findings);

/// A correction that does not survive its own search is a mistake of ours, not of the paper.
[[nodiscard]] bool corrections_survive(const std::vector<audit::AuditedEntry>& findings);

}  // namespace speder::cli

#pragma once

#include <string>
#include <vector>

#include "speder/experiments/audit/audit.hpp"

namespace speder::audit {

/// Aligned table for a terminal of 120 columns.
[[nodiscard]] std::string table_text(const std::vector<AuditedEntry>& findings);
/// Everything about each finding, one block an entry (for few entries).
[[nodiscard]] std::string detail_text(const std::vector<AuditedEntry>& findings);
/// A list of {id, source, kind, statement, verdict, instances, worst_ratio, counterexample, …}.
[[nodiscard]] std::string json_text(const std::vector<AuditedEntry>& findings);
/// Markdown table, in the order of the paper.
[[nodiscard]] std::string markdown_text(const std::vector<AuditedEntry>& findings);
/// The inventory itself, without running anything.
[[nodiscard]] std::string list_text();
/// "120 holds on all tried, 50 falsified as printed, …"
[[nodiscard]] std::string summary_text(const std::vector<AuditedEntry>& findings);

}  // namespace speder::audit

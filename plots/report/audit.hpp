#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace speder {

/// One statement of the paper as the audit left it.
struct AuditEntry {
  std::string id, source, kind, statement, verdict, instances, worst_ratio, counterexample,
      corrected_by;
};

/// Reads audit.json: a list of entries, or an object with the list under "entries". Keys that are
/// absent stay empty; numbers and lists are shown as they stand. InputError names file and entry.
[[nodiscard]] std::vector<AuditEntry> read_audit(const std::filesystem::path& file);

}  // namespace speder

#include "speder/experiments/cli/audit_files.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "speder/core/check.hpp"
#include "speder/experiments/audit/objects/case_file.hpp"
#include "speder/io/durable_file.hpp"

namespace speder::cli {

void save_counterexamples(const std::filesystem::path& folder,
                          std::vector<audit::AuditedEntry>& findings) {
  make_folder(folder);
  for (audit::AuditedEntry& f : findings) {
    if (!f.search.counterexample) continue;
    const auto file = folder / fmt::format("{}.json", f.entry->id);
    save_counterexample(file, *f.entry, *f.search.counterexample);
    f.counterexample_file = file.string();
  }
}

bool corrections_survive(const std::vector<audit::AuditedEntry>& findings) {
  return std::ranges::none_of(findings, [](const audit::AuditedEntry& f) {
    return f.entry->twin != audit::Twin::kNone && f.search.counterexample;
  });
}

}  // namespace speder::cli

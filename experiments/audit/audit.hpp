#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "speder/experiments/audit/search/search.hpp"

namespace speder::audit {

enum class AuditVerdict {
  kHolds,
  kFalsified,
  kNeedsPremise,
  kVacuous,     // true whatever the data: the bound is never below the trivial one
  kNotImplied,  // a statement that the paper does not print, and that fails
  kNotCheckable
};
inline constexpr std::size_t kVerdicts = 6;
[[nodiscard]] std::string_view to_string(AuditVerdict verdict);

/// What the audit found out about one entry.
struct AuditedEntry {
  const Entry* entry = nullptr;
  AuditVerdict verdict = AuditVerdict::kNotCheckable;
  SearchResult search;
  std::string counterexample_file;  // when it was saved
};

struct AuditOptions {
  std::int64_t budget = 50'000;  // instances per entry
  std::uint64_t seed = 1;
  int jobs = 0;                        // 0: all cores; the findings do not depend on it
  std::vector<std::string> only = {};  // ids; empty: all
};
inline constexpr std::int64_t kQuickBudget = 4'000;

/// Audits the entries in parallel. `progress` is called after each entry, from any thread.
[[nodiscard]] std::vector<AuditedEntry> audit(
    const AuditOptions& options, const std::function<void(const AuditedEntry&)>& progress = {});

/// The entries an audit of `only` covers. Throws InputError for an unknown id, with suggestions.
[[nodiscard]] std::vector<const Entry*> select(const std::vector<std::string>& only);

/// Runs one entry; the verdict of a falsified one depends on what its twin changes.
[[nodiscard]] AuditedEntry examine(const Entry& entry, std::int64_t budget, const SeedTree& seeds);

/// Distinct errors: entries that fail by one misprint count once. Statements that the paper does not
/// print are no errors of it.
struct ErrorCount {
  std::size_t wrong = 0;     // falsified or vacuous
  std::size_t premises = 0;  // true once a premise is added
};
[[nodiscard]] ErrorCount distinct_errors(const std::vector<AuditedEntry>& findings);

/// "grows with d (1.97 at 1 … 4390 at 64)" for each axis along which the constant more than doubles.
[[nodiscard]] std::string trend_text(const Trend& trend);
/// The same in a few words: "grows with d, n".
[[nodiscard]] std::string trend_short(const Trend& trend);

}  // namespace speder::audit

#pragma once

#include "speder/plots/report/report.hpp"

// What changed between two runs of the same experiments: other commits, constants, seeds.
namespace speder {

/// One claim as two stores have it.
struct ComparedFinding {
  std::string experiment, claim;
  Role role = Role::kClaim;
  std::optional<Finding> a = {}, b = {};  // empty: only the other store has it
  std::optional<double> difference{};     // b − a
  std::optional<Interval> interval{};     // 95%, from the two intervals (Zou and Donner 2008)
  [[nodiscard]] bool verdict_changed() const;
  /// The interval of the difference does not contain 0.
  [[nodiscard]] bool moved() const;
};

struct ComparedSetting {
  std::string experiment, key, a, b;
};

struct Comparison {
  std::vector<ComparedFinding> findings;
  std::vector<ComparedSetting> settings;  // those that differ, builds and seeds among them
};
[[nodiscard]] Comparison compare_reports(const std::vector<ReportSection>& a,
                                         const std::vector<ReportSection>& b);

/// What moved, line by line, then what differs in the settings.
[[nodiscard]] std::string comparison_text(const Comparison& comparison);
[[nodiscard]] std::string comparison_json(const Comparison& comparison);
/// One page of all of it. `names` are those of the two stores.
[[nodiscard]] std::string comparison_html(const Comparison& comparison,
                                          const std::pair<std::string, std::string>& names);

}  // namespace speder

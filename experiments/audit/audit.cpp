#include "speder/experiments/audit/audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "speder/core/check.hpp"
#include "speder/core/parallel.hpp"

namespace speder::audit {
namespace {

// Edit distance, for suggestions.
std::size_t distance(std::string_view x, std::string_view y) {
  std::vector<std::size_t> line(y.size() + 1);
  for (std::size_t j = 0; j <= y.size(); ++j) line[j] = j;
  for (std::size_t i = 1; i <= x.size(); ++i) {
    std::size_t diagonal = line[0];
    line[0] = i;
    for (std::size_t j = 1; j <= y.size(); ++j) {
      const std::size_t substituted = diagonal + (x[i - 1] == y[j - 1] ? 0 : 1);
      diagonal = line[j];
      line[j] = std::min({line[j] + 1, line[j - 1] + 1, substituted});
    }
  }
  return line[y.size()];
}

std::string suggestions(std::string_view id) {
  std::vector<std::pair<std::size_t, std::string_view>> near;
  for (const Entry& e : inventory()) {
    const bool contains = !id.empty() && e.id.find(id) != std::string_view::npos;
    near.emplace_back(contains ? 0 : distance(id, e.id), e.id);
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& x, const auto& y) { return x.first < y.first; });
  return fmt::format("{}, {}, {}", near[0].second, near[1].second, near[2].second);
}

// Does the worst ratio more than double along an axis?
bool moves(const std::map<std::int64_t, double>& buckets) {
  constexpr double kMoves = 2;
  if (buckets.size() < 3) return false;
  const double last = buckets.rbegin()->second;
  return last > 0 && last > kMoves * std::max(buckets.begin()->second, 0.0);
}

std::vector<std::pair<std::string_view, const std::map<std::int64_t, double>*>> moving_axes(
    const Trend& trend) {
  std::vector<std::pair<std::string_view, const std::map<std::int64_t, double>*>> axes;
  if (moves(trend.rank)) axes.emplace_back("d", &trend.rank);
  if (moves(trend.actions)) axes.emplace_back("|A|", &trend.actions);
  if (moves(trend.horizon)) axes.emplace_back("1/(1−γ)", &trend.horizon);
  if (moves(trend.samples)) axes.emplace_back("n", &trend.samples);
  return axes;
}

}  // namespace

std::string_view to_string(AuditVerdict verdict) {
  switch (verdict) {
    case AuditVerdict::kHolds:
      return "holds on all tried";
    case AuditVerdict::kFalsified:
      return "falsified as printed";
    case AuditVerdict::kNeedsPremise:
      return "needs a premise";
    case AuditVerdict::kVacuous:
      return "vacuous";
    case AuditVerdict::kNotImplied:
      return "does not follow";
    case AuditVerdict::kNotCheckable:
      return "not checkable";
  }
  return "unknown";
}

std::string trend_text(const Trend& trend) {
  std::string text;
  for (const auto& [name, buckets] : moving_axes(trend)) {
    text += fmt::format("{}grows with {} ({:.3g} at {} … {:.3g} at {})", text.empty() ? "" : "; ",
                        name, std::max(0.0, buckets->begin()->second), buckets->begin()->first,
                        buckets->rbegin()->second, buckets->rbegin()->first);
  }
  return text.empty() ? "does not grow with d, |A|, 1/(1−γ) or n" : text;
}

std::string trend_short(const Trend& trend) {
  std::string text;
  for (const auto& [name, buckets] : moving_axes(trend)) {
    text += fmt::format("{}{}", text.empty() ? "grows with " : ", ", name);
  }
  return text.empty() ? "steady" : text;
}

std::vector<const Entry*> select(const std::vector<std::string>& only) {
  std::vector<const Entry*> chosen;
  for (const std::string& id : only) {
    const Entry* entry = find_entry(id);
    if (entry == nullptr) {
      throw InputError(
          fmt::format("audit: no entry '{}'; nearest: {} (speder audit --list shows all)", id,
                      suggestions(id)));
    }
    if (std::find(chosen.begin(), chosen.end(), entry) == chosen.end()) chosen.push_back(entry);
  }
  if (only.empty()) {
    for (const Entry& e : inventory()) chosen.push_back(&e);
  }
  return chosen;
}

AuditedEntry examine(const Entry& entry, std::int64_t budget, const SeedTree& seeds) {
  AuditedEntry finding;
  finding.entry = &entry;
  if (entry.check.approximate == nullptr) return finding;
  finding.search = search(entry, budget, seeds);
  if (entry.relation == Relation::kConstant || finding.search.instances == 0) return finding;
  const bool broken = finding.search.counterexample.has_value();
  if (entry.relation == Relation::kTrivial) {  // broken: on some instance the bound says something
    finding.verdict = broken ? AuditVerdict::kNotCheckable : AuditVerdict::kVacuous;
    return finding;
  }
  finding.verdict = AuditVerdict::kHolds;
  if (!broken) return finding;
  const Entry* twin = find_entry(entry.corrected_by);
  finding.verdict = entry.derived                                     ? AuditVerdict::kNotImplied
                    : twin != nullptr && twin->twin == Twin::kPremise ? AuditVerdict::kNeedsPremise
                                                                      : AuditVerdict::kFalsified;
  return finding;
}

ErrorCount distinct_errors(const std::vector<AuditedEntry>& findings) {
  std::set<std::string_view> wrong, premises;
  for (const AuditedEntry& f : findings) {
    if (f.verdict == AuditVerdict::kFalsified || f.verdict == AuditVerdict::kVacuous)
      wrong.insert(error_of(*f.entry));
    if (f.verdict == AuditVerdict::kNeedsPremise) premises.insert(error_of(*f.entry));
  }
  return {wrong.size(), premises.size()};
}

std::vector<AuditedEntry> audit(const AuditOptions& options,
                                const std::function<void(const AuditedEntry&)>& progress) {
  if (options.budget < 1) throw InputError("audit: --budget must be at least 1 instance per entry");
  const std::vector<const Entry*> entries = select(options.only);
  const SeedTree seeds = SeedTree(options.seed).child("audit");
  std::vector<AuditedEntry> findings(entries.size());
  parallel_for(static_cast<Index>(entries.size()), options.jobs, [&](Index i) {
    const auto k = static_cast<std::size_t>(i);
    findings[k] = examine(*entries[k], options.budget, seeds);
    if (progress) progress(findings[k]);
  });
  return findings;
}

}  // namespace speder::audit

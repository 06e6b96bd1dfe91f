#include <algorithm>

#include "speder/experiments/audit/entry.hpp"

namespace speder::audit {

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::kIdentity:
      return "identity";
    case Kind::kBound:
      return "bound";
    case Kind::kHighProbability:
      return "high-probability";
    case Kind::kRate:
      return "rate";
    case Kind::kExample:
      return "example";
    case Kind::kDefinition:
      return "definition";
  }
  return "unknown";
}

const std::vector<Entry>& inventory() {
  static const std::vector<Entry> all = [] {
    std::vector<Entry> entries;
    for (const auto section :
         {preliminaries_claims(),   table_one_claims(),      objective_claims(),
          constraint_claims(),      assumption_claims(),     open_claims(),
          generalization_claims(),  decoupling_claims(),     estimator_claims(),
          adaptive_claims(),        value_norm_claims(),     backup_learned_claims(),
          optimism_claims(),        backup_true_claims(),    bonus_claims(),
          regret_claims(),          offline_backup_claims(), offline_pac_claims(),
          offline_theorem_claims(), technical_claims()}) {
      entries.insert(entries.end(), section.begin(), section.end());
    }
    return entries;
  }();
  return all;
}

const Entry* find_entry(std::string_view id) {
  const auto& all = inventory();
  const auto it = std::find_if(all.begin(), all.end(), [&](const Entry& e) { return e.id == id; });
  return it == all.end() ? nullptr : &*it;
}

}  // namespace speder::audit

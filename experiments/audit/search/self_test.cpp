#include "speder/experiments/audit/search/self_test.hpp"

#include "speder/core/parallel.hpp"

namespace speder::audit {

SelfTest self_test(std::int64_t budget, std::uint64_t seed, int jobs) {
  std::vector<const Entry*> entries;
  for (const Entry& e : false_statements()) entries.push_back(&e);
  for (const Entry& e : known_true_claims()) entries.push_back(&e);
  const SeedTree seeds = SeedTree(seed).child("self-test");
  std::vector<char> caught(entries.size(), 0);
  parallel_for(static_cast<Index>(entries.size()), jobs, [&](Index i) {
    const auto k = static_cast<std::size_t>(i);
    caught[k] = search(*entries[k], budget, seeds).counterexample.has_value() ? 1 : 0;
  });
  SelfTest result;
  result.false_statements = false_statements().size();
  result.known_true = known_true_claims().size();
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const bool is_false = k < result.false_statements;
    if (is_false && caught[k] == 0) result.missed.emplace_back(entries[k]->id);
    if (!is_false && caught[k] != 0) result.false_alarms.emplace_back(entries[k]->id);
  }
  return result;
}

}  // namespace speder::audit

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "speder/experiments/audit/entry.hpp"

namespace speder::audit {

/// A violation proven in exact arithmetic, premises included.
struct Counterexample {
  Case<Exact> instance;
  Sides<Exact> sides;
};

/// Worst ratio per value of d, |A|, horizon 1/(1−γ) and n (powers of ten), for hidden constants.
struct Trend {
  std::map<std::int64_t, double> rank, actions, horizon, samples;
};

struct SearchResult {
  std::int64_t instances = 0;        // evaluated, premises satisfied
  std::int64_t rejected = 0;         // premises broken or statement undefined
  std::int64_t rounding_alarms = 0;  // double said violated, exact arithmetic did not confirm
  double worst_ratio =
      0;              // left/right; relative difference for identities; ∞ when right ≤ 0 < left
  std::string where;  // sizes and scalars of the worst instance
  Trend trend;        // Relation::kConstant only
  std::optional<Counterexample> counterexample;
};

/// Half of the budget on random instances, half on local search from the worst of them; then
/// shrinking and exact confirmation. Depends on (entry, budget, seeds) alone.
[[nodiscard]] SearchResult search(const Entry& entry, std::int64_t budget, const SeedTree& seeds);

/// How badly the sides contradict the relation: > kTrigger is a candidate violation.
inline constexpr double kTrigger = 1e-9;  // well above the rounding of a few hundred operations
[[nodiscard]] double violation(Relation relation, const Sides<double>& sides);
/// Exact verdict on an instance: proven violation or nothing.
[[nodiscard]] bool proves_violation(Relation relation, const Sides<Exact>& sides);
/// Sizes and scalars in one line.
template <class T>
[[nodiscard]] std::string describe(const Case<T>& c);

/// Fewer states and rounder numbers, as long as the violation stays.
[[nodiscard]] Choices shrink(const Entry& entry, Choices choices, Rng& rng);
/// The violation of the instance built from the choices; −1 when it is not one of the entry.
[[nodiscard]] double violation_of(const Entry& entry, Choices& choices);

}  // namespace speder::audit

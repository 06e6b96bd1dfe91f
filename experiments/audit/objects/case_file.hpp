#pragma once

#include <filesystem>
#include <string>

#include "speder/experiments/audit/search/search.hpp"

namespace speder::audit {

/// A counterexample as a file: the entry's id, its sizes, and every number as a fraction.
void save_counterexample(const std::filesystem::path& file, const Entry& entry,
                         const Counterexample& found);
/// The same as text.
[[nodiscard]] std::string counterexample_text(const Entry& entry, const Counterexample& found);

/// What a replay establishes, in exact arithmetic.
struct Replay {
  const Entry* entry = nullptr;
  std::string broken;  // the premise that does not hold; empty when all do
  Sides<Exact> sides;
  bool confirmed = false;  // premises hold and the sides contradict the statement
  bool exact = false;      // both sides are points: pure rational arithmetic
};

/// Recomputes a saved counterexample. Throws ConfigError when the file is damaged.
[[nodiscard]] Replay replay(const std::filesystem::path& file);

}  // namespace speder::audit

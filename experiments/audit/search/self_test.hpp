#pragma once

#include <string>
#include <vector>

#include "speder/experiments/audit/audit.hpp"

namespace speder::audit {

/// False variants of true statements (a dropped factor, a flipped sign, an exponent off by one): the
/// falsifier must catch every one. None of them is a claim of the paper.
[[nodiscard]] std::span<const Entry> false_statements();
/// Mathematics known to be true: the falsifier must never falsify it.
[[nodiscard]] std::span<const Entry> known_true_claims();

struct SelfTest {
  std::vector<std::string> missed;        // false, not caught
  std::vector<std::string> false_alarms;  // known true, falsified
  std::size_t false_statements = 0;
  std::size_t known_true = 0;
  [[nodiscard]] bool passed() const { return missed.empty() && false_alarms.empty(); }
};
[[nodiscard]] SelfTest self_test(std::int64_t budget, std::uint64_t seed, int jobs);

}  // namespace speder::audit

#pragma once

#include <optional>
#include <string>

#include "speder/experiments/audit/objects/case.hpp"

namespace speder::audit {

/// What a statement assumes about its instance, as bits. Builders satisfy most of it by
/// construction; every instance is checked all the same, and a counterexample is checked in exact
/// arithmetic.
enum Premise : unsigned {
  kNoPremise = 0,
  kMdpValid = 1U << 0U,  // ν > 0; P, ρ, π, past policies and π_b > 0 are distributions; γ ∈ (0,1)
  kLowRank = 1U << 1U,  // ‖φ‖ ≤ 1, ‖θ‖ ≤ √d, ‖∫μg‖ ≤ √d for |g| ≤ 1, r ∈ [0,1]
  kCandidate = 1U << 2U,      // P̂ is a kernel
  kCandidateNorm = 1U << 3U,  // ‖φ̂‖ ≤ 1 and ‖∫μ̂g‖ ≤ √d
  kReprNorm = 1U << 4U,       // ∫(∫‖φ‖)² ≤ d for φ* and φ̂
  kRewardNorm = 1U << 5U,     // ∫(∫r)² ≤ d
  kRegularised = 1U << 6U,    // λ > 0, α ≥ 0
  kDensities = 1U << 7U,      // every f is a density bounded by C
  kBounded = 1U << 8U,        // f* is a density, |f| ≤ C for every f
  kProcessValid = 1U << 9U,   // the design rows are distributions
  kPsd = 1U << 10U,           // 0 ≺ G_n ⪯ cI, λ > 0
  kRatesValid = 1U << 11U,    // d, |A|, n, |F| ≥ 1; γ, δ ∈ (0,1)
  kMeasureValid = 1U << 12U,  // ν > 0
  kWalkValid = 1U << 13U  // ‖φ‖ ≤ 1, both laws of the adversary are distributions, δ ∈ (0,1)
};
inline constexpr unsigned kOnline =
    kMdpValid | kLowRank | kCandidate | kCandidateNorm | kReprNorm | kRewardNorm | kRegularised;

/// The first broken premise in words, or nothing. Exact: anything not proven counts as broken.
template <class T>
[[nodiscard]] std::optional<std::string> broken_premise(const Case<T>& c, unsigned premises);

}  // namespace speder::audit

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "speder/mdp/model/tabular_mdp.hpp"

namespace speder {

/// kUnknown: the value was not computed, or only bounds on it are known and they straddle.
enum class Holds { kYes, kNo, kUnknown };
[[nodiscard]] std::string_view to_string(Holds holds);

/// Gram matrices of this size take seconds, larger ones minutes and gigabytes.
inline constexpr Index kLargestGram = 2048;

/// One condition of the theory on one MDP: value ≤ bound (kernel_nonnegative: value ≥ bound, rank:
/// value = bound). `how` says how the value was found: exact, a bound, or why there is none.
struct Condition {
  std::string name;
  double value = 0;
  double bound = 0;
  Holds holds = Holds::kUnknown;
  std::string how;
};

/// In this order:
///   phi_norm                      max |φ(s,a)|₂ ≤ 1                  [eq:normalization_condition]
///   theta_norm                    |θ_r|₂ ≤ √d                        [eq:normalization_condition]
///   mu_norm                       sup_{|g| ≤ 1} |∑ μ g ν|₂ ≤ √d      [eq:normalization_condition]
///   representation_normalisation  ∑_s (∑_a |φ(s,a)|₂)² ν(s) ≤ d                [assump:repr_norm]
///   reward_normalisation          ∑_s (∑_a r(s,a))² ν(s) ≤ d                 [assump:reward_norm]
///   kernel_rows                   max |∑_{s'} P ν − 1| ≤ tol::kSimplex
///   kernel_nonnegative            min P ν ≥ 0 up to tol::kNonNegative
///   rank                          rank(P) = d
/// Costs O(nonzeros · d) when both factors are non-negative. A condition that would need tables of
/// more than kLargestGram² values is not computed: its value is NaN and `how` says why.
[[nodiscard]] std::vector<Condition> conditions(const TabularMdp& mdp);

/// sup over |g| ≤ 1 of |∑_s μ(s) g(s) ν(s)|₂, between two numbers that agree when it is exact.
/// Both are NaN when it was not computed.
struct MuNorm {
  double lower = 0;
  double upper = 0;
  std::string how;
};
[[nodiscard]] MuNorm mu_norm(const Factor& mu, const Vector& nu);
/// The certified bounds alone, whatever the size: mu_norm's last resort.
[[nodiscard]] MuNorm mu_norm_bounds(const Factor& mu, const Vector& nu);
/// All 2^{|S|−1} sign patterns in Gray-code order. |S| ≤ 30.
[[nodiscard]] double mu_norm_enumerated(const Factor& mu, const Vector& nu);

/// Numerical rank of P as an operator on L²(ν), from the factors: never an SA × S matrix unless
/// d > |S|.
struct RankResult {
  std::optional<Index> rank;  // none: not computed
  std::string how;
};
[[nodiscard]] RankResult kernel_rank(const Kernel& kernel);

}  // namespace speder

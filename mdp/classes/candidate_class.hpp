#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "speder/core/rng.hpp"
#include "speder/core/types.hpp"
#include "speder/mdp/classes/feature_class.hpp"
#include "speder/mdp/model/kernel.hpp"

namespace speder {

/// How to surround a known kernel P* with candidates of the same rank, base measure and
/// normalisation. Distances are L2(ρ) with ρ over pairs: (∑_x ρ(x) ∑_y (f − f*)² ν)^½.
struct ClassSpec {
  /// multiscale    |F|−1 candidates at distances base·2⁻ʲ, j = 0 … scales in turn, and P*
  /// product       Φ × Ψ, each side a multiscale ladder with the truth's own factor in it
  /// net           P* and candidates at distance radius … 2·radius, all at least radius apart
  /// misspecified  multiscale without P*: the nearest candidate is at base·2^−scales
  /// own           members of the MDP's own family (mdp/families/own_class.hpp); not by make_class
  std::string kind = "multiscale";
  Index size = 1000;   // |F|
  int scales = 10;     // J
  double base = 0;     // 0: half of the shortest of 32 pilot directions, so that all scales are met
  double radius = 0;   // net; 0: base / 4
  double support = 1;  // share of the pairs a candidate moves (multiscale, misspecified, net)
  std::string precision = "auto";  // double, float; auto: double up to kDoubleLimit bytes
  std::size_t max_bytes = std::size_t{4} << 30U;
  Vector weights;  // (SA)  ρ; empty: uniform over pairs
  int jobs = 0;    // threads; the class does not depend on it
};
inline constexpr std::size_t kDoubleLimit = std::size_t{512} << 20U;

/// A class and what only its maker knows.
struct CandidateClass {
  FeatureClass candidates;
  std::optional<Index> truth;  // index of P*, at a random place; none when it was left out
  Vector distance;             // (|F|)  realised, from the numbers as stored
  std::vector<int> scale;      // (|F|)  j of the wanted radius base·2⁻ʲ; −1: P* (net: 0)
  double base = 0;
  double nearest = 0;  // least distance of a candidate that is not P*
};

/// Throws InputError when the spec cannot be met (size, memory, no neighbours, no packing).
[[nodiscard]] CandidateClass make_class(const Kernel& truth, const ClassSpec& spec,
                                        const SeedTree& seeds);
[[nodiscard]] std::vector<std::string_view> class_kinds();
/// A class that somebody else made, with its distances from P*.
[[nodiscard]] CandidateClass measured_class(FeatureClass candidates, std::optional<Index> truth,
                                            const Kernel& P, const Vector& weights);

/// Realised distances by scale.
struct ScaleRow {
  int scale = 0;  // −1: P* itself
  double wanted = 0;
  Index count = 0;
  double least = 0, mean = 0, largest = 0;
};
[[nodiscard]] std::vector<ScaleRow> distance_histogram(const CandidateClass& made);

}  // namespace speder

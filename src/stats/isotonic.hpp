#pragma once

#include <span>
#include <vector>

#include "speder/stats/power_law.hpp"

namespace speder {

/// The non-decreasing sequence nearest to the values in weighted squares (pool adjacent violators).
[[nodiscard]] std::vector<double> isotonic_increasing(std::span<const double> values,
                                                      std::span<const double> weights);

/// N(ε, δ): the smallest n at which the (1−δ) quantile of the gap over runs is at most ε.
struct SampleComplexity {
  double n = 0;      // a grid point; with kAbove only N > n is known, with kBelow only N ≤ n
  double lower = 0;  // the grid point before it: N lies in (lower, n]
  Censoring censoring = Censoring::kNone;
};

/// From the share of runs whose gap is at most ε at each n: the quantile is at most ε exactly when
/// that share is at least 1 − δ. The shares are made monotone in n first, so that a lucky dip of a
/// noisy curve does not count.
[[nodiscard]] SampleComplexity sample_complexity(std::span<const double> grid,
                                                 std::span<const double> shares, double delta);

/// {first · 2^(k/4)} up to last, rounded to integers without repetition: the protocol's grid.
[[nodiscard]] std::vector<int> quarter_octaves(int first, int last);

}  // namespace speder

#include "speder/stats/isotonic.hpp"

#include <cmath>

#include "speder/core/check.hpp"
#include "speder/core/tolerance.hpp"

namespace speder {

std::vector<double> isotonic_increasing(std::span<const double> values,
                                        std::span<const double> weights) {
  require(values.size() == weights.size(), "isotonic: one weight per value");
  struct Block {
    double mean, weight;
    std::size_t length;
  };
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < values.size(); ++i) {
    blocks.push_back({values[i], weights[i], 1});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].mean > blocks.back().mean) {
      const Block last = blocks.back();
      blocks.pop_back();
      Block& b = blocks.back();
      b.mean = (b.weight * b.mean + last.weight * last.mean) / (b.weight + last.weight);
      b.weight += last.weight;
      b.length += last.length;
    }
  }
  std::vector<double> out;
  for (const Block& b : blocks) out.insert(out.end(), b.length, b.mean);
  return out;
}

SampleComplexity sample_complexity(std::span<const double> grid, std::span<const double> shares,
                                   double delta) {
  require(!grid.empty() && grid.size() == shares.size(), "sample complexity: one share per n");
  const std::vector<double> equal(shares.size(), 1.0);
  const std::vector<double> share = isotonic_increasing(shares, equal);
  for (std::size_t k = 0; k < grid.size(); ++k) {
    if (share[k] < 1 - delta - tol::kSimplex) continue;  // shares are sums of a few hundred 1/m
    if (k == 0) return {grid[0], 0, Censoring::kBelow};
    return {grid[k], grid[k - 1], Censoring::kNone};
  }
  return {grid.back(), grid.back(), Censoring::kAbove};
}

std::vector<int> quarter_octaves(int first, int last) {
  require(first >= 1 && last >= first, "quarter_octaves: 1 ≤ first ≤ last", first);
  std::vector<int> out;
  for (int k = 0;; ++k) {
    const double n = std::round(first * std::exp2(k / 4.0));
    if (n > last) return out;
    if (out.empty() || n > out.back()) out.push_back(static_cast<int>(n));
  }
}

}  // namespace speder

#include "speder/mdp/sampling/alias_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "speder/core/check.hpp"

namespace speder {
namespace {

// A share in [0,1] as a threshold; 1 becomes 2³² − 1, with the alias set to the cell's own outcome.
std::uint32_t to_threshold(double share) {
  const double scaled = std::nearbyint(std::max(share, 0.0) * 0x1.0p32);
  return static_cast<std::uint32_t>(std::min(scaled, 0x1.0p32 - 1));
}

}  // namespace

// Vose: outcomes below average are topped up by those above it.
void AliasBuilder::build(std::span<const double> weights, std::span<AliasCell> out) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  require(total > 0 && std::isfinite(total), "an alias table needs a positive, finite total weight",
          total);
  const double scale = static_cast<double>(weights.size()) / total;
  share_.clear(), small_.clear(), large_.clear();
  for (std::uint32_t i = 0; i < weights.size(); ++i) {
    require(weights[i] >= 0, "an alias table needs non-negative weights", weights[i]);
    share_.push_back(weights[i] * scale);
    (share_[i] < 1 ? small_ : large_).push_back(i);
  }
  while (!small_.empty() && !large_.empty()) {
    const std::uint32_t i = small_.back();
    const std::uint32_t donor = large_.back();
    small_.pop_back();
    out[i] = {to_threshold(share_[i]), donor};
    share_[donor] -= 1 - share_[i];
    if (share_[donor] >= 1) continue;
    large_.pop_back();
    small_.push_back(donor);
  }
  for (const std::uint32_t i : large_) out[i] = {std::numeric_limits<std::uint32_t>::max(), i};
  // Rounding can leave cells below average with no donor. What they miss is a few ulps, unless
  // their weight is zero: then the likeliest outcome steps in.
  const auto likeliest = static_cast<std::uint32_t>(
      std::max_element(weights.begin(), weights.end()) - weights.begin());
  for (const std::uint32_t i : small_)
    out[i] = {to_threshold(share_[i]), weights[i] > 0 ? i : likeliest};
}

AliasRows::AliasRows(Index rows, Index outcomes)
    : outcomes_(static_cast<std::uint64_t>(outcomes)),
      cells_(static_cast<std::size_t>(rows * outcomes), AliasCell{0, 0}) {
  require(outcomes >= 1 && outcomes < std::numeric_limits<std::int32_t>::max(),
          "an alias table needs 1 to 2^31 − 2 outcomes", outcomes);
}

void AliasRows::set_row(Index row, std::span<const double> weights) {
  require(weights.size() == outcomes_, "alias table: one weight per outcome", weights.size());
  builder_.build(weights,
                 std::span(cells_).subspan(static_cast<std::size_t>(row) * outcomes_, outcomes_));
}

void AliasLists::add_row(std::span<const double> weights, std::span<const std::uint32_t> outcomes) {
  require(weights.size() == outcomes.size(), "alias table: one weight per outcome", weights.size());
  row_.resize(weights.size());
  builder_.build(weights, row_);
  for (std::size_t i = 0; i < row_.size(); ++i) {
    cells_.push_back({row_[i].threshold, outcomes[i], outcomes[row_[i].alias]});
  }
  begin_.push_back(cells_.size());
}

}  // namespace speder

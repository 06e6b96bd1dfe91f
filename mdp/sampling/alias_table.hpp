#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "speder/core/types.hpp"

namespace speder {

/// Alias tables (Walker 1977; set-up by Vose 1991): a draw among n outcomes costs one 64-bit random
/// number and one look-up, whatever n.
///
/// Resolution. With x uniform on {0, …, 2⁶⁴−1} the product x·n (128 bits) has the cell i in its
/// upper word and the position inside the cell in its lower word, whose top 32 bits meet the
/// threshold. Rounding a threshold moves at most 2⁻³³/n of mass and the lattice of x at most 2⁻⁶⁴,
/// per cell; the total-variation distance between a draw and its law is at most 2⁻³³ + n·2⁻⁶⁴,
/// below 2⁻³² for every n < 2³¹. Outcomes of weight zero are never drawn.
struct AliasCell {
  std::uint32_t threshold;  // keep the cell's own outcome when the fraction is below this / 2³²
  std::uint32_t alias;      // otherwise this one; the cell's own when it is always kept
};

namespace detail {

struct Cut {
  std::uint64_t cell;      // uniform on {0, …, n−1}
  std::uint32_t fraction;  // uniform on {0, …, 2³²−1}
};
inline Cut cut(std::uint64_t bits, std::uint64_t n) {
  const auto product = static_cast<unsigned __int128>(bits) * n;
  return {static_cast<std::uint64_t>(product >> 64U),
          static_cast<std::uint32_t>(static_cast<std::uint64_t>(product) >> 32U)};
}
// fraction < threshold ? own : alias, without a branch: it would be mispredicted half the time.
inline std::uint32_t pick(std::uint32_t fraction, std::uint32_t threshold, std::uint32_t own,
                          std::uint32_t alias) {
  const auto keep = 0U - static_cast<std::uint32_t>(fraction < threshold);
  return alias ^ ((own ^ alias) & keep);
}

}  // namespace detail

/// Fills the cells of one law in O(n); keeps its scratch space from one law to the next.
class AliasBuilder {
 public:
  /// Non-negative weights with a positive sum (they need not sum to one), one cell each.
  void build(std::span<const double> weights, std::span<AliasCell> out);

 private:
  std::vector<double> share_;         // n·p_i: what outcome i still has to give away
  std::vector<std::uint32_t> small_;  // outcomes below average
  std::vector<std::uint32_t> large_;  // the others
};

/// m laws on the same n outcomes, one row of n cells each.
class AliasRows {
 public:
  AliasRows(Index rows, Index outcomes);
  void set_row(Index row, std::span<const double> weights);
  [[nodiscard]] Index draw(Index row, std::uint64_t bits) const {
    const auto [cell, fraction] = detail::cut(bits, outcomes_);
    const AliasCell c = cells_[static_cast<std::size_t>(row) * outcomes_ + cell];
    return detail::pick(fraction, c.threshold, static_cast<std::uint32_t>(cell), c.alias);
  }
  /// Brings the cell that draw(row, bits) will read into the cache.
  void prefetch(Index row, std::uint64_t bits) const {
    const std::uint64_t cell = detail::cut(bits, outcomes_).cell;
    __builtin_prefetch(cells_.data() + static_cast<std::size_t>(row) * outcomes_ + cell);
  }

 private:
  std::uint64_t outcomes_;
  std::vector<AliasCell> cells_;  // (rows × outcomes); a row never set draws outcome 0
  AliasBuilder builder_;
};

/// m laws, each on a list of outcomes of its own: the rows of a sparse matrix.
class AliasLists {
 public:
  AliasLists() : begin_{0} {}
  /// Appends the law of the next row. Outcomes of weight zero may be left out.
  void add_row(std::span<const double> weights, std::span<const std::uint32_t> outcomes);
  [[nodiscard]] Index draw(Index row, std::uint64_t bits) const {
    const std::uint64_t first = begin_[static_cast<std::size_t>(row)];
    const std::uint64_t last = begin_[static_cast<std::size_t>(row) + 1];
    const auto [cell, fraction] = detail::cut(bits, last - first);
    const Cell& c = cells_[first + cell];
    return detail::pick(fraction, c.threshold, c.own, c.alias);
  }
  void prefetch(Index row, std::uint64_t /*bits*/) const {
    __builtin_prefetch(begin_.data() + row);
  }

 private:
  struct Cell {
    std::uint32_t threshold;
    std::uint32_t own;
    std::uint32_t alias;
  };
  std::vector<std::uint64_t> begin_;  // (rows + 1)
  std::vector<Cell> cells_;
  std::vector<AliasCell> row_;
  AliasBuilder builder_;
};

}  // namespace speder

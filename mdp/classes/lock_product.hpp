#pragma once

#include "speder/mdp/classes/lock_class.hpp"

namespace speder {

/// All locks of a shape: for each level one of 1 + |A|(duds + 1) statements, for each pair of siblings
/// two owners. The order, which breaks ties, is lexicographic in (statement of level 0, owner of level
/// 1, statement of level 1, …), each in an order drawn by the seed.
class LockClass {
 public:
  LockClass(const LockShape& shape, const SeedTree& seeds);

  [[nodiscard]] const LockShape& shape() const { return shape_; }
  [[nodiscard]] double log_size() const { return lock_log_size(shape_); }  // log |F|
  [[nodiscard]] Index statements() const { return 1 + shape_.actions * (shape_.duds + 1); }
  /// The statement at a place of a level's order, and the owner (1: swapped) at place 0 or 1.
  [[nodiscard]] LockLevel statement(Index level, Index place) const;
  [[nodiscard]] bool owner(Index level, Index place) const {
    return (first_swapped_[static_cast<std::size_t>(level)] != 0) != (place == 1);
  }
  /// Member number i in the order; for classes small enough to be counted.
  [[nodiscard]] LockMember member(std::int64_t i) const;

 private:
  LockShape shape_;
  std::vector<std::vector<std::int32_t>> listed_;  // (H × statements)
  std::vector<std::uint8_t> first_swapped_;        // (H)  of level 0 unused
};

}  // namespace speder

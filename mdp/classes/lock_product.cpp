#include "speder/mdp/classes/lock_product.hpp"

#include <numeric>

#include "speder/core/check.hpp"

namespace speder {

LockClass::LockClass(const LockShape& shape, const SeedTree& seeds) : shape_(shape) {
  require_valid(shape);
  for (Index level = 0; level < shape.levels; ++level) {
    Rng rng = seeds.stream("lock.order", static_cast<std::uint64_t>(level));
    std::vector<std::int32_t> order(static_cast<std::size_t>(statements()));
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[static_cast<std::size_t>(rng.index(static_cast<Index>(i)))]);
    listed_.push_back(std::move(order));
    first_swapped_.push_back(static_cast<std::uint8_t>(rng.index(2)));
  }
}

LockLevel LockClass::statement(Index level, Index place) const {
  const std::int32_t i = listed_[static_cast<std::size_t>(level)][static_cast<std::size_t>(place)];
  if (i == 0) return {};
  const auto A = static_cast<std::int32_t>(shape_.actions);
  return {(i - 1) % A, (i - 1) / A};
}

LockMember LockClass::member(std::int64_t i) const {
  LockMember out;
  out.code.resize(static_cast<std::size_t>(shape_.levels));
  out.swapped.resize(static_cast<std::size_t>(shape_.levels - 1));
  for (Index level = shape_.levels - 1; level >= 0; --level) {
    out.code[static_cast<std::size_t>(level)] = statement(level, i % statements());
    i /= statements();
    if (level == 0) break;
    out.swapped[static_cast<std::size_t>(level - 1)] =
        static_cast<std::uint8_t>(owner(level, i % 2) ? 1 : 0);
    i /= 2;
  }
  require(i == 0, "the class has fewer members");
  return out;
}

}  // namespace speder

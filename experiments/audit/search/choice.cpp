#include "speder/experiments/audit/search/choice.hpp"

#include <algorithm>

namespace speder::audit {
namespace {

constexpr std::int32_t kGrid = 1 << 16;  // denominator of a free choice
constexpr int kStyles = 6;

Choice on_grid(double u) {
  return {static_cast<std::int32_t>(std::clamp(u, 0.0, 1.0) * kGrid), kGrid};
}

Choice small_fraction(Rng& rng) {
  const auto q = static_cast<std::int32_t>(1 + rng.index(6));
  return {static_cast<std::int32_t>(rng.index(q + 1)), q};
}

}  // namespace

Choice& Choices::at(Slot slot, int index) {
  auto& made = slots_[static_cast<std::size_t>(slot)];
  const auto i = static_cast<std::size_t>(index);
  if (made.size() <= i) {
    constexpr std::size_t kRoom = 32;  // few slots have more choices
    if (made.capacity() == 0) made.reserve(std::max(kRoom, i + 1));
    made.resize(i + 1);
  }
  if (made[i].denominator == 0) made[i] = draw(slot);
  return made[i];
}

// Corners, halves, small fractions, the unit interval, sparse, skewed: one style a slot, so that
// deterministic policies meet smooth kernels and the other way round.
Choice Choices::draw(Slot slot) {
  if (slot == Slot::kSize || slot == Slot::kKnob) return on_grid(rng_->uniform());
  int& style = style_[static_cast<std::size_t>(slot)];
  if (style == 0) style = 1 + static_cast<int>(rng_->index(kStyles));
  const double u = rng_->uniform();
  switch (style) {
    case 1:
      return {u < 0.5 ? 0 : 1, 1};
    case 2:
      return {static_cast<std::int32_t>(3 * u), 2};
    case 3:
      return small_fraction(*rng_);
    case 4:
      return on_grid(u);
    case 5:
      return u < 0.7 ? Choice{0, 1} : on_grid(rng_->uniform());
    default:
      return on_grid(u * u * u * u);
  }
}

int Choices::integer(Slot slot, int index, int low, int high) {
  const Choice& c = at(slot, index);
  const auto range = static_cast<std::int64_t>(high) - low + 1;
  return low + static_cast<int>(std::min(range * c.numerator / c.denominator, range - 1));
}

std::vector<std::pair<Slot, int>> Choices::made() const {
  std::vector<std::pair<Slot, int>> all;
  std::size_t most = 0;
  for (const auto& slot : slots_) most += slot.size();
  all.reserve(most);
  for (std::size_t s = 0; s < kSlots; ++s) {
    for (std::size_t i = 0; i < slots_[s].size(); ++i) {
      if (slots_[s][i].denominator != 0) {
        all.emplace_back(static_cast<Slot>(s), static_cast<int>(i));
      }
    }
  }
  return all;
}

void perturb(Choices& choices, Rng& rng) {
  const auto all = choices.made();
  const Index moves = 1 + rng.index(3);
  for (Index k = 0; k < moves; ++k) {
    const auto& [slot, i] =
        all[static_cast<std::size_t>(rng.index(static_cast<Index>(all.size())))];
    Choice& c = choices.at(slot, i);
    const double u = static_cast<double>(c.numerator) / c.denominator;
    const double pick = rng.uniform();
    if (pick < 0.2) {
      c = {rng.bernoulli(0.5) ? 1 : 0, 1};
    } else if (pick < 0.35) {
      c = small_fraction(rng);
    } else if (pick < 0.5) {
      c = on_grid(rng.uniform());
    } else {
      constexpr double kSteps[] = {0.2, 0.03, 0.004};
      c = on_grid(u + kSteps[rng.index(3)] * rng.normal());
    }
  }
}

}  // namespace speder::audit

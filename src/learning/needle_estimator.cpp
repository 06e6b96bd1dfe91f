#include "speder/learning/needle_estimator.hpp"

#include <limits>
#include <utility>

#include "speder/core/check.hpp"

namespace speder {

NeedleEstimator::NeedleEstimator(const NeedleClass& F)
    : F_(&F),
      tallies_(static_cast<std::size_t>(F.shape().doors * F.shape().actions)),
      owner_(static_cast<std::size_t>(F.shape().doors), 0.0) {
  const NeedleShape& shape = F.shape();
  best_.swapped.resize(static_cast<std::size_t>(shape.doors / 2));
  best_.needle.resize(static_cast<std::size_t>(shape.doors));
  for (Index pair = 0; 2 * pair < shape.doors; ++pair) {
    for (Index swapped = 0; swapped < 2; ++swapped)
      for (Index a = 0; a < shape.actions; ++a) refresh(pair, a, tally(pair, swapped, a));
    choose(pair);
  }
}

Index NeedleEstimator::add(const Step& step) {
  const NeedleShape& shape = F_->shape();
  require(0 <= step.pair && step.pair < shape.states() * shape.actions, "no such pair (s,a)",
          step.pair);
  require(0 <= step.next && step.next < shape.states(), "no such state", step.next);
  return add(shape.group_of(step.pair / shape.actions), step.pair % shape.actions,
             shape.group_of(step.next), 1);
}

Index NeedleEstimator::add(Index group, Index a, Index next, double count) {
  const NeedleShape& shape = F_->shape();
  if (group < shape.hall(0) || group >= shape.prize()) return -1;
  Index pair = -1;
  if (group < shape.half(0, 0)) {
    if (!shape.enters(a)) return -1;
    const Index z = group - shape.doors;
    const Index half = next - 2 * shape.doors;
    if (half % 2 == 0) return -1;  // first halves have one owner
    pair = z / 2;
    for (Index swapped = 0; swapped < 2; ++swapped) {
      const bool owns = ((half / 2) ^ swapped) == z;
      owner_[static_cast<std::size_t>(2 * pair + swapped)] -=
          2 * count * (owns ? 1 - shape.overlap : shape.overlap);
    }
  } else {
    const Index half = group - 2 * shape.doors;
    const Index c = half / 2;
    pair = c / 2;
    for (Index swapped = 0; swapped < 2; ++swapped) {
      const auto z = static_cast<std::size_t>((half % 2 == 1 ? c ^ swapped : c) % 2);
      Tally& t = tally(pair, swapped, a);
      t.visits[z] += count;
      t.excess[z] += next == shape.prize() ? count : -count;
      refresh(pair, a, t);
    }
  }
  choose(pair);
  return pair;
}

void NeedleEstimator::refresh(Index pair, Index a, Tally& t) const {
  const NeedleShape& shape = F_->shape();
  const double o = shape.overlap;
  const double own = 1 - o;
  const auto count = static_cast<std::int32_t>(shape.levels + 1);
  // Losses x_z D_z + y_z D_z² for each context z, and cross · D_0 D_1 for both together.
  std::array<double, 2> x{}, y{};
  for (std::size_t z = 0; z < 2; ++z) {
    x[z] = -2 * (own * t.excess[z] + o * t.excess[1 - z]);
    y[z] = 2 * (own * own * t.visits[z] + o * o * t.visits[1 - z]);
  }
  const double cross = 4 * o * own * (t.visits[0] + t.visits[1]);
  const auto place = [&](std::size_t z, std::int32_t k) {
    return F_->place(2 * pair + static_cast<Index>(z), {static_cast<std::int32_t>(a), k});
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (std::size_t z = 0; z < 2; ++z) {
    t.loss[z] = kInfinity;
    for (std::int32_t k = 0; k < count; ++k) {
      const double D = shape.level(k);
      const double loss = (x[z] + y[z] * D) * D;
      if (loss < t.loss[z] || (loss == t.loss[z] && place(z, k) < place(z, t.level[z]))) {
        t.loss[z] = loss;
        t.level[z] = k;
      }
    }
  }
  t.joint = t.loss[0] + t.loss[1];
  t.joint_level = t.level;
  if (cross == 0) return;
  t.joint = kInfinity;
  for (std::int32_t k = 0; k < count; ++k) {
    const double D = shape.level(k);
    const double first = (x[0] + y[0] * D) * D;
    for (std::int32_t l = 0; l < count; ++l) {
      const double E = shape.level(l);
      const double loss = first + (x[1] + cross * D + y[1] * E) * E;
      if (loss < t.joint) {  // what was seen has no ties but by rounding
        t.joint = loss;
        t.joint_level = {k, l};
      }
    }
  }
}

NeedleEstimator::Choice NeedleEstimator::best_of(Index pair, Index swapped) {
  // The best two hypotheses of each context, about different actions, in the order (loss, place).
  struct Ranked {
    double loss = 0;
    Index place = 0;
    Needle needle;
    [[nodiscard]] bool before(const Ranked& r) const {
      return loss < r.loss || (loss == r.loss && place < r.place);
    }
  };
  const Index actions = F_->shape().actions;
  std::array<std::array<Ranked, 2>, 2> top;
  for (std::size_t z = 0; z < 2; ++z) {
    const Index c = 2 * pair + static_cast<Index>(z);
    auto& [first, second] = top[z];
    first = {0, F_->place(c, {}), {}};
    second = {std::numeric_limits<double>::infinity(), F_->hypotheses(), {}};
    for (Index a = 0; a < actions; ++a) {
      const Tally& t = tally(pair, swapped, a);
      const Needle needle{static_cast<std::int32_t>(a), t.level[z]};
      const Ranked r{t.loss[z], F_->place(c, needle), needle};
      if (r.before(first)) {
        second = std::exchange(first, r);
      } else if (r.before(second)) {
        second = r;
      }
    }
  }
  Choice best{std::numeric_limits<double>::infinity(), {}};
  const auto offer = [&](double loss, const Needle& one, const Needle& other) {
    if (loss > best.loss) return;
    if (loss == best.loss) {
      const auto order = [&](const Needle& n, const Needle& m) {
        return std::pair(F_->place(2 * pair, n), F_->place(2 * pair + 1, m));
      };
      if (order(one, other) >= order(best.needle[0], best.needle[1])) return;
    }
    best = {loss, {one, other}};
  };
  for (const Ranked& r : top[0]) {
    for (const Ranked& s : top[1]) {
      if (r.needle.action < 0 || r.needle.action != s.needle.action)
        offer(r.loss + s.loss, r.needle, s.needle);
    }
  }
  for (Index a = 0; a < actions; ++a) {
    const Tally& t = tally(pair, swapped, a);
    const auto name = static_cast<std::int32_t>(a);
    offer(t.joint, {name, t.joint_level[0]}, {name, t.joint_level[1]});
  }
  return best;
}

void NeedleEstimator::choose(Index pair) {
  Choice least;
  double loss = std::numeric_limits<double>::infinity();
  for (const Index turn : {0, 1}) {
    const Index swapped = (F_->first_swapped(pair) ? 1 : 0) ^ turn;
    const Choice choice = best_of(pair, swapped);
    const double total = owner_[static_cast<std::size_t>(2 * pair + swapped)] + choice.loss;
    if (!(total < loss)) continue;
    loss = total;
    least = choice;
    best_.swapped[static_cast<std::size_t>(pair)] = static_cast<std::uint8_t>(swapped);
  }
  best_.needle[static_cast<std::size_t>(2 * pair)] = least.needle[0];
  best_.needle[static_cast<std::size_t>(2 * pair + 1)] = least.needle[1];
}

}  // namespace speder

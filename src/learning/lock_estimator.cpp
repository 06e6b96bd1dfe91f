#include "speder/learning/lock_estimator.hpp"

#include <limits>

#include "speder/core/check.hpp"

namespace speder {
namespace {

std::size_t slot(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

LockEstimator::LockEstimator(const LockClass& F, double nu)
    : F_(&F),
      nu_(nu),
      scratch_(F.member(0)),
      losses_(slot(F.shape().levels)),
      least_(slot(F.shape().levels)),
      stale_(slot(F.shape().levels), true) {
  require(nu > 0, "a base measure is positive", nu);
  for (auto& table : losses_) table.assign(slot(4 * F.statements()), 0.0);
}

void LockEstimator::add(const Step& step, double count) {
  const LockShape& shape = F_->shape();
  require(0 <= step.pair && step.pair < shape.states() * shape.actions, "no such pair (s,a)",
          step.pair);
  require(0 <= step.next && step.next < shape.states(), "no such state", step.next);
  const Index s = step.pair / shape.actions, a = step.pair % shape.actions;
  const Index z = s / shape.copies;
  const auto term = [&] {
    return count *
           (lock_energy(shape, scratch_, s, a) - 2 * lock_mass(shape, scratch_, s, a, step.next)) /
           nu_;
  };
  if (z != LockShape::kStart && !shape.paired(z)) {
    everywhere_ += term();
    return;
  }
  const Index level = (z + 1) / 2;
  stale_[slot(level)] = true;
  LockLevel& said = scratch_.code[slot(level)];
  std::vector<double> kinds(slot(shape.duds + 1));
  for (Index mine = 0; mine < 2; ++mine) {
    if (level > 0) scratch_.swapped[slot(level - 1)] = F_->owner(level, mine) ? 1 : 0;
    for (Index next = 0; next < 2; ++next) {
      if (level + 1 < shape.levels)
        scratch_.swapped[slot(level)] = F_->owner(level + 1, next) ? 1 : 0;
      said = {};
      const double other = term();  // a statement about another action, or none
      for (std::int32_t k = 0; k <= static_cast<std::int32_t>(shape.duds); ++k) {
        said = {static_cast<std::int32_t>(a), k};
        kinds[slot(k)] = term();
      }
      for (Index place = 0; place < F_->statements(); ++place) {
        const LockLevel statement = F_->statement(level, place);
        losses_[slot(level)][slot(at(mine, place, next))] +=
            statement.action == a ? kinds[slot(statement.kind)] : other;
      }
    }
  }
}

void LockEstimator::refresh(Index level) {
  for (Index mine = 0; mine < 2; ++mine) {
    for (Index next = 0; next < 2; ++next) {
      Least& least = least_[slot(level)][slot(2 * mine + next)];
      least.loss = std::numeric_limits<double>::infinity();
      for (Index place = 0; place < F_->statements(); ++place) {
        const double loss = losses_[slot(level)][slot(at(mine, place, next))];
        if (loss < least.loss) least = {loss, place};  // the first of equals
      }
    }
  }
  stale_[slot(level)] = false;
}

const LockMember& LockEstimator::best() {
  const Index H = F_->shape().levels;
  for (Index level = 0; level < H; ++level)
    if (stale_[slot(level)]) refresh(level);
  // behind[l][mine]: least of levels l, l+1, … when level l has that owner.
  std::vector<std::array<double, 2>> behind(slot(H + 1), {0, 0});
  for (Index level = H - 1; level >= 0; --level) {
    for (Index mine = 0; mine < 2; ++mine) {
      const auto with = [&](Index next) {
        return least_[slot(level)][slot(2 * mine + next)].loss +
               behind[slot(level + 1)][slot(next)];
      };
      behind[slot(level)][slot(mine)] = std::min(with(0), with(1));
    }
  }
  loss_ = everywhere_ + behind[0][0];  // level 0 has no owner: both tables are the same
  best_ = scratch_;
  Index mine = 0;
  for (Index level = 0; level < H; ++level) {
    // Lexicographic: the first statement that some next owner makes best, then the first such owner.
    Index next = 0;
    const auto total = [&](Index n) {
      return least_[slot(level)][slot(2 * mine + n)].loss + behind[slot(level + 1)][slot(n)];
    };
    const auto place = [&](Index n) { return least_[slot(level)][slot(2 * mine + n)].place; };
    if (total(1) < total(0) || (total(1) == total(0) && place(1) < place(0))) next = 1;
    best_.code[slot(level)] = F_->statement(level, place(next));
    if (level + 1 < H)
      best_.swapped[slot(level)] = static_cast<std::uint8_t>(F_->owner(level + 1, next) ? 1 : 0);
    mine = next;
  }
  return best_;
}

}  // namespace speder

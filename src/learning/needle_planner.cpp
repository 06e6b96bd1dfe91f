#include "speder/learning/needle_planner.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "speder/core/tolerance.hpp"

namespace speder {

NeedlePlanner::NeedlePlanner(const NeedleClass& F)
    : shape_(F.shape()),
      safe_(F.values().safe),
      doors_(at(shape_.doors)),
      halls_(at(shape_.doors)),
      halves_(at(2 * shape_.doors * shape_.actions)),
      totals_(at(2 * shape_.doors)),
      sums_(at(shape_.doors / 2)),
      rows_(at(2 * shape_.doors)),
      second_(at(shape_.doors)),
      door_bonus_(at(shape_.doors)),
      hall_bonus_(at(shape_.doors)),
      values_(at(2 * shape_.doors)),
      policy_(at(shape_.groups()), 0) {}

void NeedlePlanner::visit(Index group, Index a, double count) {
  const bool enter = shape_.enters(a);
  if (group < shape_.hall(0)) {
    (enter ? doors_[at(group)] : refusals_) += count;
  } else if (group < shape_.half(0, 0)) {
    (enter ? halls_[at(group - shape_.doors)] : turns_) += count;
  } else if (group < shape_.prize()) {
    const Index q = group - 2 * shape_.doors;
    halves_[at(q * shape_.actions + a)] += count;
    totals_[at(q)] += count;
  } else {
    (group == shape_.prize() ? prizes_ : returns_) += count;
  }
}

void NeedlePlanner::set_member(const NeedleMember& member, Index pair) {
  Block sum;
  for (Index q = 4 * pair; q < 4 * pair + 4; ++q) {
    const Index z = member.owner(q / 2, q % 2);
    const std::int32_t first = member.needle[at(z)].action;
    const std::int32_t second = member.needle[at(z ^ 1)].action;
    std::vector<Row>& rows = rows_[at(q)];
    rows.clear();
    double rest = totals_[at(q)];
    const auto special = [&](std::int32_t a) {
      rows.push_back({needle_chance(shape_, member, q / 2, q % 2, a), a});
      const double visits = halves_[at(q * shape_.actions + a)];
      sum.add(rows.back().chance, visits);
      rest -= visits;
    };
    if (first >= 0) special(first);
    if (second >= 0 && second != first) special(second);
    std::int32_t plain = 0;
    while (plain == first || plain == second) ++plain;
    if (plain < shape_.actions) rows.push_back({0.5, plain});
    sum.add(0.5, rest);
    // Lowest action first, so that it wins ties.
    std::sort(rows.begin(), rows.end(),
              [](const Row& r, const Row& s) { return r.action < s.action; });
  }
  sums_[at(pair)] = sum;
  for (Index c = 2 * pair; c < 2 * pair + 2; ++c)
    second_[at(c)] = static_cast<std::int32_t>(2 * (member.owner(c, 1) == c ? c : c ^ 1) + 1);
}

double NeedlePlanner::plan(double alpha, double lambda, bool& changed) {
  Block block;  // Σ̂ of the coordinates prize and blank, without λ
  block.add(safe_, refusals_);
  block.add(0, turns_);
  for (const Block& s : sums_) block.add(s);
  const double a11 = block.square + lambda;
  const double a12 = block.first - block.square;
  const double a22 = block.visits - 2 * block.first + block.square + lambda;
  const double det = a11 * a22 - a12 * a12;
  const auto bonus = [&](double p) {  // α ‖(p, 1−p)‖ in Σ̂⁻¹
    const double r = 1 - p;
    return alpha * std::sqrt(std::max(0.0, p * p * a22 - 2 * p * r * a12 + r * r * a11) / det);
  };
  const auto single = [&](double visits) { return alpha / std::sqrt(visits + lambda); };
  const double plain = bonus(0.5);
  for (auto& rows : rows_)
    for (Row& row : rows) row.bonus = row.chance == 0.5 ? plain : bonus(row.chance);
  for (std::size_t c = 0; c < doors_.size(); ++c) {
    door_bonus_[c] = single(doors_[c]);
    hall_bonus_[c] = single(halls_[c]);
  }
  const Bets bets{bonus(safe_), bonus(0), single(prizes_), single(returns_)};
  changed = false;
  for (int step = 0; step < kMostSteps; ++step) {
    const Sloped lobby = back_up(bets, changed);
    const double residual = lobby.value - value_;
    if (std::abs(residual) <= tol::kBellman * (1 - shape_.gamma) * std::max(1.0, std::abs(value_)))
      return value_;
    value_ += residual / (1 - lobby.slope);  // the value of the policy that was greedy
  }
  throw std::runtime_error("planning on the needle class does not end");
}

NeedlePlanner::Sloped NeedlePlanner::back_up(const Bets& bets, bool& changed) {
  const double g = shape_.gamma;
  const Sloped blank{bets.home + g * value_, g};  // `paid` is worth the same
  const Sloped prize{1 + bets.prize + g * blank.value, g * g};
  for (Index q = 0; q < 2 * shape_.doors; ++q) {
    const Row* best = nullptr;
    double most = 0;
    for (const Row& row : rows_[at(q)]) {
      const double v = row.bonus + g * (row.chance * prize.value + (1 - row.chance) * blank.value);
      if (best == nullptr || v > most) {
        most = v;
        best = &row;
      }
    }
    values_[at(q)] = {most, g * (best->chance * prize.slope + (1 - best->chance) * blank.slope)};
    take(2 * shape_.doors + q, best->action, changed);
  }
  const Sloped refuse{bets.safe + g * (safe_ * prize.value + (1 - safe_) * blank.value),
                      g * (safe_ * prize.slope + (1 - safe_) * blank.slope)};
  const Sloped turn{bets.blank + g * blank.value, g * blank.slope};
  const double o = shape_.overlap;
  const auto own = [&](Index z) {
    const Sloped& a = values_[at(2 * z)];
    const Sloped& b = values_[at(second_[at(z)])];
    return Sloped{0.5 * (a.value + b.value), 0.5 * (a.slope + b.slope)};
  };
  Sloped sum;
  for (Index c = 0; c < shape_.doors; ++c) {
    const Sloped mine = own(c);
    const Sloped theirs = own(c ^ 1);
    const Sloped enter{hall_bonus_[at(c)] + g * ((1 - o) * mine.value + o * theirs.value),
                       g * ((1 - o) * mine.slope + o * theirs.slope)};
    const bool on = enter.value > turn.value;
    take(shape_.hall(c), on ? 1 : 0, changed);
    const Sloped& hall = on ? enter : turn;
    const Sloped through{door_bonus_[at(c)] + g * hall.value, g * hall.slope};
    const bool in = through.value > refuse.value;
    take(shape_.door(c), in ? 1 : 0, changed);
    const Sloped& door = in ? through : refuse;
    sum.value += door.value;
    sum.slope += door.slope;
  }
  const auto M = static_cast<double>(shape_.doors);
  return {sum.value / M, sum.slope / M};
}

}  // namespace speder

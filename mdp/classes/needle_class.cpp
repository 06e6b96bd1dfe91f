#include "speder/mdp/classes/needle_class.hpp"

#include <cmath>
#include <numeric>

#include "speder/core/check.hpp"

namespace speder {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

double deviation(const NeedleShape& shape, const Needle& needle, Index action) {
  return needle.action == action ? shape.level(needle.level) : 0.0;
}

// A value that is linear in the lobby's: V = constant + slope · V(lobby).
struct Line {
  double constant = 0;
  double slope = 0;
  friend Line operator+(Line a, Line b) { return {a.constant + b.constant, a.slope + b.slope}; }
  friend Line operator*(double c, Line a) { return {c * a.constant, c * a.slope}; }
};

// γ E[V(prize or blank)] when the prize has probability p. V(blank) = γx, V(prize) = 1 + γ²x.
Line bet(double p, double gamma) {
  return gamma * (p * Line{1, gamma * gamma} + (1 - p) * Line{0, gamma});
}

double fixed_point(Line line) { return line.constant / (1 - line.slope); }

}  // namespace

Index NeedleShape::group_of(Index state) const {
  const Index block = state / copies;
  if (block < 2 * doors) return block;
  if (block < 3 * doors) return 2 * doors + (state - 2 * doors * copies) / (copies / 2);
  return block + doors;
}

void require_valid(const NeedleShape& s) {
  const auto require_input = [](bool ok, std::string_view what) {
    if (!ok) throw InputError(fmt::format("needle: {}", what));
  };
  require_input(s.doors >= 2 && s.doors % 2 == 0,
                "rank must be 2M + 4 with an even number M >= 2 of doors: 8, 12, 16, ...");
  require_input(s.actions >= 2, "actions must be at least 2");
  require_input(s.copies >= 2 && s.copies % 2 == 0, "copies must be even and at least 2");
  require_input(0 <= s.overlap && s.overlap < 0.5, "overlap must lie in [0, 0.5)");
  require_input(0 < s.lead && s.lead < 0.5, "lead must lie in (0, 0.5)");
  require_input(s.levels >= 1, "levels must be at least 1");
  const double safe = needle_values(s).safe;
  require_input(0 < safe && safe < 1,
                "gamma is too small: no safe bet lies between dud and needle");
}

NeedleValues needle_values(const NeedleShape& s) {
  const double g = s.gamma;
  const double keep = (1 - s.overlap) * (1 - s.overlap) + s.overlap * s.overlap;
  const double needle = 0.5 + keep * s.lead;     // mean chance in a context with the needle
  const double dud = 0.5 + (1 - keep) * s.lead;  // in its sibling's
  const double middle = (needle + dud) / 2;      // worth the safe bet
  // V* = ½ γ² bet(needle) + ½ bet(safe), where bet(safe) = γ² bet(middle) by choice of `safe`.
  NeedleValues out;
  out.best = fixed_point(g * g * bet((needle + middle) / 2, g));
  const double blank = g * out.best;
  const double prize = 1 + g * blank;
  out.safe = g * g * middle - (1 - g * g) * blank / (prize - blank);
  out.margin = g * g * g * (needle - middle) * (prize - blank);
  out.refusal = fixed_point(bet(out.safe, g));
  return out;
}

double needle_chance(const NeedleShape& shape, const NeedleMember& member, Index c, Index h,
                     Index action) {
  const Index z = member.owner(c, h);
  return 0.5 + (1 - shape.overlap) * deviation(shape, member.needle[at(z)], action) +
         shape.overlap * deviation(shape, member.needle[at(z ^ 1)], action);
}

NeedleMember draw_needles(const NeedleShape& shape, const SeedTree& seeds) {
  NeedleMember out;
  out.needle.resize(at(shape.doors));
  for (Index pair = 0; 2 * pair < shape.doors; ++pair) {
    Rng rng = seeds.stream("needle", static_cast<std::uint64_t>(pair));
    out.swapped.push_back(static_cast<std::uint8_t>(rng.index(2)));
    const Index good = 2 * pair + rng.index(2);
    out.needle[at(good)] = {static_cast<std::int32_t>(rng.index(shape.actions)), 0};
  }
  return out;
}

SparseMatrix needle_phi(const NeedleShape& shape, const NeedleMember& member) {
  const double safe = needle_values(shape).safe;
  std::vector<Eigen::Triplet<double, std::int32_t>> entries;
  for (Index s = 0; s < shape.states(); ++s) {
    const Index group = shape.group_of(s);
    for (Index a = 0; a < shape.actions; ++a) {
      const auto row = static_cast<std::int32_t>(pair_index(s, a, shape.actions));
      const auto put = [&](Index factor, double p) {
        if (p != 0) entries.emplace_back(row, static_cast<std::int32_t>(factor), p);
      };
      const auto put_bet = [&](double p) {
        put(NeedleShape::kPrize, p);
        put(NeedleShape::kBlank, 1 - p);
      };
      const bool enter = shape.enters(a);
      if (group < shape.hall(0)) {
        enter ? put(shape.hall_factor(group), 1) : put_bet(safe);
      } else if (group < shape.half(0, 0)) {
        put(enter ? shape.context_factor(group - shape.doors) : NeedleShape::kBlank, 1);
      } else if (group < shape.prize()) {
        const Index half = group - 2 * shape.doors;
        put_bet(needle_chance(shape, member, half / 2, half % 2, a));
      } else {
        put(group == shape.prize() ? NeedleShape::kPaid : NeedleShape::kLobby, 1);
      }
    }
  }
  SparseMatrix phi(shape.states() * shape.actions, shape.rank());
  phi.setFromTriplets(entries.begin(), entries.end());
  return phi;
}

SparseMatrix needle_emission(const NeedleShape& shape, const NeedleMember& member) {
  const double one = 1 / static_cast<double>(shape.copies);
  std::vector<Eigen::Triplet<double, std::int32_t>> entries;
  for (Index s = 0; s < shape.states(); ++s) {
    const Index group = shape.group_of(s);
    const auto put = [&](Index factor, double p) {
      if (p != 0) entries.emplace_back(static_cast<int>(s), static_cast<int>(factor), p * one);
    };
    if (group < shape.hall(0)) {
      put(NeedleShape::kLobby, 1 / static_cast<double>(shape.doors));
    } else if (group < shape.half(0, 0)) {
      put(shape.hall_factor(group - shape.doors), 1);
    } else if (group < shape.prize()) {
      const Index half = group - 2 * shape.doors;
      const Index z = member.owner(half / 2, half % 2);
      put(shape.context_factor(z), 1 - shape.overlap);
      put(shape.context_factor(z ^ 1), shape.overlap);
    } else {
      put(NeedleShape::kPrize + group - shape.prize(), 1);
    }
  }
  SparseMatrix mu(shape.states(), shape.rank());
  mu.setFromTriplets(entries.begin(), entries.end());
  return mu;
}

Kernel needle_kernel(const NeedleShape& shape, const NeedleMember& member) {
  return {shape.actions, needle_phi(shape, member), needle_emission(shape, member),
          Vector::Ones(shape.states())};
}

double needle_value(const NeedleShape& shape, const NeedleMember& member,
                    const std::vector<std::int32_t>& policy) {
  const double g = shape.gamma;
  const double safe = needle_values(shape).safe;
  // Mean chance over the two half blocks that context z owns.
  const auto own = [&](Index z) {
    const Index second = member.owner(z, 1) == z ? z : z ^ 1;
    return 0.5 * (needle_chance(shape, member, z, 0, policy[at(shape.half(z, 0))]) +
                  needle_chance(shape, member, second, 1, policy[at(shape.half(second, 1))]));
  };
  Line sum;
  for (Index c = 0; c < shape.doors; ++c) {
    if (!shape.enters(policy[at(shape.door(c))])) {
      sum = sum + bet(safe, g);
    } else if (!shape.enters(policy[at(shape.hall(c))])) {
      sum = sum + g * bet(0, g);
    } else {
      const double p = (1 - shape.overlap) * own(c) + shape.overlap * own(c ^ 1);
      sum = sum + g * g * bet(p, g);
    }
  }
  return fixed_point((1 / static_cast<double>(shape.doors)) * sum);
}

NeedleClass::NeedleClass(const NeedleShape& shape, const SeedTree& seeds) : shape_(shape) {
  require_valid(shape);
  values_ = needle_values(shape);
  for (Index pair = 0; 2 * pair < shape.doors; ++pair) {
    Rng rng = seeds.stream("order.owner", static_cast<std::uint64_t>(pair));
    first_swapped_.push_back(static_cast<std::uint8_t>(rng.index(2)));
  }
  for (Index c = 0; c < shape.doors; ++c) {
    Rng rng = seeds.stream("order.needle", static_cast<std::uint64_t>(c));
    std::vector<std::int32_t> list(at(hypotheses()));
    std::iota(list.begin(), list.end(), 0);
    for (Index i = hypotheses() - 1; i > 0; --i) std::swap(list[at(i)], list[at(rng.index(i + 1))]);
    std::vector<std::int32_t> place(list.size());
    for (std::size_t i = 0; i < list.size(); ++i)
      place[static_cast<std::size_t>(list[i])] = static_cast<std::int32_t>(i);
    listed_.push_back(std::move(list));
    place_.push_back(std::move(place));
  }
}

double NeedleClass::log_size() const {
  const auto M = static_cast<double>(shape_.doors);
  return M / 2 * std::log(2.0) + M * std::log(static_cast<double>(hypotheses()));
}

Index NeedleClass::place(Index c, Needle needle) const {
  const Index h = needle.action < 0 ? 0 : 1 + needle.action * (shape_.levels + 1) + needle.level;
  return place_[at(c)][at(h)];
}

NeedleMember NeedleClass::member(std::int64_t i) const {
  require(log_size() < std::log(1e15), "the class is too large to be counted", log_size());
  NeedleMember out{std::vector<std::uint8_t>(first_swapped_.size()),
                   std::vector<Needle>(at(shape_.doors))};
  const auto digit = [&](Index base) {
    const Index d = i % base;
    i /= base;
    return d;
  };
  for (Index c = shape_.doors - 1; c >= 0; --c) {
    const std::int32_t h = listed_[at(c)][at(digit(hypotheses()))];
    const auto per_action = static_cast<std::int32_t>(shape_.levels + 1);
    if (h > 0) out.needle[at(c)] = {(h - 1) / per_action, (h - 1) % per_action};
    if (c % 2 == 0)
      out.swapped[at(c / 2)] = static_cast<std::uint8_t>((digit(2) == 1) != first_swapped(c / 2));
  }
  return out;
}

}  // namespace speder

#include "speder/mdp/classes/chain_class.hpp"

#include <cmath>

#include "speder/core/check.hpp"

namespace speder {
namespace {

using ChainEntry = Eigen::Triplet<double, std::int32_t>;

// The latent to which an observation belongs.
Index chain_owner(const ChainShape& shape, const ChainMember& member, Index s) {
  const Index z = s / shape.copies;
  const bool second = 2 * (s % shape.copies) >= shape.copies;
  if (!shape.is_end(z) || !second || !member.swapped) return z;
  return shape.end(1 - (z - shape.levels));
}

// How much more than ½ an arm wins at an end.
double chain_lead(const ChainShape& shape, const ChainArm& arm, Index a) {
  if (arm.action != a) return 0;
  if (arm.kind == 0) return shape.lead;
  return -shape.lead * static_cast<double>(arm.kind) / static_cast<double>(shape.duds);
}

ChainArm any_arm(const ChainShape& shape, Rng& rng) {
  const Index i = rng.index(1 + shape.actions * (shape.duds + 1));
  if (i == 0) return {};
  return {static_cast<std::int32_t>((i - 1) % shape.actions),
          static_cast<std::int32_t>((i - 1) / shape.actions)};
}

}  // namespace

void require_valid(const ChainShape& s) {
  const auto require_input = [](bool ok, std::string_view what) {
    if (!ok) throw InputError(fmt::format("chain: {}", what));
  };
  require_input(s.levels >= 2, "rank must be L + 5 with L >= 2 levels: 7, 8, 9, ...");
  require_input(s.actions >= 2, "actions must be at least 2");
  require_input(s.copies >= 2 && s.copies % 2 == 0, "copies must be even and at least 2");
  require_input(0 < s.gamma && s.gamma < 1, "gamma must lie in (0, 1)");
  require_input(0 <= s.overlap && s.overlap < 0.5, "overlap must lie in [0, 0.5)");
  require_input(0 < s.lead && s.lead < 0.5, "lead must lie in (0, 0.5)");
  require_input(0 < s.climb && s.climb <= 1, "climb must lie in (0, 1]");
  require_input(s.duds >= 1, "duds must be at least 1");
}

ChainValues chain_values(const ChainShape& shape) {
  const double g = shape.gamma, c = shape.climb, o = shape.overlap;
  // A level takes a geometric time: E γ^T = γc/(1 − γ(1 − c)).
  const double way = std::pow(g * c / (1 - g * (1 - c)), static_cast<double>(shape.levels));
  // v = way γ (p (1 + γ² v) + (1 − p) γ v), a climb to arms that win with p.
  const auto climb = [&](double p) {
    return way * g * p / (1 - way * g * (p * g * g + (1 - p) * g));
  };
  // The better arm's end shows its own block with 1 − o, and that block acts as it with 1 − o.
  const double best = climb(0.5 + ((1 - o) * (1 - o) + o * o) * shape.lead);
  const double refusal = (best + climb(0.5)) / 2;
  // v = γ (s (1 + γ² v) + (1 − s) γ v), solved for the chance s.
  const double safe = refusal * (1 - g * g) / (g - refusal * g * g * (1 - g));
  return {safe, best, refusal};
}

ChainMember draw_chain(const ChainShape& shape, const SeedTree& seeds) {
  require_valid(shape);
  Rng rng = seeds.stream("chain");
  ChainMember out;
  const Index end = rng.index(2);
  out.arm[static_cast<std::size_t>(end)] = {static_cast<std::int32_t>(rng.index(shape.actions)), 0};
  out.swapped = rng.index(2) == 1;
  return out;
}

SparseMatrix chain_phi(const ChainShape& shape, const ChainMember& member) {
  const double safe = chain_values(shape).safe;
  std::vector<ChainEntry> entries;
  for (Index s = 0; s < shape.states(); ++s) {
    const Index z = chain_owner(shape, member, s);
    for (Index a = 0; a < shape.actions; ++a) {
      const auto put = [&](Index next, double p) {
        if (p > 0)
          entries.emplace_back(static_cast<std::int32_t>(pair_index(s, a, shape.actions)),
                               static_cast<std::int32_t>(next), p);
      };
      const auto bet = [&](double p) {
        put(shape.prize(), p);
        put(shape.blank(), 1 - p);
      };
      const auto up = [&](Index next) {
        put(next, shape.climb);
        put(z, 1 - shape.climb);
      };
      if (z == shape.levels - 1) {
        up(shape.end(a % 2));
      } else if (z < shape.levels) {
        if (a == 1) {
          up(z + 1);
        } else {
          bet(z == ChainShape::kFoot ? safe : 0);
        }
      } else if (shape.is_end(z)) {
        const auto own = static_cast<std::size_t>(z - shape.levels);
        bet(0.5 + (1 - shape.overlap) * chain_lead(shape, member.arm[own], a) +
            shape.overlap * chain_lead(shape, member.arm[1 - own], a));
      } else {
        put(z == shape.prize() ? shape.paid() : ChainShape::kFoot, 1);
      }
    }
  }
  SparseMatrix phi(shape.states() * shape.actions, shape.rank());
  phi.setFromTriplets(entries.begin(), entries.end());
  return phi;
}

SparseMatrix chain_emission(const ChainShape& shape, const ChainMember& member) {
  const double one = 1 / static_cast<double>(shape.copies);
  std::vector<ChainEntry> entries;
  for (Index s = 0; s < shape.states(); ++s) {
    const Index z = chain_owner(shape, member, s);
    const double o = shape.is_end(z) ? shape.overlap : 0;
    const auto row = static_cast<std::int32_t>(s);
    entries.emplace_back(row, static_cast<std::int32_t>(z), (1 - o) * one);
    if (o > 0)
      entries.emplace_back(row, static_cast<std::int32_t>(shape.end(1 - (z - shape.levels))),
                           o * one);
  }
  SparseMatrix mu(shape.states(), shape.rank());
  mu.setFromTriplets(entries.begin(), entries.end());
  return mu;
}

ChainSample sample_chains(const ChainShape& shape, const ChainMember& truth, Index size,
                          const SeedTree& seeds) {
  require_valid(shape);
  require(size >= 1, "a class has at least one member", size);
  Rng rng = seeds.stream("chain.members");
  ChainSample out;
  out.truth = rng.index(size);
  for (Index i = 0; i < size; ++i) {
    ChainMember member = truth;
    while (i != out.truth && member == truth) {
      for (ChainArm& arm : member.arm) arm = any_arm(shape, rng);
      member.swapped = rng.index(2) == 1;
    }
    out.members.push_back(member);
  }
  return out;
}

}  // namespace speder

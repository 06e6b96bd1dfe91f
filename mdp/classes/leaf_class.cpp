#include "speder/mdp/classes/leaf_class.hpp"

#include <algorithm>
#include <cmath>

#include "speder/core/check.hpp"

namespace speder {
namespace {

Index leaf_owner(const LeafShape& shape, const LeafMember& member, Index s) {
  const Index z = s / shape.copies;
  const bool second = 2 * (s % shape.copies) >= shape.copies;
  if (!shape.is_leaf(z) || !second) return z;
  const Index leaf = z - shape.first_leaf();
  const bool swapped = member.swapped[static_cast<std::size_t>(leaf / 2)] != 0;
  return shape.first_leaf() + (swapped ? leaf ^ 1 : leaf);
}

double chance(const LeafShape& shape, const LeafMember& member, Index leaf, Index a) {
  if (member.leaf != leaf || member.action != a) return 0.5;
  if (member.kind == 0) return 0.5 + shape.lead;
  return 0.5 - shape.lead * static_cast<double>(member.kind) / static_cast<double>(shape.duds);
}

void draw_owners(const LeafShape& shape, Rng& rng, LeafMember& out) {
  out.swapped.clear();
  for (Index pair = 0; 2 * pair < shape.leaves(); ++pair)
    out.swapped.push_back(static_cast<std::uint8_t>(rng.index(2)));
}

}  // namespace

void require_valid(const LeafShape& s) {
  const auto require_input = [](bool ok, std::string_view what) {
    if (!ok) throw InputError(fmt::format("leaves: {}", what));
  };
  constexpr Index kDeepest = 20;
  require_input(1 <= s.depth && s.depth <= kDeepest,
                "rank must be 2 L + 2 with L = 2, 4, 8, ... leaves: 6, 10, 18, 34, ...");
  require_input(s.actions >= 2, "actions must be at least 2");
  require_input(s.copies >= 2 && s.copies % 2 == 0, "copies must be even and at least 2");
  require_input(0 < s.lead && s.lead < 0.5, "lead must lie in (0, 0.5)");
  require_input(s.duds >= 1, "duds must be at least 1");
}

LeafMember draw_leaf(const LeafShape& shape, const SeedTree& seeds) {
  require_valid(shape);
  Rng rng = seeds.stream("leaf");
  LeafMember out;
  out.leaf = static_cast<std::int32_t>(rng.index(shape.leaves()));
  out.action = static_cast<std::int32_t>(rng.index(shape.actions));
  draw_owners(shape, rng, out);
  return out;
}

SparseMatrix leaf_phi(const LeafShape& shape, const LeafMember& member) {
  std::vector<Eigen::Triplet<double, std::int32_t>> entries;
  for (Index s = 0; s < shape.states(); ++s) {
    const Index z = leaf_owner(shape, member, s);
    for (Index a = 0; a < shape.actions; ++a) {
      const auto put = [&](Index next, double p) {
        entries.emplace_back(static_cast<std::int32_t>(pair_index(s, a, shape.actions)),
                             static_cast<std::int32_t>(next), p);
      };
      if (z < shape.first_leaf()) {
        put(2 * z + 1 + a % 2, 1);
      } else if (shape.is_leaf(z)) {
        const double p = chance(shape, member, z - shape.first_leaf(), a);
        put(shape.prize(), p);
        put(shape.blank(), 1 - p);
      } else {
        put(z == shape.prize() ? shape.paid() : LeafShape::kRoot, 1);
      }
    }
  }
  SparseMatrix phi(shape.states() * shape.actions, shape.rank());
  phi.setFromTriplets(entries.begin(), entries.end());
  return phi;
}

SparseMatrix leaf_emission(const LeafShape& shape, const LeafMember& member) {
  const double one = 1 / static_cast<double>(shape.copies);
  std::vector<Eigen::Triplet<double, std::int32_t>> entries;
  for (Index s = 0; s < shape.states(); ++s)
    entries.emplace_back(static_cast<std::int32_t>(s),
                         static_cast<std::int32_t>(leaf_owner(shape, member, s)), one);
  SparseMatrix mu(shape.states(), shape.rank());
  mu.setFromTriplets(entries.begin(), entries.end());
  return mu;
}

LeafSample sample_leaves(const LeafShape& shape, const LeafMember& truth, Index size,
                         const SeedTree& seeds) {
  require_valid(shape);
  require(size >= 1, "a class has at least one member", size);
  LeafSample out;
  Rng rng = seeds.stream("leaf.members");
  out.truth = rng.index(size);
  for (Index i = 0; i < size; ++i) {
    LeafMember member = truth;
    while (i != out.truth && member == truth) {
      const Index said = rng.index(1 + shape.leaves() * shape.actions * (shape.duds + 1));
      const Index x = said - 1;
      member.leaf = said == 0 ? -1 : static_cast<std::int32_t>(x % shape.leaves());
      member.action = said == 0 ? 0 : static_cast<std::int32_t>(x / shape.leaves() % shape.actions);
      member.kind = said == 0 ? 0 : static_cast<std::int32_t>(x / (shape.leaves() * shape.actions));
      draw_owners(shape, rng, member);
    }
    out.members.push_back(std::move(member));
  }
  return out;
}

double leaf_lower_bound(const LeafShape& shape, double delta) {
  const auto arms = static_cast<double>(shape.leaves() * shape.actions);
  const double p = 0.5 + shape.lead;
  const double divergence = 0.5 * std::log(0.5 / p) + 0.5 * std::log(0.5 / (1 - p));
  const double visits = std::log(1 / (2 * (delta + 4 / arms))) / divergence;
  return std::max(0.0, arms / 2 * visits);
}

}  // namespace speder

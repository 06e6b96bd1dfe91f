#include "speder/mdp/classes/lock_class.hpp"

#include <array>
#include <cmath>

#include "speder/core/check.hpp"

namespace speder {
namespace {

using LockEntry = Eigen::Triplet<double, std::int32_t>;

std::size_t spot(Index i) { return static_cast<std::size_t>(i); }

// The latent to which an observation belongs.
Index owner_of(const LockShape& shape, const LockMember& member, Index s) {
  const Index z = s / shape.copies;
  const bool second = 2 * (s % shape.copies) >= shape.copies;
  if (!shape.paired(z) || !second) return z;
  return member.swapped[spot((z - 1) / 2)] != 0 ? shape.sibling(z) : z;
}

// Calls put(next latent, probability) for what follows action a in latent z.
template <class Put>
void for_moves(const LockShape& shape, const LockMember& member, Index z, Index a, const Put& put) {
  const Index H = shape.levels;
  if (z == shape.prize()) return put(shape.paid(), 1.0);
  if (z == shape.fall()) return put(shape.change(), 1.0);
  if (z == shape.paid() || z == shape.change()) return put(LockShape::kStart, 1.0);
  const Index level = (z + 1) / 2;
  if (z != LockShape::kStart && z == shape.bad(level)) {
    put(shape.fall(), shape.leak);
    if (shape.leak < 1) put(shape.bad(std::min(level + 1, H - 1)), 1 - shape.leak);
    return;
  }
  const LockLevel& said = member.code[spot(level)];
  const Index down = level + 1 < H ? shape.bad(level + 1) : shape.fall();
  if (said.action != a) return put(down, 1.0);
  if (said.kind == 0) return put(level + 1 < H ? shape.good(level + 1) : shape.prize(), 1.0);
  const double back = static_cast<double>(said.kind) / static_cast<double>(shape.duds);
  put(LockShape::kStart, back);
  if (back < 1) put(down, 1 - back);
}

// Calls put(next latent, probability) for what follows action a at observation s, latent by latent; a
// latent may come twice.
template <class Put>
void for_observed_moves(const LockShape& shape, const LockMember& member, Index s, Index a,
                        const Put& put) {
  const Index z = owner_of(shape, member, s);
  const auto from = [&](Index latent, double weight) {
    if (weight == 0) return;
    for_moves(shape, member, latent, a, [&](Index next, double p) { put(next, weight * p); });
  };
  const double o = shape.paired(z) ? shape.overlap : 0;
  from(z, 1 - o);
  if (o > 0) from(shape.sibling(z), o);
}

LockLevel any_level(const LockShape& shape, Rng& rng) {
  const Index i = rng.index(1 + shape.actions * (shape.duds + 1));
  if (i == 0) return {};
  return {static_cast<std::int32_t>((i - 1) % shape.actions),
          static_cast<std::int32_t>((i - 1) / shape.actions)};
}

}  // namespace

void require_valid(const LockShape& s) {
  const auto require_input = [](bool ok, std::string_view what) {
    if (!ok) throw InputError(fmt::format("comblock: {}", what));
  };
  require_input(s.levels >= 2, "rank must be 2 H + 3 with H >= 2 levels: 7, 9, 11, ...");
  require_input(s.actions >= 2, "actions must be at least 2");
  require_input(s.copies >= 2 && s.copies % 2 == 0, "copies must be even and at least 2");
  require_input(0 <= s.overlap && s.overlap < 0.5, "overlap must lie in [0, 0.5)");
  require_input(0 < s.leak && s.leak <= 1, "leak must lie in (0, 1]");
  require_input(s.duds >= 1, "duds must be at least 1");
}

LockMember draw_lock(const LockShape& shape, const SeedTree& seeds) {
  require_valid(shape);
  LockMember out;
  for (Index level = 0; level < shape.levels; ++level) {
    Rng rng = seeds.stream("lock.level", static_cast<std::uint64_t>(level));
    out.code.push_back({static_cast<std::int32_t>(rng.index(shape.actions)), 0});
    if (level > 0) out.swapped.push_back(static_cast<std::uint8_t>(rng.index(2)));
  }
  return out;
}

SparseMatrix lock_phi(const LockShape& shape, const LockMember& member) {
  std::vector<LockEntry> entries;
  for (Index s = 0; s < shape.states(); ++s) {
    for (Index a = 0; a < shape.actions; ++a) {
      const auto row = static_cast<std::int32_t>(pair_index(s, a, shape.actions));
      for_observed_moves(shape, member, s, a, [&](Index next, double p) {
        entries.emplace_back(row, static_cast<std::int32_t>(next), p);
      });
    }
  }
  SparseMatrix phi(shape.states() * shape.actions, shape.rank());
  phi.setFromTriplets(entries.begin(), entries.end());
  return phi;
}

SparseMatrix lock_emission(const LockShape& shape, const LockMember& member) {
  const double one = 1 / static_cast<double>(shape.copies);
  std::vector<LockEntry> entries;
  for (Index s = 0; s < shape.states(); ++s) {
    const Index z = owner_of(shape, member, s);
    const double o = shape.paired(z) ? shape.overlap : 0;
    const auto row = static_cast<std::int32_t>(s);
    entries.emplace_back(row, static_cast<std::int32_t>(z), (1 - o) * one);
    if (o > 0) entries.emplace_back(row, static_cast<std::int32_t>(shape.sibling(z)), o * one);
  }
  SparseMatrix mu(shape.states(), shape.rank());
  mu.setFromTriplets(entries.begin(), entries.end());
  return mu;
}

double lock_mass(const LockShape& shape, const LockMember& member, Index s, Index a, Index next) {
  const Index y = owner_of(shape, member, next);
  const double o = shape.paired(y) ? shape.overlap : 0;
  double mass = 0;
  for_observed_moves(shape, member, s, a, [&](Index z, double p) {
    if (z == y) mass += p * (1 - o);
    if (o > 0 && z == shape.sibling(y)) mass += p * o;
  });
  return mass / static_cast<double>(shape.copies);
}

double lock_energy(const LockShape& shape, const LockMember& member, Index s, Index a) {
  // φᵀGφ with G_zz = ((1−o)² + o²)/copies and 2o(1−o)/copies between siblings.
  std::array<std::pair<Index, double>, 8> moves;
  std::size_t count = 0;
  for_observed_moves(shape, member, s, a, [&](Index z, double p) { moves[count++] = {z, p}; });
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      const auto [z, p] = moves[i];
      const auto [w, q] = moves[j];
      const double o = shape.paired(z) ? shape.overlap : 0;
      if (z == w) sum += p * q * ((1 - o) * (1 - o) + o * o);
      if (o > 0 && shape.sibling(z) == w) sum += p * q * 2 * o * (1 - o);
    }
  }
  return sum / static_cast<double>(shape.copies);
}

std::vector<std::int32_t> lock_policy(const LockShape& shape, const LockMember& member) {
  std::vector<std::int32_t> out;
  for (Index s = 0; s < shape.states(); ++s) {
    const Index z = owner_of(shape, member, s);
    const bool told = z == LockShape::kStart || shape.paired(z);
    out.push_back(told ? member.code[spot((z + 1) / 2)].action : 0);
  }
  return out;
}

double lock_log_size(const LockShape& shape) {
  const auto statements = static_cast<double>(1 + shape.actions * (shape.duds + 1));
  const auto H = static_cast<double>(shape.levels);
  return H * std::log(statements) + (H - 1) * std::log(2.0);
}

LockSample sample_locks(const LockShape& shape, const LockMember& truth, Index size,
                        const SeedTree& seeds) {
  require_valid(shape);
  require(size >= 1, "a class has at least one member", size);
  LockSample out;
  Rng place = seeds.stream("truth-place");
  out.truth = place.index(size);
  for (Index i = 0; i < size; ++i) {
    if (i == out.truth) {
      out.members.push_back(truth);
      continue;
    }
    Rng rng = seeds.stream("lock.member", static_cast<std::uint64_t>(i));
    LockMember member = truth;
    const Index first = i % shape.levels;  // the level about which it is wrong
    for (Index level = first; level < shape.levels; ++level) {
      do member.code[spot(level)] = any_level(shape, rng);
      while (level == first && member.code[spot(level)] == truth.code[spot(level)]);
      // Levels up to `first` have been seen by then, and so has who emits them.
      if (level > first) member.swapped[spot(level - 1)] = static_cast<std::uint8_t>(rng.index(2));
    }
    out.members.push_back(std::move(member));
  }
  return out;
}

}  // namespace speder

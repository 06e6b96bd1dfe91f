#pragma once

#include <cstdint>
#include <vector>

#include "speder/core/rng.hpp"
#include "speder/core/types.hpp"
#include "speder/mdp/model/kernel.hpp"

namespace speder {

/// A combination lock behind rich observations, as in Misra et al. 2020 (HOMER) and Zhang et al.
/// 2022 (BRIEE), with a discount. From the start H right actions in a row lead through the good
/// latents to the prize (reward 1). A wrong action leads to the bad latent of the next level, and
/// from there every action down a chain whose end, the fall, pays a decoy: it is reached the sooner
/// the earlier one falls, so a learner that does not know of the prize falls at once. Both ends lead
/// back to the start. Good and bad latent of a level are seen through four half blocks of
/// observations; which second half belongs to which of them is not known. Rewards are paid by the
/// latents prize and fall whatever is done there, so they say nothing about the code.
struct LockShape {
  Index levels = 4;    // H ≥ 2
  Index actions = 3;   // |A|
  Index copies = 8;    // observations of a latent, even
  double overlap = 0;  // weight of the sibling's block; > 0 makes shortcuts from the bad chain
  double leak = 0.5;   // probability that a bad latent ends in the fall
  Index duds = 8;      // ways in which an action may be useless

  [[nodiscard]] Index rank() const { return 2 * levels + 3; }  // d
  [[nodiscard]] Index states() const { return rank() * copies; }

  // Latents, which are the coordinates of φ and μ.
  static constexpr Index kStart = 0;
  [[nodiscard]] Index good(Index level) const { return level == 0 ? kStart : 2 * level - 1; }
  [[nodiscard]] Index bad(Index level) const { return 2 * level; }  // level ≥ 1
  [[nodiscard]] Index prize() const { return 2 * levels - 1; }
  [[nodiscard]] Index fall() const { return 2 * levels; }
  [[nodiscard]] Index paid() const { return 2 * levels + 1; }    // after the prize: θ = 1
  [[nodiscard]] Index change() const { return 2 * levels + 2; }  // after the fall: θ = decoy
  [[nodiscard]] bool paired(Index latent) const { return 1 <= latent && latent < prize(); }
  [[nodiscard]] Index sibling(Index latent) const {
    return latent % 2 == 1 ? latent + 1 : latent - 1;
  }
};
/// Throws InputError unless H ≥ 2, |A| ≥ 2, `copies` is even, 0 ≤ o < ½, 0 < leak ≤ 1, duds ≥ 1.
void require_valid(const LockShape& shape);

/// What is said of one level: `action` leads on (kind 0), or it is a dud that leads back to the start
/// with probability kind/duds. −1: no action leads on.
struct LockLevel {
  std::int32_t action = -1;
  std::int32_t kind = 0;
  friend bool operator==(const LockLevel&, const LockLevel&) = default;
};
/// One kernel of the family: what the code is, and who emits what.
struct LockMember {
  std::vector<LockLevel> code;        // (H)
  std::vector<std::uint8_t> swapped;  // (H − 1)  of levels 1 … H−1
  friend bool operator==(const LockMember&, const LockMember&) = default;
};

/// A truth: an action that leads on at every level.
[[nodiscard]] LockMember draw_lock(const LockShape& shape, const SeedTree& seeds);
/// φ (SA × d) and the emissions of the latents (S × d), counting measure.
[[nodiscard]] SparseMatrix lock_phi(const LockShape& shape, const LockMember& member);
[[nodiscard]] SparseMatrix lock_emission(const LockShape& shape, const LockMember& member);
/// P(s'|s,a), and ∑ P(·|s,a)² over all observations.
[[nodiscard]] double lock_mass(const LockShape& shape, const LockMember& member, Index s, Index a,
                               Index next);
[[nodiscard]] double lock_energy(const LockShape& shape, const LockMember& member, Index s,
                                 Index a);
/// The code's action at every observation: optimal while the decoy is small.
[[nodiscard]] std::vector<std::int32_t> lock_policy(const LockShape& shape,
                                                    const LockMember& member);

/// log of how many members there are: 1 + |A|(duds + 1) statements a level, two owners a pair.
[[nodiscard]] double lock_log_size(const LockShape& shape);
/// `size` members, the truth at a random place. The product is too large to be written out; what
/// makes it hard is kept: for each level in turn as many members know the code up to there and say
/// something else of that level, and anything of the levels behind it and of who emits what. So data
/// that stop at a level leave a crowd of members, most of which say that nothing is to be found.
struct LockSample {
  std::vector<LockMember> members;
  Index truth = 0;
};
[[nodiscard]] LockSample sample_locks(const LockShape& shape, const LockMember& truth, Index size,
                                      const SeedTree& seeds);

}  // namespace speder

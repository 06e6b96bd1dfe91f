#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "speder/core/rng.hpp"
#include "speder/core/types.hpp"
#include "speder/mdp/model/kernel.hpp"

namespace speder {

/// A chain of L levels with a bandit at each of its two ends. Action 1 climbs a level with probability
/// `climb` and stays otherwise; at the last level even actions lead to one end and odd ones to the
/// other. Any other action is a safe bet at the foot, which wins with probability `safe`, and a blank
/// above it. At an end every arm wins with probability ½, one arm of one end with ½ + Δ. A win is the
/// prize (reward 1, then `paid`), anything else a blank; both lead back to the foot.
/// An end emits its own block of observations with probability 1 − o and the other's with o, and an
/// observation acts as such a mixture; who owns the second half of either block is not known.
/// The safe bet is worth midway between a climb to a bandit without the better arm and one to the arm:
/// who does not know of it never climbs. Δ moves the gap alone, and the climb's length is a horizon of
/// its own, so this is a family for 1/ε and 1/(1−γ).
struct ChainShape {
  Index levels = 3;   // L ≥ 2
  Index actions = 3;  // |A|
  Index copies = 8;   // observations of a latent, even
  double gamma = 0.9;
  double overlap = 0.1;  // o
  double lead = 0.3;     // Δ
  double climb = 0.9;
  Index duds = 8;  // ways in which an arm may be worse: ½ − Δ k/duds

  [[nodiscard]] Index rank() const { return levels + 5; }  // d
  [[nodiscard]] Index states() const { return rank() * copies; }
  // Latents, which are the coordinates of φ and μ: levels first.
  static constexpr Index kFoot = 0;
  [[nodiscard]] Index end(Index e) const { return levels + e; }  // e = 0, 1
  [[nodiscard]] bool is_end(Index z) const { return levels <= z && z < prize(); }
  [[nodiscard]] Index prize() const { return levels + 2; }
  [[nodiscard]] Index blank() const { return levels + 3; }
  [[nodiscard]] Index paid() const { return levels + 4; }
};
/// Throws InputError unless L ≥ 2, |A| ≥ 2, `copies` is even, 0 < γ < 1, 0 ≤ o < ½, 0 < Δ < ½,
/// 0 < climb ≤ 1, duds ≥ 1.
void require_valid(const ChainShape& shape);

/// In closed form, the same for every truth of the family.
struct ChainValues {
  double safe = 0;     // chance of the safe bet
  double best = 0;     // V* at the foot
  double refusal = 0;  // V of never climbing
};
[[nodiscard]] ChainValues chain_values(const ChainShape& shape);

/// What is said of one end: no special arm (−1), the better one (kind 0) or a worse one.
struct ChainArm {
  std::int32_t action = -1;
  std::int32_t kind = 0;
  friend bool operator==(const ChainArm&, const ChainArm&) = default;
};
struct ChainMember {
  std::array<ChainArm, 2> arm;
  bool swapped = false;  // the second halves of the ends' blocks change owners
  friend bool operator==(const ChainMember&, const ChainMember&) = default;
};
/// A truth: one better arm at one of the ends.
[[nodiscard]] ChainMember draw_chain(const ChainShape& shape, const SeedTree& seeds);
/// φ (SA × d) and the emissions of the latents (S × d), counting measure.
[[nodiscard]] SparseMatrix chain_phi(const ChainShape& shape, const ChainMember& member);
[[nodiscard]] SparseMatrix chain_emission(const ChainShape& shape, const ChainMember& member);

/// `size` members, the truth at a random place, the others drawn from the product of all statements
/// about the two ends and both ways of owning: most of them say that nothing is to be found.
struct ChainSample {
  std::vector<ChainMember> members;
  Index truth = 0;
};
[[nodiscard]] ChainSample sample_chains(const ChainShape& shape, const ChainMember& truth,
                                        Index size, const SeedTree& seeds);

}  // namespace speder

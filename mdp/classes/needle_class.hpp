#pragma once

#include <cstdint>
#include <vector>

#include "speder/core/rng.hpp"
#include "speder/core/types.hpp"
#include "speder/mdp/model/kernel.hpp"

namespace speder {

/// What is known of a needle MDP. The lobby shows one of M doors, each with probability 1/M. An odd
/// action (`one_key`: action 1 alone) enters its hall, any other refuses: a safe bet that wins with
/// probability `safe`. In the hall the same actions lead on to the door's context, others to a blank. In a context every
/// action wins with probability ½, except for the needle, which wins with ½ + Δ. A win is the prize
/// (reward 1, then `paid`), anything else a blank; both lead back to the lobby.
/// Doors 2i and 2i+1 are siblings and one of each two hides a needle. Contexts are seen through four
/// half blocks of observations for each pair of siblings: a context emits its own two with
/// probability 1 − o and its sibling's with probability o, and an observation acts as such a mixture.
/// Which second half belongs to which sibling is not known.
/// Depth, cycle, Δ, values and the share of good doors are the same for all M and |A|: these move
/// alone. Two deliberate steps lead to a context, since Algorithm 1 takes two uniform actions itself.
/// With one key uniform data comes there with probability |A|⁻², and of the visits to a door that
/// Algorithm 1 records one in |A| is of the action that matters.
struct NeedleShape {
  Index doors = 4;    // M, even
  Index actions = 2;  // |A|
  Index copies = 8;   // observations of a latent, even
  double gamma = 0.8;
  double overlap = 0.1;  // o
  double lead = 0.4;     // Δ
  Index levels = 8;      // of decoys: −Δ k/levels
  bool one_key = false;  // action 1 alone enters, not every odd one

  [[nodiscard]] Index rank() const { return 2 * doors + 4; }  // d
  [[nodiscard]] Index states() const { return 3 * (doors + 1) * copies; }

  // Groups of observations that behave alike.
  [[nodiscard]] Index groups() const { return 4 * doors + 3; }
  [[nodiscard]] Index door(Index c) const { return c; }
  [[nodiscard]] Index hall(Index c) const { return doors + c; }
  [[nodiscard]] Index half(Index c, Index h) const { return 2 * (doors + c) + h; }
  [[nodiscard]] Index prize() const { return 4 * doors; }
  [[nodiscard]] Index blank() const { return 4 * doors + 1; }
  [[nodiscard]] Index paid() const { return 4 * doors + 2; }
  [[nodiscard]] Index group_of(Index state) const;

  // Factors, the coordinates of φ and μ.
  static constexpr Index kLobby = 0, kPrize = 1, kBlank = 2, kPaid = 3;
  [[nodiscard]] Index hall_factor(Index c) const { return 4 + c; }
  [[nodiscard]] Index context_factor(Index c) const { return 4 + doors + c; }

  /// Level 0 is the needle, levels 1, 2, … are decoys.
  [[nodiscard]] double level(Index k) const {
    return k == 0 ? lead : -lead * static_cast<double>(k) / static_cast<double>(levels);
  }
  [[nodiscard]] bool enters(Index action) const { return one_key ? action == 1 : action % 2 == 1; }
};
/// Throws InputError unless M ≥ 2 and `copies` are even, |A| ≥ 2, 0 ≤ o < ½, 0 < Δ < ½, levels ≥ 1
/// and the safe bet is a probability (γ not too small).
void require_valid(const NeedleShape& shape);

/// In closed form, the same for every truth of the family.
struct NeedleValues {
  double safe = 0;     // chance of the safe bet: midway in value between a dud and a needle
  double best = 0;     // V* at the lobby
  double refusal = 0;  // V of refusing every door
  double margin = 0;   // Q*(enter) − Q*(refuse) at the door of a needle
};
[[nodiscard]] NeedleValues needle_values(const NeedleShape& shape);

/// A context's one special action; −1: none.
struct Needle {
  std::int32_t action = -1;
  std::int32_t level = 0;
  friend bool operator==(const Needle&, const Needle&) = default;
};

/// One kernel of the family: who emits what, and where the needles are.
struct NeedleMember {
  std::vector<std::uint8_t> swapped;  // (M/2)  the second halves of the two siblings change owners
  std::vector<Needle> needle;         // (M)
  friend bool operator==(const NeedleMember&, const NeedleMember&) = default;

  [[nodiscard]] Index owner(Index c, Index h) const {
    return h == 1 && swapped[static_cast<std::size_t>(c / 2)] != 0 ? c ^ 1 : c;
  }
};

/// Probability of the prize after `action` at the half block (c, h).
[[nodiscard]] double needle_chance(const NeedleShape& shape, const NeedleMember& member, Index c,
                                   Index h, Index action);
/// A truth: one needle of level 0 in each pair of siblings.
[[nodiscard]] NeedleMember draw_needles(const NeedleShape& shape, const SeedTree& seeds);

/// φ (SA × d) and the emissions of the factors (S × d), counting measure.
[[nodiscard]] SparseMatrix needle_phi(const NeedleShape& shape, const NeedleMember& member);
[[nodiscard]] SparseMatrix needle_emission(const NeedleShape& shape, const NeedleMember& member);
[[nodiscard]] Kernel needle_kernel(const NeedleShape& shape, const NeedleMember& member);
/// V at the lobby of the policy that takes action policy[g] at every observation of group g.
[[nodiscard]] double needle_value(const NeedleShape& shape, const NeedleMember& member,
                                  const std::vector<std::int32_t>& policy);

/// What a data set says to a needle class: how often a step of this kind was seen.
struct NeedleCount {
  Index group = 0;
  Index action = 0;
  Index next = 0;  // group of s'; 0 where every member says the same about it
  double count = 0;
};

/// All members: for each pair of siblings two owners, for each context no needle or one of
/// |A|·(levels + 1). The order, which breaks ties, is lexicographic over the pairs in (owner, needle
/// of the one, needle of the other), each in an order drawn by the seed: most members say of what was
/// not seen that nothing is to be found there.
class NeedleClass {
 public:
  NeedleClass(const NeedleShape& shape, const SeedTree& seeds);

  [[nodiscard]] const NeedleShape& shape() const { return shape_; }
  [[nodiscard]] const NeedleValues& values() const { return values_; }
  [[nodiscard]] double log_size() const;  // log |F|
  [[nodiscard]] Index hypotheses() const { return 1 + shape_.actions * (shape_.levels + 1); }
  /// Place of a hypothesis of context c in the order.
  [[nodiscard]] Index place(Index c, Needle needle) const;
  /// The owner that comes first for a pair of siblings: 1 swapped.
  [[nodiscard]] bool first_swapped(Index pair) const {
    return first_swapped_[static_cast<std::size_t>(pair)] != 0;
  }
  /// Member number i in the order; for classes small enough to be counted.
  [[nodiscard]] NeedleMember member(std::int64_t i) const;

 private:
  NeedleShape shape_;
  NeedleValues values_;
  std::vector<std::uint8_t> first_swapped_;        // (M/2)
  std::vector<std::vector<std::int32_t>> place_;   // (M × hypotheses)
  std::vector<std::vector<std::int32_t>> listed_;  // the inverse
};

}  // namespace speder

#pragma once

#include <cstdint>
#include <vector>

#include "speder/core/rng.hpp"
#include "speder/core/types.hpp"
#include "speder/mdp/model/kernel.hpp"

namespace speder {

/// The hard instances of lower bounds: a tree of moves whose L leaves are bandits, all arms alike but
/// one, in the manner of Domingues et al. 2021; not the construction of Cheng et al. 2023 (arXiv
/// 2303.10859) for low-rank MDPs. With a discount and rich observations: at inner nodes even actions go
/// left and odd ones right; at a leaf every arm wins with probability ½ and one arm of one leaf with
/// ½ + Δ. A win is the prize (reward 1, then `paid`), anything else a blank; both lead back to the
/// root. Sibling leaves share their observations' second halves in a way that is not known.
struct LeafShape {
  Index depth = 2;    // L = 2^depth leaves
  Index actions = 2;  // |A|
  Index copies = 8;   // observations of a latent, even
  double lead = 0.3;  // Δ
  Index duds = 8;     // ways in which an arm may be worse: ½ − Δ k/duds

  [[nodiscard]] Index leaves() const { return Index{1} << depth; }
  [[nodiscard]] Index rank() const { return 2 * leaves() + 2; }  // d
  [[nodiscard]] Index states() const { return rank() * copies; }
  // Latents: nodes of the tree in the order of a heap, then the rest.
  static constexpr Index kRoot = 0;
  [[nodiscard]] Index first_leaf() const { return leaves() - 1; }
  [[nodiscard]] bool is_leaf(Index z) const { return first_leaf() <= z && z < prize(); }
  [[nodiscard]] Index prize() const { return 2 * leaves() - 1; }
  [[nodiscard]] Index blank() const { return 2 * leaves(); }
  [[nodiscard]] Index paid() const { return 2 * leaves() + 1; }
};
/// Throws InputError unless 1 ≤ depth ≤ 20, |A| ≥ 2, `copies` is even, 0 < Δ < ½, duds ≥ 1.
void require_valid(const LeafShape& shape);

/// The one arm that is special, and who emits what. leaf −1: no arm is.
struct LeafMember {
  std::int32_t leaf = -1;
  std::int32_t action = 0;
  std::int32_t kind = 0;              // 0: ½ + Δ, k: ½ − Δ k/duds
  std::vector<std::uint8_t> swapped;  // (L/2)  siblings whose second halves changed owners
  friend bool operator==(const LeafMember&, const LeafMember&) = default;
};
[[nodiscard]] LeafMember draw_leaf(const LeafShape& shape, const SeedTree& seeds);
[[nodiscard]] SparseMatrix leaf_phi(const LeafShape& shape, const LeafMember& member);
[[nodiscard]] SparseMatrix leaf_emission(const LeafShape& shape, const LeafMember& member);

/// `size` members, the truth at a random place, the others drawn from the product of all statements
/// about one arm and all ways of owning.
struct LeafSample {
  std::vector<LeafMember> members;
  Index truth = 0;
};
[[nodiscard]] LeafSample sample_leaves(const LeafShape& shape, const LeafMember& truth, Index size,
                                       const SeedTree& seeds);

/// Visits of leaves that a learner makes on average in the MDP without a special arm, if it finds the arm
/// with probability 1 − δ whichever it is: at least (x/2) log(1/(2(δ + 4/x)))/kl(½, ½ + Δ) with x = L|A|,
/// and never less than 0. To find an arm is to return a policy that takes it in half of its rounds or
/// more; that is true of two arms at most, so half of the arms are found with probability 4/x or less
/// where nothing is special, and each of those needs its share of visits (Bretagnolle and Huber 1979).
[[nodiscard]] double leaf_lower_bound(const LeafShape& shape, double delta);

}  // namespace speder

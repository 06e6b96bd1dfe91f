#pragma once

#include <array>
#include <vector>

#include "speder/learning/dataset.hpp"
#include "speder/mdp/classes/needle_class.hpp"

namespace speder {

/// Least squares over a needle class, kept up to date. A step says something of one pair of siblings
/// at most, and the loss is a sum over the pairs: the minimiser is found pair by pair, in
/// O(|A| + levels²) a step, however many members there are. Ties go to the member that comes first.
///
/// With D the deviation of an action's chance from ½, n visits and s = wins − losses, the part of
/// the loss that depends on the member is (up to the factor 1/(copies · ν))
///   −2 s D + 2 n D²,   D = (1−o) D_z + o D_y   at an observation that belongs to z, sibling y,
/// and −2 (1−o) or −2 o for each second half that context z emitted, by whether it owns it.
class NeedleEstimator {
 public:
  explicit NeedleEstimator(const NeedleClass& F);

  /// The pair of siblings that the step speaks of, or −1. The pair's best members may be others now.
  Index add(const Step& step);
  /// `count` steps from `group` under action a to observations of the group `next`.
  Index add(Index group, Index a, Index next, double count);
  [[nodiscard]] const NeedleMember& best() const { return best_; }

 private:
  // What is known of one action in the two contexts of a pair, for one way of owning.
  struct Tally {
    std::array<double, 2> visits{};  // of observations that belong to context 0 or 1 of the pair
    std::array<double, 2> excess{};  // wins − losses there
    std::array<double, 2> loss{};    // of the best level, each context alone
    std::array<std::int32_t, 2> level{};
    double joint = 0;  // of the best levels when both contexts have it as their needle
    std::array<std::int32_t, 2> joint_level{};
  };
  struct Choice {
    double loss = 0;
    std::array<Needle, 2> needle;
  };
  [[nodiscard]] Tally& tally(Index pair, Index swapped, Index a) {
    return tallies_[static_cast<std::size_t>((pair * 2 + swapped) * F_->shape().actions + a)];
  }
  void refresh(Index pair, Index a, Tally& t) const;
  [[nodiscard]] Choice best_of(Index pair, Index swapped);
  void choose(Index pair);

  const NeedleClass* F_;
  std::vector<Tally> tallies_;  // (M/2 × 2 × A)
  std::vector<double> owner_;   // (M/2 × 2)  loss of the emissions
  NeedleMember best_;
};

}  // namespace speder

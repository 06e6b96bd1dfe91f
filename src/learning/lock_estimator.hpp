#pragma once

#include <array>
#include <vector>

#include "speder/learning/dataset.hpp"
#include "speder/mdp/classes/lock_product.hpp"

namespace speder {

/// Least squares over all members of a LockClass without touching them: a step from level l says
/// something of that level's statement, of who emits it and of who emits what it leads to, and of nothing
/// else, so the loss is a sum over levels of L_l(owner_l, statement_l, owner_{l+1}), and its minimum
/// is found from the last level to the first. A step costs O(|A| duds), a minimum O(H), whatever |F|.
class LockEstimator {
 public:
  /// Densities are with respect to a uniform base measure of this weight a state.
  LockEstimator(const LockClass& F, double nu);

  void add(const Step& step, double count = 1);
  /// The first of the minimisers in the class's order.
  [[nodiscard]] const LockMember& best();
  [[nodiscard]] double loss() const { return loss_; }  // of the last best()

 private:
  struct Least {
    double loss = 0;
    Index place = 0;  // of the statement
  };
  [[nodiscard]] Index at(Index mine, Index place, Index next) const {
    return (mine * F_->statements() + place) * 2 + next;
  }
  void refresh(Index level);

  const LockClass* F_;
  double nu_;
  LockMember scratch_;
  std::vector<std::vector<double>> losses_;  // (H)(2 × statements × 2), owners by their place
  std::vector<std::array<Least, 4>> least_;  // (H)  over statements, for (owner, next owner)
  std::vector<bool> stale_;                  // (H)
  double everywhere_ = 0;                    // what all members say alike
  LockMember best_;
  double loss_ = 0;
};

}  // namespace speder

#pragma once

#include <vector>

#include "speder/mdp/classes/needle_class.hpp"

namespace speder {

/// Bonus and plan on a member of a needle class, with everything that repeats done once:
/// observations of a group share their rows of φ̂, so do actions without a needle; Σ̂ is diagonal but
/// for the block of prize and blank; V is a function of the lobby's value alone, found by policy
/// iteration from the last one. O(M) a plan, whatever the visits and |F|.
class NeedlePlanner {
 public:
  explicit NeedlePlanner(const NeedleClass& F);

  /// The action at every observation of a group, of the last plan.
  [[nodiscard]] const std::vector<std::int32_t>& policy() const { return policy_; }

  /// (s,a) joins Σ̂. Its row of φ̂ is looked up when the bonus is made.
  void visit(Index group, Index a, double count = 1);
  /// The rows of φ̂ at the pair's four half blocks, and their sums in Σ̂: after each of their visits
  /// and after each change of the member.
  void set_member(const NeedleMember& member, Index pair);
  /// argmax_π V^π of the member with r + α‖φ̂‖ in Σ̂⁻¹ (α < 0: a penalty). Returns V at the lobby;
  /// `changed` says whether the policy is another one than that of the last plan.
  double plan(double alpha, double lambda, bool& changed);

 private:
  static constexpr int kMostSteps = 1000;
  struct Row {
    double chance;
    std::int32_t action;
    double bonus = 0;
  };
  struct Bets {
    double safe, blank, prize, home;  // bonuses of the rows without a door
  };
  // A value and its derivative in the lobby's.
  struct Sloped {
    double value = 0;
    double slope = 0;
  };
  // ∑ N, ∑ N p, ∑ N p² over rows (p, 1−p).
  struct Block {
    double visits = 0, first = 0, square = 0;
    void add(double p, double n) {
      visits += n;
      first += n * p;
      square += n * p * p;
    }
    void add(const Block& b) {
      visits += b.visits;
      first += b.first;
      square += b.square;
    }
  };

  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  void take(Index group, std::int32_t a, bool& changed) {
    changed = changed || policy_[at(group)] != a;
    policy_[at(group)] = a;
  }
  // One backup of the lobby's value through all groups, greedy on the way.
  Sloped back_up(const Bets& bets, bool& changed);

  NeedleShape shape_;
  double safe_;
  // Visits in D_n.
  std::vector<double> doors_, halls_;  // (M)  that entered
  double refusals_ = 0, turns_ = 0, prizes_ = 0, returns_ = 0;
  std::vector<double> halves_;  // (2M × A)
  std::vector<double> totals_;  // (2M)
  std::vector<Block> sums_;     // (M/2)  of the half blocks
  // The learned model.
  std::vector<std::vector<Row>> rows_;           // (2M)  distinct rows, with their lowest action
  std::vector<std::int32_t> second_;             // (M)  second half block of a context
  std::vector<double> door_bonus_, hall_bonus_;  // (M)
  std::vector<Sloped> values_;                   // (2M)
  double value_ = 0;                             // of the lobby
  std::vector<std::int32_t> policy_;
};

}  // namespace speder

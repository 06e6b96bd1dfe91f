#pragma once

#include <functional>
#include <vector>

#include "speder/learning/bonus.hpp"
#include "speder/learning/online.hpp"
#include "speder/mdp/classes/needle_class.hpp"
#include "speder/mdp/sampling/simulator.hpp"

namespace speder {

/// Algorithm 1 as OnlineOptions has it (least squares, plans in every episode), with the numbers
/// that α_n is made of set apart for the control curves.
struct NeedleOptions {
  Index episodes = 1000;
  BonusConstants bonus = {};
  double delta = 0.1;
  double log_class = 0;      // log |F| of the schedules; 0: the class's own
  double alpha_rank = 0;     // d in α_n; 0: the class's own
  double alpha_actions = 0;  // |A| in α_n; 0: the class's own
  double alpha_horizon = 0;  // 1/(1−γ) in α_n; 0: the class's own
  bool follow_plan = true;   // false: data from U(A) in every episode
  // Mutations, each of which departs from one line of Algorithm 1.
  bool subtract = false;        // line 9 with r − b
  bool sigma_of_both = false;   // line 7: Σ̂ over D and D'
  bool drop_second = false;     // line 6 without D'
  bool policy_actions = false;  // lines 4 and 5: actions of π_{n−1} instead of U(A)
};

struct NeedleReport {
  Index n = 0;
  const std::vector<std::int32_t>& policy;  // (groups)  π_n: the action at every observation
  bool changed = true;                      // it is another policy than in the last report
  const NeedleMember& member;               // P̂_n
  double value = 0;                         // V of π_n at the lobby in P̂_n with r + b̂_n
  double alpha = 0;
  double lambda = 0;
  Index env_steps = 0;
};
/// False ends the run.
using NeedleObserver = std::function<bool(const NeedleReport&)>;

/// online_speder on a needle class, with everything that repeats done once: observations of a group
/// share their rows of φ, so do actions without a needle; Σ̂ is diagonal but for the block of prize
/// and blank; V is a function of the lobby's value alone, found by policy iteration from the last
/// one. O(M) an episode, whatever n and |F|. The environment may have any factors and base measure:
/// loss, bonus and plan do not depend on them. Returns the episodes run.
Index needle_speder(const Simulator& env, const NeedleClass& F, const NeedleOptions& options,
                    const SeedTree& seeds, const NeedleObserver& observe);

}  // namespace speder

#pragma once

#include "speder/core/rng.hpp"
#include "speder/mdp/classes/needle_process.hpp"

// Instances on which pessimism matters: a needle MDP and a behaviour policy that prefers the doors
// with a needle behind them, enters the others rarely, and has no liking for the needle itself. What
// lies behind the neglected doors is seen so seldom that some of it looks like a needle by luck.
namespace speder {

struct OfflineShape {
  NeedleShape needle;
  double omega = 40;      // ω: an arm that the behaviour does not like has probability 1/ω
  double good = 0.5;      // probability of entering a door with a needle
  double hall = 0.5;      // of going on in its hall
  double neglect = 0.05;  // of entering, and of going on, at the other doors
};

struct OfflineInstance {
  NeedleMember truth;
  GroupPolicy behaviour;
  GroupPolicy best;  // π*
  double omega = 1;  // max 1/π_b(a|s)
};
/// Throws InputError when the shape has no such behaviour.
[[nodiscard]] OfflineInstance make_offline_instance(const OfflineShape& shape,
                                                    const SeedTree& seeds);

/// The probability `good` at which C* of π* is the one wanted; the same for every truth. Throws
/// InputError when there is none, saying what can be had.
[[nodiscard]] double entry_for_coverage(OfflineShape shape, double c_star);

/// C* of a policy under data from another one.                                 [thm:pac_offline]
[[nodiscard]] double needle_coverage(const NeedleShape& shape, const NeedleMember& truth,
                                     const GroupPolicy& target, const GroupPolicy& behaviour);

/// No learner reaches V* − ε with probability 1 − δ on both of two truths with fewer transitions:
/// log(1/(4δ)) / KL, where KL is that of one transition (Bretagnolle and Huber 1979). The second
/// truth has the needle of one pair of siblings at another arm; of all of those the one that is
/// hardest to tell apart counts. No policy is ε-optimal in both while ε is less than what one mistake
/// in a pair costs; that holds for the suites' ε (offline_rates_test).
[[nodiscard]] double offline_lower_bound(const NeedleShape& shape, const OfflineInstance& instance,
                                         double delta);

}  // namespace speder

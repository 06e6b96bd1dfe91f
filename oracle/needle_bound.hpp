#pragma once

#include "speder/mdp/classes/needle_class.hpp"

namespace speder {

/// A number of episodes that no learner can undercut on the needle family, whatever it plans, if its
/// data is what Algorithm 1 records: two steps an episode, with uniform actions.
///
/// For one key. Truths are drawn as draw_needles draws them. Call a pair of siblings solved by a policy if it
/// enters the door of the needle, plays the needle where its context is seen, and does not enter the
/// other one. Every pair that is not solved costs at least s in value, so that a mixture with gap ≤ ε
/// solves a share 1 − f of the pairs, f = ε / (s M/2), on average over its policies.
/// Take the needle away from one pair (P₀). A policy made without it solves 1/(2|A|) of the places
/// where the needle could be. Averaged over these, n episodes have KL(P₀ ‖ P) ≤ n v K / (2|A|), where v
/// bounds the visits to the pair's contexts that an episode records under any policy and K adds up the
/// Bernoulli divergences of the two contexts. Pinsker and Jensen: the mean share that is solved after
/// N episodes with probability 1 − δ obeys
///   (1 − δ)(1 − f) ≤ 1/(2|A|) + √(N v K / (4|A|)).
struct NeedleBound {
  double unsolved = 0;     // f
  double visits = 0;       // v
  double information = 0;  // K
  double episodes = 1;     // N
};
[[nodiscard]] NeedleBound needle_lower_bound(const NeedleShape& shape, double epsilon,
                                             double delta);

}  // namespace speder

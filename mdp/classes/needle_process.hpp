#pragma once

#include <utility>
#include <vector>

#include "speder/core/rng.hpp"
#include "speder/mdp/classes/needle_class.hpp"

// A needle MDP by its groups of observations, under policies that may be random: what data it gives
// and what they are worth, in closed form.
namespace speder {

/// π(a|group): (groups × A), rows sum to one; all observations of a group are treated alike.
using GroupPolicy = Matrix;

/// P(next group | group, a): the groups that can follow with their probabilities.
[[nodiscard]] std::vector<std::pair<Index, double>> needle_moves(const NeedleShape& shape,
                                                                 const NeedleMember& member,
                                                                 Index group, Index action);

/// d^π of the groups: (groups), sums to one.
[[nodiscard]] Vector needle_occupancy(const NeedleShape& shape, const NeedleMember& member,
                                      const GroupPolicy& policy);
/// V^π at the lobby.
[[nodiscard]] double needle_value(const NeedleShape& shape, const NeedleMember& member,
                                  const GroupPolicy& policy);
[[nodiscard]] GroupPolicy group_policy(const NeedleShape& shape,
                                       const std::vector<std::int32_t>& choice);
/// φ of one observation of each group: (groups·A × d).
[[nodiscard]] Matrix needle_group_phi(const NeedleShape& shape, const NeedleMember& member);

/// n independent steps (s,a) ~ d^{π_b} π_b, s' ~ P(·|s,a), already counted, in a time that does not
/// grow with n. The steps of all calls together are one data set, so that n can grow.
class NeedleData {
 public:
  NeedleData(const NeedleShape& shape, const NeedleMember& truth, const GroupPolicy& behaviour);
  [[nodiscard]] std::vector<NeedleCount> draw(Index n, Rng& rng) const;

 private:
  std::vector<NeedleCount> kinds_;  // without their counts
  std::vector<double> probability_;
};

}  // namespace speder

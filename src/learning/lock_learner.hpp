#pragma once

#include "speder/learning/lock_estimator.hpp"
#include "speder/learning/online.hpp"

namespace speder {

/// Algorithm 1 on all members of a LockClass, by least squares, as online_speder is on the same class
/// written out. The environment has a uniform base measure; its factors may be rotated.
[[nodiscard]] LearnerResult lock_speder(const Simulator& env, const LockClass& F,
                                        const OnlineOptions& options, const SeedTree& seeds,
                                        const LearnerObserver& observe = {});

}  // namespace speder

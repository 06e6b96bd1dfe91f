#pragma once

#include "speder/learning/offline.hpp"

namespace speder {

/// Behaviour cloning: π(a|s) = N(s,a)/N(s), uniform where s was never seen.
[[nodiscard]] LearnerResult offline_clone(const Dataset& data, const OfflineTask& task,
                                          const OfflineOptions& options,
                                          const LearnerObserver& observe = {});

}  // namespace speder

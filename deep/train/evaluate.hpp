#pragma once

#include <memory>

#include "speder/deep/learn/agents/agent.hpp"
#include "speder/deep/sim/env/env.hpp"

namespace speder::deep {

struct Evaluation {
  double mean = 0;       // of the undiscounted returns
  double deviation = 0;  // sample standard deviation over the episodes
  double mean_length = 0;
};

/// Episodes with the mean action, side by side in environments of their own: training is not
/// touched. Episode i starts from stream ("episode", i) of `seeds`.
[[nodiscard]] Evaluation evaluate(const Agent& agent, const std::shared_ptr<const Physics>& physics,
                                  int episodes, Device device, const SeedTree& seeds);

}  // namespace speder::deep

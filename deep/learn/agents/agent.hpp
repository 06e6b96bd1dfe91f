#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "speder/deep/learn/config.hpp"
#include "speder/deep/learn/nn/torch.hpp"
#include "speder/deep/learn/replay/ring_buffer.hpp"
#include "speder/deep/sim/env/spec.hpp"

namespace speder::deep {

/// A learner as a row of functions over one hidden state.
struct Agent {
  /// Actions (n, A) in [−1, 1] for observations (n, S); noise (n, A) standard normal, or undefined
  /// for the mean action. All on the agent's device, no gradient.
  std::function<Tensor(const Tensor& observations, const Tensor& noise)> act;
  /// One learning event on the stored steps.
  std::function<Diagnostics(const RingBuffer& buffer, Rng& rng)> update;
  /// What is known of the last update beyond its losses, computed when asked; may be empty.
  std::function<Diagnostics()> inspect = {};
  /// Every tensor that decides what happens next, sharing memory: for checkpoints.
  std::function<std::vector<NamedTensor>()> tensors;
  /// 0: one update per step from the replay buffer. n > 0: one update per n steps on exactly these.
  int rollout = 0;
};

/// Names of the algorithms, in the order of the tables.
[[nodiscard]] const std::vector<std::string_view>& algorithms();
/// Throws std::invalid_argument that lists the names.
[[nodiscard]] Agent make_agent(const AgentConfig& config, const EnvSpec& spec, Device device,
                               const SeedTree& seeds);

}  // namespace speder::deep

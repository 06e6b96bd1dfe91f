#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "speder/deep/learn/config.hpp"
#include "speder/deep/learn/nn/torch.hpp"
#include "speder/deep/learn/replay/ring_buffer.hpp"
#include "speder/deep/sim/env/spec.hpp"

namespace speder::deep {

/// Actions for n episodes side by side, with what is remembered of them: observations (n, S) on the
/// host → (n, A) in [−1, 1]. All randomness comes from the stream; without `explore` as it is scored.
using Player = std::function<Tensor(const Tensor& observations, Rng& rng, bool explore)>;

/// A learner as a row of functions over one hidden state.
struct Agent {
  /// Actions (n, A) in [−1, 1] for observations (n, S); noise (n, A) standard normal, or undefined
  /// for the mean action. All on the agent's device, no gradient.
  std::function<Tensor(const Tensor& observations, const Tensor& noise)> act;
  /// One learning event on the stored steps.
  std::function<Diagnostics(const RingBuffer& buffer, Rng& rng)> update;
  /// What is known of the last update beyond its losses, computed when asked; may be empty, and tells nothing
  /// before the first update.
  std::function<Diagnostics()> inspect = {};
  /// The learned factors of P, for learners that have them: φ of pairs (n, S+A) and μ of states (n, S).
  std::function<Tensor(const Tensor& pairs)> phi = {};
  std::function<Tensor(const Tensor& states)> mu = {};
  /// Q of pairs (n, S+A), the mean of the critics, no bonus: (n).
  std::function<Tensor(const Tensor& pairs)> q = {};
  /// Every tensor that decides what happens next, sharing memory: for checkpoints.
  std::function<std::vector<NamedTensor>()> tensors;
  /// A player for n episodes that begin now; empty: `act` is all there is to it.
  std::function<Player(int n)> play = {};
  /// 0: updates from the replay buffer. n > 0: one update per n steps on exactly these.
  int rollout = 0;
  int update_every = 1;         // steps between updates from the replay buffer
  bool network_policy = false;  // tanh of the ReLU network actor.* is the mean action
};

/// Names of the algorithms, in the order of the tables.
[[nodiscard]] const std::vector<std::string_view>& algorithms();
/// Whether it learns from rollouts of its own policy alone, from the first step on.
[[nodiscard]] bool is_on_policy(std::string_view algorithm);
/// Whether it imagines steps whose reward it takes from the task, as a function of what is observed.
[[nodiscard]] bool imagines_rewards(std::string_view algorithm);
/// Throws InputError when this algorithm cannot be run on this task, with the reason.
void check_suits(std::string_view algorithm, const EnvSpec& spec);
/// Throws std::invalid_argument that lists the names.
[[nodiscard]] Agent make_agent(const AgentConfig& config, const EnvSpec& spec, Device device,
                               const SeedTree& seeds);

}  // namespace speder::deep

#pragma once

#include "speder/deep/learn/agents/trust_region.hpp"
#include "speder/deep/learn/config.hpp"
#include "speder/deep/learn/nn/adam.hpp"
#include "speder/deep/learn/nn/running_scale.hpp"
#include "speder/deep/learn/replay/minibatch.hpp"
#include "speder/deep/sim/env/spec.hpp"

namespace speder::deep {

/// TRPO (Schulman et al. 2015) with generalised advantages: the natural gradient under a bound on KL.
/// The policy is a Gaussian on unsquashed actions, which the task clips; log-probabilities are of the
/// unclipped ones.
class Trpo {
 public:
  Trpo(const AgentConfig& config, const EnvSpec& spec, Device device, const SeedTree& seeds);

  /// One round on the buffer's rows, which must be consecutive steps of the current policy.
  Diagnostics update(const RingBuffer& rollout, Rng& rng);
  /// The same on rows that are already on the device: advantages, trust-region step, value steps, and
  /// last the units of states, which decide what policy took these steps.
  Diagnostics learn(const Minibatch& steps);
  [[nodiscard]] Tensor mean_action(const Tensor& states) const;
  [[nodiscard]] Tensor sample(const Tensor& states, const Tensor& noise) const;
  /// log σ back to where it began.
  void reset_width();
  [[nodiscard]] std::vector<NamedTensor> tensors();

 private:
  [[nodiscard]] Tensor values(const Tensor& scaled) const { return value_(scaled).squeeze(-1); }

  AgentConfig config_;
  Device device_;
  RunningScale scale_;
  GaussianPolicy policy_;
  Mlp value_;
  Adam value_adam_;
};

}  // namespace speder::deep

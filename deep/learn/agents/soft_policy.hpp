#pragma once

#include "speder/deep/learn/agents/losses.hpp"
#include "speder/deep/learn/config.hpp"
#include "speder/deep/learn/nn/adam.hpp"
#include "speder/deep/learn/nn/input_scale.hpp"
#include "speder/deep/learn/nn/mlp.hpp"
#include "speder/deep/sim/env/spec.hpp"

namespace speder::deep {

/// The SAC actor with its temperature α, tuned so that the entropy stays near −|A|; for discrete actions
/// a categorical actor, whose entropy stays near kEntropyShare · log|A|.
class SoftPolicy {
 public:
  SoftPolicy(const AgentConfig& config, const EnvSpec& spec, Device device, const SeedTree& seeds);

  /// Units of the states that the actor sees, as the buffer has them; without `actor_observation_norm`
  /// it sees states as they are. Once per update, before anything else.
  void measure(const RingBuffer& buffer);
  /// For expectations in losses: one action a state, or all of them with their probabilities.
  [[nodiscard]] PolicySample sample(const Tensor& states, const Tensor& noise) const;
  /// One action a state.
  [[nodiscard]] Tensor draw(const Tensor& states, const Tensor& noise) const;
  /// The mean action, or the most likely one.
  [[nodiscard]] Tensor mean_action(const Tensor& states) const;
  /// α without gradient.
  [[nodiscard]] Tensor alpha() const { return log_alpha_.detach().exp(); }
  /// One step of the actor up min_e Q_e − α log π, then one of α. q (E, B) depends on
  /// sample.action.
  void improve(const PolicySample& sample, const Tensor& q, Diagnostics& out);

  static constexpr double kEntropyShare = 0.1;  // of the uniform policy's entropy

  [[nodiscard]] const Mlp& network() const { return actor_; }
  void name_tensors(std::vector<NamedTensor>& out) const;

 private:
  [[nodiscard]] Tensor output(const Tensor& states) const;

  bool discrete_;
  bool in_units_;
  int unit_every_;
  InputScale units_;
  Mlp actor_;  // s → (mean, log σ), or logits
  Adam actor_adam_;
  Tensor log_alpha_;  // scalar
  Adam alpha_adam_;
  double target_entropy_;
};

}  // namespace speder::deep

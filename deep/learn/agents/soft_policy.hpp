#pragma once

#include "speder/deep/learn/agents/losses.hpp"
#include "speder/deep/learn/config.hpp"
#include "speder/deep/learn/nn/adam.hpp"
#include "speder/deep/learn/nn/mlp.hpp"
#include "speder/deep/sim/env/spec.hpp"

namespace speder::deep {

/// The SAC actor with its temperature α, tuned so that the entropy stays near −|A|.
class SoftPolicy {
 public:
  SoftPolicy(const AgentConfig& config, const EnvSpec& spec, Device device, const SeedTree& seeds);

  [[nodiscard]] PolicySample sample(const Tensor& states, const Tensor& noise) const;
  [[nodiscard]] Tensor mean_action(const Tensor& states) const;
  /// α without gradient.
  [[nodiscard]] Tensor alpha() const { return log_alpha_.detach().exp(); }
  /// One step of the actor up min_e Q_e − α log π, then one of α. q (E, B) depends on
  /// sample.action.
  void improve(const PolicySample& sample, const Tensor& q, Diagnostics& out);

  [[nodiscard]] const Mlp& network() const { return actor_; }
  void name_tensors(std::vector<NamedTensor>& out) const;

 private:
  Mlp actor_;  // s → (mean, log σ)
  Adam actor_adam_;
  Tensor log_alpha_;  // scalar
  Adam alpha_adam_;
  double target_entropy_;
};

}  // namespace speder::deep

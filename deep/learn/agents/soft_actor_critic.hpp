#pragma once

#include "speder/deep/learn/agents/soft_policy.hpp"
#include "speder/deep/learn/nn/input_scale.hpp"
#include "speder/deep/learn/replay/minibatch.hpp"

namespace speder::deep {

/// SAC with twin critics on (s, a) of any depth: one hidden layer is the size of SPEDER's head.
class SoftActorCritic {
 public:
  struct Setting {
    AgentConfig config;
    int critic_layers = 3;  // 2, 3 or 5 weight layers
  };
  SoftActorCritic(const Setting& setting, const EnvSpec& spec, Device device,
                  const SeedTree& seeds);

  Diagnostics update(const RingBuffer& buffer, Rng& rng);
  void learn_critic(const Minibatch& batch, Diagnostics& out);
  void improve_policy(const Minibatch& batch, Diagnostics& out);
  /// The mean of the critics.
  [[nodiscard]] Tensor value(const Tensor& pairs) const;  // (n)

  [[nodiscard]] SoftPolicy& policy() { return policy_; }
  [[nodiscard]] std::vector<NamedTensor> tensors();

 private:
  [[nodiscard]] Tensor q_values(const Mlp& critic, const Tensor& pair) const;  // (2, B)

  AgentConfig config_;
  Device device_;
  InputScale scale_;
  Mlp critic_;
  Adam critic_adam_;
  Mlp critic_target_;
  SoftPolicy policy_;
};

}  // namespace speder::deep

#pragma once

#include "speder/deep/learn/agents/soft_policy.hpp"
#include "speder/deep/learn/replay/minibatch.hpp"

namespace speder::deep {

/// Deep successor features (Kulkarni et al. 2016) with SAC as the planner: φ(s,a) is learned by
/// predicting the reward ⟨φ,w⟩ and the next state; ψ(s,a) = E ∑ γᵗ φ_t by TD on vectors; Q = ⟨ψ,w⟩.
/// ψ has one more entry, whose cumulant is the entropy term −γ α log π of the next action with
/// weight one, so that Q is the soft value SAC needs.
class SuccessorFeatures {
 public:
  SuccessorFeatures(const AgentConfig& config, const EnvSpec& spec, Device device,
                    const SeedTree& seeds);

  Diagnostics update(const RingBuffer& buffer, Rng& rng);
  void learn_features(const Minibatch& batch, Diagnostics& out);
  void learn_successors(const Minibatch& batch, Diagnostics& out);
  void improve_policy(const Minibatch& batch, Diagnostics& out);

  [[nodiscard]] SoftPolicy& policy() { return policy_; }
  [[nodiscard]] std::vector<NamedTensor> tensors();

 private:
  /// [w | 1]: (d+1), without gradient.
  [[nodiscard]] Tensor weights() const;

  AgentConfig config_;
  Device device_;
  Mlp phi_, decoder_;
  Tensor reward_weights_;  // (d)  w
  Adam feature_adam_;
  Mlp psi_;  // twin, (s,a) → d+1
  Adam psi_adam_;
  Mlp psi_target_;
  SoftPolicy policy_;
};

}  // namespace speder::deep

#pragma once

#include "speder/deep/learn/agents/bonus.hpp"
#include "speder/deep/learn/agents/soft_policy.hpp"
#include "speder/deep/learn/features/spectral_loss.hpp"
#include "speder/deep/learn/nn/input_scale.hpp"
#include "speder/deep/learn/replay/minibatch.hpp"

namespace speder::deep {

/// SPEDER with SAC as the planner. φ and μ learn the transition kernel's spectral factors; a slowly
/// following copy φ̄ feeds the twin critic heads and, through them, the actor. No TD error and no
/// policy gradient reaches φ.                                    [Alg. 1; Implementation Details]
class SpectralActorCritic {
 public:
  SpectralActorCritic(const AgentConfig& config, const EnvSpec& spec, Device device,
                      const SeedTree& seeds);

  /// One update from fresh minibatches of the buffer.
  Diagnostics update(const RingBuffer& buffer, Rng& rng);

  /// Of the last minibatch: E‖φ‖² (1 under the constraint), E_p‖μ‖², E Z (1 for a density), the
  /// effective rank (tr C)²/tr C² of C = E φφᵀ, and E‖φ − φ̄‖²/E‖φ‖²: how fast φ still moves.
  [[nodiscard]] Diagnostics inspect() const;

  [[nodiscard]] SoftPolicy& policy() { return policy_; }
  [[nodiscard]] std::vector<NamedTensor> tensors();

  // The steps of update(), in order.
  void learn_features(const Minibatch& batch, Diagnostics& out);
  void learn_reward(const Minibatch& batch, Diagnostics& out);
  void refresh_bonus(const RingBuffer& buffer, Rng& rng);
  void learn_critic(const Minibatch& batch, Diagnostics& out);
  void learn_exploration(const Minibatch& batch, Diagnostics& out);
  void improve_policy(const Minibatch& batch, Diagnostics& out);
  void follow();

 private:
  /// φ(s,a), or μ(s), of inputs in their own units.
  [[nodiscard]] Tensor features(const Mlp& network, const Tensor& input) const;  // (B, d)
  /// r̂(s,a), the part of Q that φ need not span; 0 without a reward model.
  [[nodiscard]] Tensor known_part(const Tensor& pair) const;  // (B)
  /// (s,a) as the critic heads see it: φ̄ normalised, (s,a) itself in units, or both.
  [[nodiscard]] Tensor head_input(const Tensor& pair, const Tensor& phi) const;
  [[nodiscard]] int head_size(const EnvSpec& spec) const;
  [[nodiscard]] Tensor q_values(const Mlp& critic, const Tensor& input) const;  // (2, B)

  AgentConfig config_;
  Objective objective_;
  Device device_;
  InputScale scale_;
  Mlp phi_, mu_, reward_head_;
  Adam feature_adam_;
  Mlp phi_ema_;
  Mlp reward_;
  Adam reward_adam_;
  Mlp critic_;
  Adam critic_adam_;
  Mlp critic_target_;
  Mlp explorer_;  // the value of the scaled bonus
  Adam explorer_adam_;
  Mlp explorer_target_;
  SoftPolicy policy_;
  EllipticalBonus bonus_;
  Tensor last_pair_, last_phi_, last_mu_;  // (B, S+A), (B, d) of the last minibatch
  std::int64_t stored_ = 0;                // steps in the buffer
  Tensor updates_;  // a counter on the host, as a tensor so that checkpoints hold it
};

}  // namespace speder::deep

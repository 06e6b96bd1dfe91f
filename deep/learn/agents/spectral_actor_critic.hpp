#pragma once

#include "speder/deep/learn/agents/bonus.hpp"
#include "speder/deep/learn/agents/soft_policy.hpp"
#include "speder/deep/learn/features/spectral_loss.hpp"
#include "speder/deep/learn/features/whitening.hpp"
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

  /// Of the last minibatch.
  ///   phi_norm E‖φ‖² (1 under the constraint), mu_norm E_p‖μ‖², mass E Z (1 for a density)
  ///   phi_rank (tr C)²/tr C² of C = E φφᵀ, the effective rank
  ///   phi_lag E‖φ − φ̄‖²/E‖φ‖², phi_drift E‖φ̄ − φ̄'‖²/E‖φ̄‖² with φ̄' of kDriftUpdates updates before
  ///   phi_action E‖φ̄(s,a) − φ̄(s,a')‖²/(2 Var φ̄), a' of another row: 0 where φ̄ does not tell actions apart, 1
  ///     where it tells nothing else
  ///   sigma_k, sigma_k_seen  spectral_modes: what φᵀμ says of mode k, and the batch
  ///   bellman E(Q − y)²/Var y, what the heads on frozen φ̄ leave of the target
  ///   reward_share E|r̂|/(E|r̂| + E|head|)
  ///   unit_rms √E z² of states in their units: 1 while the units fit the data
  [[nodiscard]] Diagnostics inspect() const;

  /// The slow copy φ̄ of pairs (n, S+A), as the critic sees it, and μ of states (n, S); no gradient.
  [[nodiscard]] Tensor slow_features(const Tensor& pairs) const;    // (n, d)
  [[nodiscard]] Tensor state_features(const Tensor& states) const;  // (n, d)
  /// (s,a) as the critic heads see it: φ̄ normalised, (s,a) itself in units, or both.
  [[nodiscard]] Tensor head_input(const Tensor& pair, const Tensor& phi) const;
  /// r̂ and the mean of the heads, without the value of the scaled bonus.
  [[nodiscard]] Tensor value(const Tensor& pairs) const;  // (n)

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
  void measure_drift();

 private:
  /// (s,a), or s, in units of states; as they are without observation_norm.
  [[nodiscard]] Tensor units(const Tensor& input) const;
  /// φ(s,a), or μ(s), of inputs in their own units, to which the noise is added; entries within
  /// ±feature_bound.
  [[nodiscard]] Tensor features(const Mlp& network, const Tensor& input,
                                const Tensor& noise = {}) const;  // (B, d)
  /// μ(s' + σz); the noise is that of Minibatch.
  [[nodiscard]] Tensor successor_features(const Tensor& states, const Tensor& noise) const;
  /// r̂(s,a), the part of Q that φ need not span; 0 without a reward model.
  [[nodiscard]] Tensor known_part(const Tensor& pair) const;  // (B)
  [[nodiscard]] Tensor action_share(const Tensor& slow) const;
  [[nodiscard]] bool heads_on_phi() const {
    return config_.features != "raw" && config_.features != "bonus";
  }
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
  Whitening whiten_;
  struct Last {          // of the last minibatch
    Tensor pair;         // (B, S+A)
    Tensor phi, mu;      // (B, d)  μ of the base states
    Tensor mu_next;      // (B, d)
    Tensor q, y, known;  // (2, B), (B), (B) or a scalar
  } last_;
  Mlp phi_mark_;             // φ̄ as it was at the last multiple of kDriftUpdates
  Tensor drift_;             // of φ̄ from the mark before that one
  std::int64_t stored_ = 0;  // steps in the buffer
  Tensor updates_;           // a counter on the host, as a tensor so that checkpoints hold it
  Index states_;             // size of an observation
};

}  // namespace speder::deep

#pragma once

#include "speder/deep/learn/config.hpp"
#include "speder/deep/learn/nn/adam.hpp"
#include "speder/deep/learn/nn/mlp.hpp"
#include "speder/deep/learn/replay/minibatch.hpp"
#include "speder/deep/sim/env/spec.hpp"

namespace speder::deep {

/// Generalised advantages of consecutive steps (Schulman et al. 2016):
/// A_t = δ_t + γλ (1 − ended_t) A_{t+1}, δ_t = r_t + γ (1 − terminated_t) V(s'_t) − V(s_t).
struct AdvantageInput {
  Tensor reward, terminated, ended;  // (n)
  Tensor value, next_value;          // (n)
  double discount = 0.99;
  double lambda = 0.95;
};
[[nodiscard]] Tensor generalised_advantage(const AdvantageInput& input);  // (n)

/// −mean min(ρ A, clip(ρ, 1 ± ε) A), ρ = π/π_old.
[[nodiscard]] Tensor clipped_surrogate(const Tensor& log_ratio, const Tensor& advantage,
                                       double clip);

/// PPO with a Gaussian of state-independent width on unsquashed actions, which the task clips.
class Ppo {
 public:
  Ppo(const AgentConfig& config, const EnvSpec& spec, Device device, const SeedTree& seeds);

  /// One round on the buffer's rows, which must be consecutive steps of the current policy.
  Diagnostics update(const RingBuffer& rollout, Rng& rng);
  [[nodiscard]] Tensor mean_action(const Tensor& states) const { return actor_(states).tanh(); }
  [[nodiscard]] Tensor sample(const Tensor& states, const Tensor& noise) const;
  [[nodiscard]] std::vector<NamedTensor> tensors();

 private:
  [[nodiscard]] Tensor log_prob(const Tensor& states, const Tensor& actions) const;
  [[nodiscard]] Tensor values(const Tensor& states) const { return value_(states).squeeze(-1); }

  AgentConfig config_;
  Device device_;
  Mlp actor_, value_;
  Tensor log_std_;  // (A)
  Adam adam_;
};

}  // namespace speder::deep

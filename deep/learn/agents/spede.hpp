#pragma once

#include "speder/deep/learn/agents/bonus.hpp"
#include "speder/deep/learn/agents/soft_policy.hpp"
#include "speder/deep/learn/nn/input_scale.hpp"
#include "speder/deep/learn/replay/minibatch.hpp"

namespace speder::deep {

/// Random Fourier features of a Gaussian kernel: with ω ~ N(0, σ⁻²I) and b ~ U(0, 2π),
/// exp(−‖x − y‖²/2σ²) = E[2 cos(ωᵀx + b) cos(ωᵀy + b)].
struct FourierFeatures {
  Tensor frequency;  // ω (E, S, m): one set for each of the E critics
  Tensor phase;      // b (E, 1, m)

  /// √(2/m) cos(ωᵀx + b): (B, S) → (E, B, m). φ(x)·φ(y) is the kernel, with an error of order m^{−½}.
  [[nodiscard]] Tensor operator()(const Tensor& x) const;
};
[[nodiscard]] FourierFeatures draw_fourier(int sets, int states, int features, double sigma,
                                           Device device, Rng& rng);

/// σ Z L⁻¹ with Σ = LLᵀ and Z standard normal: rows N(0, σ²Σ⁻¹), the posterior of linear weights around their
/// ridge estimate. noise Z (S, k), sigma_factor L (k, k).
[[nodiscard]] Tensor posterior_deviation(const Tensor& noise, const Tensor& sigma_factor,
                                         double sigma);
/// L of Σ = λI + N mean(ψψᵀ); psi (n, k), in double.
[[nodiscard]] Tensor precision_factor(const Tensor& psi, std::int64_t stored, double ridge);

/// SPEDE (Ren et al. 2022), reconstructed from its model: s' = f(s,a) + N(0, σ²I) makes P(·|s,a) a Gaussian kernel
/// in f(s,a), so that Fourier features of f(s,a) span the value functions. SAC plans on linear critics over them;
/// f = s + Wψ(s,a) is learnt by least squares alone, and W is drawn from its posterior (Thompson sampling).
class Spede {
 public:
  Spede(const AgentConfig& config, const EnvSpec& spec, Device device, const SeedTree& seeds);

  Diagnostics update(const RingBuffer& buffer, Rng& rng);
  [[nodiscard]] SoftPolicy& policy() { return policy_; }
  [[nodiscard]] std::vector<NamedTensor> tensors();

  // The steps of update(), in order.
  void learn_model(const Minibatch& batch, Diagnostics& out);
  void learn_reward(const Minibatch& batch, Diagnostics& out);
  void draw_model(const RingBuffer& buffer, Rng& rng);  // or the bonus anew, with explore = "ucb"
  void learn_critic(const Minibatch& batch, Diagnostics& out);
  void improve_policy(const Minibatch& batch, Diagnostics& out);
  void follow();

 private:
  [[nodiscard]] Tensor psi(const Mlp& network, const Tensor& scaled) const;  // (B, k)
  /// φ of the slow model with the drawn W. (2, B, m)
  [[nodiscard]] Tensor fourier(const Tensor& pair) const;
  /// What the critics see: 10 layernorm φ (2, B, m).
  [[nodiscard]] Tensor features(const Tensor& phi) const;
  [[nodiscard]] Tensor q_values(const std::vector<Tensor>& head,
                                const Tensor& phi) const;  // (2, B)
  [[nodiscard]] Tensor reward(const Tensor& pair) const;   // (B)

  AgentConfig config_;
  Device device_;
  int states_;
  InputScale scale_;
  FourierFeatures fourier_;
  Mlp psi_, last_;  // f = s + last(relu(psi(s,a))), all in units
  Adam model_adam_;
  Mlp psi_ema_, last_ema_;
  Tensor deviation_;       // W̃ − Ŵ (S, k)
  EllipticalBonus bonus_;  // on the first critic's φ
  Mlp reward_;
  Adam reward_adam_;
  std::vector<Tensor> critic_;  // w (2, m, 1), bias (2, 1, 1)
  Adam critic_adam_;
  std::vector<Tensor> critic_target_;
  SoftPolicy policy_;
  Tensor updates_;  // a counter on the host, as a tensor so that checkpoints hold it
};

}  // namespace speder::deep

#pragma once

#include "speder/deep/learn/nn/torch.hpp"
#include "speder/deep/learn/replay/minibatch.hpp"

namespace speder::deep {

/// Actions of a squashed Gaussian with the density they were drawn at.
struct PolicySample {
  Tensor action;    // (B, A) in (−1, 1)
  Tensor log_prob;  // (B)
};

struct GaussianHead {
  Tensor mean;     // (B, A) before the squashing
  Tensor log_std;  // (B, A)
};

/// Splits a network output (B, 2A); log σ is squashed into [−5, 2].
[[nodiscard]] GaussianHead gaussian_head(const Tensor& output);
/// a = tanh(x), x = mean + σ·noise; log π(a) = log N(x) − ∑ log(1 − tanh²x), where
/// log(1 − tanh²x) = 2(log 2 − x − softplus(−2x)) is exact for large |x|.
[[nodiscard]] PolicySample tanh_gaussian(const GaussianHead& head, const Tensor& noise);

/// y = r + γ (1 − terminated) V(s'): a truncated step keeps the value beyond it.
[[nodiscard]] Tensor td_target(const Tensor& reward, const Tensor& terminated,
                               const Tensor& next_value, double discount);
/// y = reward + γ^m (1 − terminated) V at the end of the batch's returns; `reward` is far.reward, with
/// the first step's bonus if there is one. Entropies of the steps between and the policy that took them
/// are left out, as is usual for short returns.
[[nodiscard]] Tensor far_target(const Minibatch& batch, const Tensor& reward, const Tensor& value,
                                double discount);
/// V(s') = min_e Q_e(s',a') − α log π(a'|s'), a' ~ π. next_q: (E, B)
[[nodiscard]] Tensor soft_value(const Tensor& next_q, const Tensor& log_prob, const Tensor& alpha);
/// ∑_e mean_i (Q_e − y)². q: (E, B), y: (B)
[[nodiscard]] Tensor critic_loss(const Tensor& q, const Tensor& target);
/// mean (α log π(a|s) − min_e Q_e(s,a)). q: (E, B)
[[nodiscard]] Tensor actor_loss(const Tensor& q, const Tensor& log_prob, const Tensor& alpha);
/// α · mean (−log π − H̄) with the policy held fixed: raises α while the entropy is below H̄.
[[nodiscard]] Tensor temperature_loss(const Tensor& log_alpha, const Tensor& log_prob,
                                      double target_entropy);

}  // namespace speder::deep

#pragma once

#include "speder/deep/learn/nn/torch.hpp"
#include "speder/deep/learn/replay/minibatch.hpp"

namespace speder::deep {

/// Actions of a squashed Gaussian with the density they were drawn at; or, of a categorical policy, all K
/// actions of each state with their probabilities, so that expectations over actions are sums.
struct PolicySample {
  Tensor action;    // (B, A) in (−1, 1); or (B·K, K), the K unit vectors in turn for each state
  Tensor log_prob;  // (B), or (B·K)
  Tensor weight = {};  // undefined, or (B·K): π(a|s)
};

/// [s | a] for every action of the sample: (B, S+A), or (B·K, S+K).
[[nodiscard]] Tensor policy_pairs(const Tensor& states, const PolicySample& sample);
/// E_{a~π} of values at policy_pairs: (B) as they are, or ∑_a π(a|s) v(s,a) of (B·K).
[[nodiscard]] Tensor policy_mean(const PolicySample& sample, const Tensor& values);
/// All K actions of π(a|s) ∝ exp(logits). logits: (B, K)
[[nodiscard]] PolicySample all_actions(const Tensor& logits);
/// One action of it as a unit vector: argmax_a (logit_a + g_a), where g = −log(−log Φ(noise)) is Gumbel
/// for standard normal noise. (B, K)
[[nodiscard]] Tensor categorical_draw(const Tensor& logits, const Tensor& noise);
/// The unit vectors of the largest entries, the first one on ties. (B, K) → (B, K)
[[nodiscard]] Tensor largest_entry(const Tensor& rows);

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
/// What the actor and the target see of twin critics: all of them (`min` is taken later), or their mean
/// alone: (E, B) → (E, B) or (1, B). The smaller of two is below both on average; with normalised
/// heads, which do not run away, that is a bias without a purpose.
[[nodiscard]] Tensor twin_values(const Tensor& q, const std::string& twin);
/// V(s') = min_e Q_e(s',a') − α log π(a'|s'), a' ~ π. next_q: (E, B)
[[nodiscard]] Tensor soft_value(const Tensor& next_q, const Tensor& log_prob, const Tensor& alpha);
/// ∑_e mean_i (Q_e − y)². q: (E, B), y: (B)
[[nodiscard]] Tensor critic_loss(const Tensor& q, const Tensor& target);
/// mean (α log π(a|s) − min_e Q_e(s,a)). q: (E, B)
[[nodiscard]] Tensor actor_loss(const Tensor& q, const Tensor& log_prob, const Tensor& alpha);
/// mean_s ∑_a π(a|s) (α log π(a|s) − min_e Q_e(s,a)): the same with the expectation over actions as a
/// sum. q: (E, B·K)
[[nodiscard]] Tensor categorical_actor_loss(const Tensor& q, const PolicySample& sample,
                                            const Tensor& alpha);
/// α · mean (−log π − H̄) with the policy held fixed: raises α while the entropy is below H̄.
[[nodiscard]] Tensor temperature_loss(const Tensor& log_alpha, const Tensor& log_prob,
                                      double target_entropy);

}  // namespace speder::deep

#pragma once

#include "speder/deep/learn/agents/losses.hpp"
#include "speder/deep/learn/config.hpp"
#include "speder/deep/learn/nn/adam.hpp"
#include "speder/deep/learn/nn/input_scale.hpp"
#include "speder/deep/learn/nn/mlp.hpp"
#include "speder/deep/learn/replay/minibatch.hpp"
#include "speder/deep/sim/env/spec.hpp"

namespace speder::deep {

/// Soft assignments of rows to prototypes that use all prototypes alike: exp((scores − max)/T), then `rounds`
/// times every prototype to 1/K and every row to 1/B, last every row to 1. scores (B, K) → (B, K), no gradient.
[[nodiscard]] Tensor balanced_assignment(const Tensor& scores, double temperature, int rounds);
/// −mean_i ∑_k q_ik log softmax(scores/T)_ik, no gradient in q.
[[nodiscard]] Tensor assignment_loss(const Tensor& q, const Tensor& scores, double temperature);
/// Distance of each row of x (B, d) to its k-th nearest among the first `filled` rows of points (n, d): (B).
[[nodiscard]] Tensor kth_distance(const Tensor& x, const Tensor& points, std::int64_t filled,
                                  int k);
/// Kozachenko and Leonenko's estimate of the entropy of what points (n, d) were drawn from:
/// (d/n) ∑ log ρ_k + log V_d + log(n − 1) − ψ(k), ρ_k the distance of a point to its k-th neighbour.
[[nodiscard]] double neighbour_entropy(const Tensor& points, int k);
/// For each of K prototypes one row of the batch, drawn by softmax over the batch of scores (B, K); u (K).
[[nodiscard]] Tensor draw_for_prototypes(const Tensor& scores, const Tensor& u);  // (K) rows

/// Proto-RL (Yarats et al. 2021) on states: an encoder learnt by clustering, first with the reward of visiting
/// what is far from what was seen, then with the task's. SAC acts on the encoder's output; no TD error reaches it.
class Proto {
 public:
  Proto(const AgentConfig& config, const EnvSpec& spec, Device device, const SeedTree& seeds);

  Diagnostics update(const RingBuffer& buffer, Rng& rng);
  /// `state_entropy` of up to 1,000 stored states at even distances, in units.
  [[nodiscard]] Diagnostics inspect() const;
  [[nodiscard]] Tensor sample(const Tensor& states, const Tensor& noise) const;
  [[nodiscard]] Tensor mean_action(const Tensor& states) const;
  [[nodiscard]] std::vector<NamedTensor> tensors();

 private:
  [[nodiscard]] bool exploring() const { return *phase_.data_ptr<std::int64_t>() == 0; }
  void begin_task();
  void learn_prototypes(const Minibatch& batch, Diagnostics& out);
  /// Distance to what is in the queue, after rows of this batch were pushed into it: (B).
  [[nodiscard]] Tensor novelty(const Tensor& states, const Tensor& u);
  void learn_critic(const Minibatch& batch, const Tensor& reward, Diagnostics& out);
  void improve_policy(const Minibatch& batch, bool now, Diagnostics& out);

  [[nodiscard]] Tensor code(const Tensor& states) const;  // h, no gradient: (B, w)
  [[nodiscard]] PolicySample draw(const Tensor& code, const Tensor& noise) const;
  struct Critic {
    Mlp trunk, heads;
    [[nodiscard]] Tensor operator()(const Tensor& code, const Tensor& action) const;  // (2, B)
    [[nodiscard]] std::vector<Tensor> parameters() const { return joined({&trunk, &heads}); }
  };
  [[nodiscard]] static Critic make_critic(const AgentConfig& config, const EnvSpec& spec,
                                          Device device, const SeedTree& seeds);

  AgentConfig config_;
  Device device_;
  double target_entropy_;
  InputScale scale_;
  Mlp encoder_, projector_, predictor_;
  Tensor prototypes_;  // C (K, d), rows of length 1
  Adam proto_adam_;
  Mlp slow_encoder_, slow_projector_;
  Tensor queue_;  // (4K, d)
  Mlp actor_trunk_, actor_;
  Adam actor_adam_;
  Tensor log_alpha_;
  Adam alpha_adam_;
  Critic critic_, fresh_critic_;  // the second: as it is when the task begins
  Adam critic_adam_;
  Critic critic_target_;
  // On the host, as tensors so that checkpoints hold them.
  Tensor updates_, phase_, pushed_;
  Tensor visited_;  // (n, S) what inspect() looks at
};

}  // namespace speder::deep

#pragma once

#include <functional>

#include "speder/deep/learn/agents/world_model.hpp"
#include "speder/deep/learn/config.hpp"
#include "speder/deep/learn/nn/adam.hpp"
#include "speder/deep/learn/nn/input_scale.hpp"
#include "speder/deep/sim/env/spec.hpp"

namespace speder::deep {

/// R_t = r_t + γ_t [(1 − λ) v_{t+1} + λ R_{t+1}], R_T = v_T. reward, discount (T, N); value (T + 1, N) → (T, N).
[[nodiscard]] Tensor lambda_return(const Tensor& reward, const Tensor& discount,
                                   const Tensor& value, double lambda);

/// A normal cut to [−1, 1]: m = tanh o, σ = 2 sigmoid(o'/2) + 0.1 of a network's output (…, 2A).
struct CutNormal {
  Tensor mean, std;

  explicit CutNormal(const Tensor& output);
  CutNormal(Tensor m, Tensor s) : mean(std::move(m)), std(std::move(s)) {}
  /// By the inverse distribution function, u uniform: the gradient is that of the sample.
  [[nodiscard]] Tensor sample(const Tensor& u) const;
  /// H = log(√(2πe) σZ) + (αϕ(α) − βϕ(β))/2Z, α = (−1 − m)/σ, β = (1 − m)/σ, summed over actions.
  [[nodiscard]] Tensor entropy() const;
};

/// Imagined steps: features of T + 1 states, and what the actor did and might have done at the first T.
struct Imagined {
  Tensor features;  // (T + 1, N, F)
  Tensor entropy;   // (T, N)
  Tensor reward;    // (T + 1, N)  on being there
  Tensor discount;  // (T + 1, N)  γ, times the probability that the episode goes on
};

/// What imagination needs of a world model; `goes_on` may be empty: episodes then never end.
struct Dream {
  std::function<WorldModel::Latent(const WorldModel::Latent& now, const Tensor& action,
                                   const Tensor& u)>
      step;
  std::function<Tensor(const Tensor& features)> actor;    // (N, F) → (N, 2A)
  std::function<Tensor(const Tensor& features)> reward;   // (M, F) → (M)
  std::function<Tensor(const Tensor& features)> goes_on;  // (M, F) → (M), logits
  double discount = 0.99;
};
/// T steps from N latents, u (T, N, G) and action_u (T, N, A) uniform. The actor sees its place without
/// gradient; what it does there moves all that follows.
[[nodiscard]] Imagined imagine_steps(const Dream& dream, const WorldModel::Latent& from,
                                     const Tensor& u, const Tensor& action_u);

/// w_t = ∏_{k<t} γ_k: (T, N), without gradient.
[[nodiscard]] Tensor imagined_weights(const Tensor& discount);
/// −mean w_t (R_{t+1} + η H_t), t ≤ T − 2. R, H, w: (T, N).
[[nodiscard]] Tensor imagined_actor_loss(const Tensor& returns, const Tensor& entropy,
                                         const Tensor& weights, double entropy_weight);
/// mean w_t ½ (v_t − sg R_t)², t ≤ T − 1.
[[nodiscard]] Tensor imagined_critic_loss(const Tensor& value, const Tensor& returns,
                                          const Tensor& weights);

/// Dreamer-v2 (Hafner et al. 2021) on states: a world model with discrete latents; actor and critic learn from
/// steps imagined in it, the actor through the model itself.
class Dreamer {
 public:
  Dreamer(const AgentConfig& config, const EnvSpec& spec, Device device, const SeedTree& seeds);

  /// One update, or `pretrain` of them the first time.
  Diagnostics update(const RingBuffer& buffer, Rng& rng);
  /// `open_loop`: ‖x̂ − x‖² of the tenth step after five that were observed, over that of the fifth state taken
  /// for it, on the last update's sequences; those that begin an episode on the way do not count.
  [[nodiscard]] Diagnostics inspect() const;
  /// What a player remembers of n episodes.
  struct Memory {
    WorldModel::Latent latent;
    Tensor action;  // (n, A)
    Tensor first;   // (n)
  };
  [[nodiscard]] Memory remember_nothing(int n) const;
  /// observations (n, S) on the host. Latents are drawn either way; without `explore` the mode is played.
  [[nodiscard]] Tensor act(const Tensor& observations, Memory& memory, Rng& rng,
                           bool explore) const;
  [[nodiscard]] std::vector<NamedTensor> tensors();

 private:
  Diagnostics update_once(const RingBuffer& buffer, Rng& rng);
  [[nodiscard]] Dream dream() const;
  void step(Adam& adam, const Tensor& loss);

  AgentConfig config_;
  Device device_;
  int actions_;
  SeedTree inspection_;  // of the latents that inspect() draws
  SequenceBatch last_;   // of the last update
  InputScale scale_;
  WorldModel model_;
  Mlp actor_, critic_;
  Adam model_adam_, actor_adam_, critic_adam_;
  Mlp slow_critic_;
  Tensor updates_;  // a counter on the host, as a tensor so that checkpoints hold it
};

}  // namespace speder::deep

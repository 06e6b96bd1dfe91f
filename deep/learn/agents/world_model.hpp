#pragma once

#include "speder/deep/learn/nn/mlp.hpp"
#include "speder/deep/learn/replay/sequences.hpp"

namespace speder::deep {

struct WorldModelShape {
  int states = 0, actions = 0;
  int groups = 16, classes = 16;              // G latents of C classes
  int recurrent = 128;                        // of h, and of the layers around it
  std::vector<int> hidden = {128, 128, 128};  // of encoder, decoder and heads
  bool ends = false;                          // a head for whether an episode goes on
};

/// One-hot samples z of G categoricals (…, G·C) by inverse distribution functions, u (…, G) uniform: forward
/// the one-hot, backward the probabilities (straight-through).
[[nodiscard]] Tensor sample_one_hot(const Tensor& logits, const Tensor& u, int classes);
/// 0.8 max(mean KL(sg q‖p), free) + 0.2 max(mean KL(q‖sg p), free): summed over groups, and a mean over
/// everything else before the free nats. Logits (…, G·C).
[[nodiscard]] Tensor balanced_kl(const Tensor& q, const Tensor& p, int classes, double free);

/// Dreamer-v2's recurrent model with discrete latents (Hafner et al. 2021), on states.
class WorldModel {
 public:
  WorldModel(const WorldModelShape& shape, Device device, const SeedTree& seeds);

  /// Where the model is: h (N, n), z (N, G·C).
  struct Latent {
    Tensor h, z;
    [[nodiscard]] Tensor features() const { return at::cat({z, h}, -1); }
  };
  [[nodiscard]] Latent start(std::int64_t rows) const;
  /// h' = GRU(h, elu(D[z, a]))
  [[nodiscard]] Tensor advance(const Latent& now, const Tensor& action) const;
  [[nodiscard]] Tensor prior(const Tensor& h) const;  // logits (N, G·C)
  [[nodiscard]] Tensor posterior(const Tensor& h, const Tensor& code) const;
  [[nodiscard]] Tensor encode(const Tensor& x) const { return at::elu(encoder_(x)); }
  /// One step in imagination, u (N, G).
  [[nodiscard]] Latent imagine(const Latent& now, const Tensor& action, const Tensor& u) const;
  /// One step with an observation's code; where `first` (N) nothing is remembered.
  [[nodiscard]] Latent observe(const Latent& now, const Tensor& action, const Tensor& first,
                               const Tensor& code, const Tensor& u, Tensor* logits = nullptr) const;
  [[nodiscard]] Tensor reward(const Tensor& features) const {
    return reward_(features).squeeze(-1);
  }
  /// Logit that the episode goes on.
  [[nodiscard]] Tensor goes_on(const Tensor& features) const { return end_(features).squeeze(-1); }
  [[nodiscard]] Tensor decode(const Tensor& features) const { return decoder_(features); }

  struct Loss {
    Tensor total, state, reward, kl;
    Latent posteriors;  // (L·B, …), without gradient: where imagination starts
  };
  /// ½‖x − x̂‖² + ½(r − r̂)² + balanced KL (+ −log Bernoulli of the end). x in units; u (L, B, G).
  [[nodiscard]] Loss loss(const Tensor& x, const SequenceBatch& batch, const Tensor& u) const;

  /// x from entry `seen` on, foreseen from the entries before it and the actions alone: (L − seen, B, S).
  [[nodiscard]] Tensor foresee(const Tensor& x, const SequenceBatch& batch, const Tensor& u,
                               std::int64_t seen) const;

  [[nodiscard]] const WorldModelShape& shape() const { return shape_; }
  [[nodiscard]] int features() const { return shape_.groups * shape_.classes + shape_.recurrent; }
  [[nodiscard]] std::vector<Tensor> parameters() const;
  void name_tensors(const std::string& prefix, std::vector<NamedTensor>& out) const;

 private:
  WorldModelShape shape_;
  Device device_;
  Mlp encoder_, decoder_, reward_, end_;
  Mlp inward_, gates_;   // D[z, a] and the product of the three gates
  Tensor gain_, shift_;  // (3n) of the gates' layer normalisation
  Mlp prior_, posterior_;
};

}  // namespace speder::deep

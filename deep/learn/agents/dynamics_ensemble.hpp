#pragma once

#include "speder/deep/learn/nn/adam.hpp"
#include "speder/deep/learn/nn/mlp.hpp"
#include "speder/deep/learn/replay/ring_buffer.hpp"
#include "speder/deep/sim/env/spec.hpp"

namespace speder::deep {

struct EnsembleOptions {
  int members = 5;  // E
  std::vector<int> hidden = {128, 128};
  bool gaussian = true;  // a variance beside the mean (PETS), or the mean alone (ME-TRPO)
  Activation activation = Activation::kSwish;
  double learning_rate = 1e-3;
  double decay = 0;
  int batch = 256;       // rows per member and step
  int most_steps = 500;  // of one fit
};

/// ℓ in (−10, ½): ℓ₁ = ½ − softplus(½ − raw), ℓ = −10 + softplus(ℓ₁ + 10).
[[nodiscard]] Tensor bounded_log_variance(const Tensor& raw);
/// ∑_e mean[(m − y)² e^{−ℓ} + ℓ]. All (E, B, S).
[[nodiscard]] Tensor gaussian_loss(const Tensor& mean, const Tensor& log_variance, const Tensor& y);
/// ∑_e mean (m − y)².
[[nodiscard]] Tensor square_loss(const Tensor& mean, const Tensor& y);

/// E networks of the dynamics: s' = s + Δ, in units of the data's own moments. An entry that does not
/// change in the data does not change in the model.
class DynamicsEnsemble {
 public:
  DynamicsEnsemble(const EnsembleOptions& options, const EnvSpec& spec, Device device,
                   const SeedTree& seeds);

  /// Moments anew, then every member on rows of its own (drawn with replacement) from where it was.
  /// A tenth of the rows, at most 5,000, is held out: its error is looked at every 100 steps, the fit
  /// ends when none has fallen by 1% in five looks, and each member keeps its best. The error is that of the
  /// means, in units in which predicting the mean of Δ scores 1.
  Diagnostics fit(const RingBuffer& buffer, Rng& rng);

  struct Prediction {
    Tensor mean;  // s' of every member: (E, R, S)
    Tensor std;   // its deviation; undefined without `gaussian`
  };
  /// state (R, S) or (E, R, S), action likewise in [−1, 1].
  [[nodiscard]] Prediction predict(const Tensor& state, const Tensor& action) const;
  /// s' of the mean over members: (R, S).
  [[nodiscard]] Tensor mean_step(const Tensor& state, const Tensor& action) const;
  /// ℓ and the mean of Δ in units, as the loss sees them: (E, R, S) each.
  [[nodiscard]] std::pair<Tensor, Tensor> raw(const Tensor& input) const;
  /// μ ± 20 σ of the states last fitted on: (2, S).
  [[nodiscard]] Tensor limits() const;

  [[nodiscard]] int members() const { return options_.members; }
  void name_tensors(const std::string& prefix, std::vector<NamedTensor>& out) const;

 private:
  [[nodiscard]] Tensor input(const Tensor& state, const Tensor& action) const;
  [[nodiscard]] Tensor loss(const Tensor& input, const Tensor& y) const;
  void measure(const Tensor& state, const Tensor& change);

  EnsembleOptions options_;
  Device device_;
  Mlp networks_;
  Adam adam_;  // starts afresh with each fit
  // (S): mean and 1/deviation of states (0 for an entry that stands still), mean and deviation of Δ
  Tensor state_mean_, state_scale_, change_mean_, change_std_;
};

}  // namespace speder::deep

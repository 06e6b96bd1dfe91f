#pragma once

#include <functional>

#include "speder/core/rng.hpp"
#include "speder/deep/imitate/config.hpp"
#include "speder/deep/learn/agents/losses.hpp"

namespace speder::deep {

/// Standard normal numbers drawn on the host.
[[nodiscard]] Tensor normal_tensor(at::IntArrayRef size, Rng& rng);

/// A network's output (…, 2D) as a diagonal Gaussian, log variance clipped to [low, high].
[[nodiscard]] GaussianHead clipped_gaussian(const Tensor& output, double low, double high);
/// −log N(x; mean, σ²): summed over the last axis, (…).
[[nodiscard]] Tensor gaussian_nll(const GaussianHead& head, const Tensor& x);
/// KL(p ‖ q) of diagonal Gaussians, summed over the last axis.
[[nodiscard]] Tensor gaussian_kl(const GaussianHead& p, const GaussianHead& q);
[[nodiscard]] Tensor draw(const GaussianHead& head, const Tensor& noise);

/// mean_i ( ‖f_i − g_i‖² + log ∑_j exp(−‖f_i − g_j‖²) ): TRAIL's energy model with the batch as
/// negatives, the positive among them. f, g: (B, d)  [docs/imitation.md]
[[nodiscard]] Tensor energy_loss(const Tensor& f, const Tensor& g);

/// B stretches of t logged steps; states are standardised.
struct Windows {
  Tensor states;   // (B, t+1, S)
  Tensor actions;  // (B, t, A)
  Tensor base;     // (B, S) next states drawn independently: s̃ ~ p
};

struct Sizes {
  int state = 0;
  int action = 0;
};

/// What phase 1 learns, as a row of functions over one hidden state.
struct LatentModel {
  int latent = 0;  // columns of z
  /// One step of phase 1.
  std::function<Diagnostics(const Windows&, Rng&)> update;
  /// z of logged windows; log_std is undefined for methods without a distribution.
  std::function<GaussianHead(const Windows&)> encode;
  /// p(z|s) of the skill methods.
  std::function<GaussianHead(const Tensor& state)> prior;
  /// π_α(·|s, z) before the action is clipped or squashed.
  std::function<GaussianHead(const Tensor& state, const Tensor& z)> decode;
  std::function<std::vector<NamedTensor>()> tensors;
};

/// speder, speder-nonorm, trail-ebm, trail-linear.
[[nodiscard]] LatentModel representation_model(const ImitateConfig& config, const Sizes& sizes,
                                               const SeedTree& seeds);
/// opal, spirl, skild.
[[nodiscard]] LatentModel skill_model(const ImitateConfig& config, const Sizes& sizes,
                                      const SeedTree& seeds);

/// −log π(a) of logged actions under the configured decoder, without the constant of the tanh.
[[nodiscard]] Tensor action_nll(const ImitateConfig& config, const GaussianHead& head,
                                const Tensor& action);
/// An action in [−1, 1]ᴬ: the mode, or drawn when noise is defined.
[[nodiscard]] Tensor to_action(const ImitateConfig& config, const GaussianHead& head,
                               const Tensor& noise);

/// TRAIL's entropy bonus (its kl_regularizer "uniform"): α log π(ã), ã ~ π, with α moved so that the
/// entropy is −A. Nothing and without a draw unless the setting is on.  [docs/imitation.md]
class EntropyBonus {
 public:
  EntropyBonus(const ImitateConfig& config, int actions);
  /// The parameters and log α after them.
  [[nodiscard]] std::vector<Tensor> with(std::vector<Tensor> parameters) const;
  [[nodiscard]] Tensor loss(const GaussianHead& head, Rng& rng) const;
  void name_tensors(std::vector<NamedTensor>& out) const;

 private:
  bool tanh_;
  int actions_;
  Tensor log_alpha_;  // scalar; undefined: off
};

}  // namespace speder::deep

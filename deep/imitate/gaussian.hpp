#pragma once

#include "speder/core/rng.hpp"
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

}  // namespace speder::deep

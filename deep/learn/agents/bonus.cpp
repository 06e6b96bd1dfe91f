#include "speder/deep/learn/agents/bonus.hpp"

#include "speder/core/check.hpp"

namespace speder::deep {

EllipticalBonus::EllipticalBonus(const BonusOptions& options, int features, Device device)
    : options_(options) {
  require(options.scale >= 0, "a bonus must not be negative", options.scale);
  require(options.ridge > 0, "bonus_ridge must be positive", options.ridge);
  if (!active()) return;
  const auto kind = at::TensorOptions(at::kFloat).device(device);
  factor_ = at::eye(features, kind);
  mean_ = at::ones({}, kind);
}

void EllipticalBonus::refresh(const Tensor& sample, std::int64_t stored) {
  const at::NoGradGuard no_grad;
  const Tensor phi = sample.to(at::kDouble);
  // Σ = N · mean(φφᵀ) + λI
  Tensor sigma =
      at::mm(phi.t(), phi) * (static_cast<double>(stored) / static_cast<double>(phi.size(0)));
  sigma.diagonal().add_(options_.ridge);
  // Σ = LLᵀ; without the check, which would wait for the device: λ > 0 keeps Σ definite
  factor_.copy_(std::get<0>(at::linalg_cholesky_ex(sigma)));
  if (options_.relative) mean_.copy_(length(sample).mean());
}

Tensor EllipticalBonus::length(const Tensor& phi) const {
  const at::NoGradGuard no_grad;
  // ‖φ‖_{Σ⁻¹} = ‖L⁻¹φ‖
  const Tensor whitened = at::linalg_solve_triangular(factor_, phi.t(), /*upper=*/false);  // (d, B)
  return whitened.square().sum(0).sqrt();
}

Tensor EllipticalBonus::operator()(const Tensor& phi) const { return options_.scale * length(phi); }

Tensor EllipticalBonus::relative(const Tensor& phi) const { return length(phi) / mean_ - 1; }

void EllipticalBonus::name_tensors(const std::string& prefix, std::vector<NamedTensor>& out) const {
  if (!active()) return;
  out.push_back({prefix, factor_});
  out.push_back({prefix + "_mean", mean_});
}

}  // namespace speder::deep

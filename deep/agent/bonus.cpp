#include "deep/agent/bonus.hpp"

#include "core/check.hpp"

namespace speder::deep {

void EllipticalBonus::refresh(const Tensor& sample, std::int64_t stored) {
  require(options_.ridge > 0, "bonus_ridge must be positive", options_.ridge);
  const at::NoGradGuard no_grad;
  const Tensor phi = sample.to(at::kDouble);
  // Σ = N · mean(φφᵀ) + λI
  Tensor sigma = at::mm(phi.t(), phi) *
                 (static_cast<double>(stored) / static_cast<double>(phi.size(0)));
  sigma.diagonal().add_(options_.ridge);
  factor_ = at::linalg_cholesky(sigma).to(sample.scalar_type());  // L
}

Tensor EllipticalBonus::operator()(const Tensor& phi) const {
  require(factor_.defined(), "the bonus has no covariance yet");
  const at::NoGradGuard no_grad;
  // ‖φ‖_{Σ⁻¹} = ‖L⁻¹φ‖
  const Tensor whitened = at::linalg_solve_triangular(factor_, phi.t(), /*upper=*/false);  // (d, B)
  return options_.scale * whitened.square().sum(0).sqrt();
}

}  // namespace speder::deep

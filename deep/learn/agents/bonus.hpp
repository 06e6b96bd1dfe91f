#pragma once

#include "speder/deep/learn/nn/torch.hpp"

namespace speder::deep {

struct BonusOptions {
  double scale = 0;       // α
  double ridge = 1;       // λ
  bool relative = false;  // relative() is used
};

/// b(s,a) = α sqrt(φᵀ Σ⁻¹ φ), Σ = N · mean(φφᵀ) + λI, with Σ taken anew from a fresh sample of the
/// replay buffer through the current φ, since old features go stale.              [Alg. 1, line 8]
/// Added to the rewards of a minibatch at update time; stored rewards and evaluations stay raw.
class EllipticalBonus {
 public:
  EllipticalBonus(const BonusOptions& options, int features, Device device);

  [[nodiscard]] bool active() const { return options_.scale > 0 || options_.relative; }
  /// sample: (n, d) features of rows drawn from N stored ones; factorises Σ in double.
  void refresh(const Tensor& sample, std::int64_t stored);
  [[nodiscard]] Tensor operator()(const Tensor& phi) const;  // (B, d) → (B)
  /// u/ū − 1 with u = ‖φ‖_{Σ⁻¹} and ū its mean over the last sample: the same for φ and cφ (λ aside),
  /// 0 on average over the stored steps, whatever d, N and the scale of rewards.
  [[nodiscard]] Tensor relative(const Tensor& phi) const;  // (B, d) → (B)
  void name_tensors(const std::string& prefix, std::vector<NamedTensor>& out) const;

 private:
  [[nodiscard]] Tensor length(const Tensor& phi) const;  // ‖φ‖_{Σ⁻¹}: (B)

  BonusOptions options_;
  Tensor factor_;  // L of Σ = LLᵀ: (d, d); undefined when inactive
  Tensor mean_;    // ū
};

}  // namespace speder::deep

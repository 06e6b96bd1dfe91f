#pragma once

#include "speder/deep/learn/nn/torch.hpp"

namespace speder::deep {

struct BonusOptions {
  double scale = 0;  // α
  double ridge = 1;  // λ
};

/// b(s,a) = α sqrt(φᵀ Σ⁻¹ φ), Σ = N · mean(φφᵀ) + λI, with Σ taken anew from a fresh sample of the
/// replay buffer through the current φ, since old features go stale.              [Alg. 1, line 8]
/// Added to the rewards of a minibatch at update time; stored rewards and evaluations stay raw.
class EllipticalBonus {
 public:
  EllipticalBonus(const BonusOptions& options, int features, Device device);

  [[nodiscard]] bool active() const { return options_.scale > 0; }
  /// sample: (n, d) features of rows drawn from N stored ones; factorises Σ in double.
  void refresh(const Tensor& sample, std::int64_t stored);
  [[nodiscard]] Tensor operator()(const Tensor& phi) const;  // (B, d) → (B)
  void name_tensors(const std::string& prefix, std::vector<NamedTensor>& out) const;

 private:
  BonusOptions options_;
  Tensor factor_;  // L of Σ = LLᵀ: (d, d); undefined when inactive
};

}  // namespace speder::deep

#pragma once

#include "speder/learning/model_loop.hpp"

namespace speder {

/// LSVI-UCB (Jin et al. 2020) in the discounted setting, with features that are handed over:
///   Λ = ∑ᵢ φ(xᵢ)φ(xᵢ)ᵀ + λI,   M̂ = Λ⁻¹ ∑ᵢ φ(xᵢ) e_{yᵢ}ᵀ
///   b(x) = β ‖φ(x)‖_{Λ⁻¹},     β = c_α d √log(2dn/δ) / (1−γ),   λ = c_λ
///   V ← clip(max_a r ± b + γ φᵀ M̂ V, 0, 1/(1−γ))
/// M̂ is the ridge regression of V(y) on φ(x) for all V at once. It is no kernel, so the sweeps go
/// backward over a horizon H with γᴴ/(1−γ) below tol::kBellman and do not seek a fixed point.
class KnownFeaturesModel {
 public:
  /// `Phi` (SA × d); S is the number of its rows over `actions`.
  KnownFeaturesModel(const Matrix& Phi, Index actions, const OfflineTask& task,
                     const ModelOptions& options);

  void add(const Step& step, double count);
  [[nodiscard]] const Vector& visits() const { return covariance_.counts(); }
  const ModelPlan& plan(double n);

 private:
  Matrix Phi_;  // (SA × d)
  Index actions_;
  Vector reward_;
  double gamma_;
  ModelOptions options_;
  EllipticalBonus covariance_;
  Matrix targets_;  // (d × S)  ∑ᵢ φ(xᵢ) e_{yᵢ}ᵀ
  Vector q_;        // (SA)
  ModelPlan plan_;
};

}  // namespace speder

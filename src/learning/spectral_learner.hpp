#pragma once

#include "speder/learning/model_loop.hpp"
#include "speder/learning/spectral_estimator.hpp"
#include "speder/mdp/planners/factored_planner.hpp"

namespace speder {

/// Algorithms 1 and 2 with line 6 over all functions of rank d (SpectralEstimator) instead of a
/// finite class.
///   b(x) = α ‖φ̂(x)‖_{Σ̂⁻¹},  Σ̂ = ∑_{x ∈ D} φ̂φ̂ᵀ + λI
///   α = c_α d √(κ E)/(1−γ),  λ = c_λ d (E + log n),  E = d(|S||A| + |S| − d) + log(1/δ)
/// DEVIATION-13: E stands for log(|F|/δ), which is infinite here: the free numbers of a matrix of
/// rank d are what its estimation error is proportional to. A pair not seen in D ∪ D' has no φ̂(x);
/// every unit vector has the same loss, and the bonus takes the one for which it is largest,
/// α/√λ_min(Σ̂). P̂ is the kernel nearest to φ̂ᵀμ̂ (project_row): planning needs a kernel.
class SpectralModel {
 public:
  /// `concentrability`: κ = |A| online, ω offline.
  SpectralModel(SpectralShape shape, const OfflineTask& task, const ModelOptions& options,
                double concentrability);

  void add(const Step& step, double count);                  // (s,a,s') ∈ D
  void add_next(const Step& step) { estimator_.add(step); }  // (s',a',s̃) ∈ D'
  [[nodiscard]] const Vector& visits() const { return covariance_.counts(); }
  /// Throws std::runtime_error when the planner does not reach its residual.
  const ModelPlan& plan(double n);
  [[nodiscard]] const Matrix& kernel() const { return estimator_.last().P; }  // (SA × S)  P̂

 private:
  const Vector& bonus();

  SpectralEstimator estimator_;
  EllipticalBonus covariance_;
  FactoredPlanner planner_;
  Vector reward_;
  double gamma_;
  ModelOptions options_;
  double concentrability_;  // κ
  double rank_;             // d
  double entropy_;          // E
  Matrix identity_;         // (S × S)  μν of P̂ in its own coordinates
  Vector ones_;             // (S)
  Vector bonus_;            // (SA)
  ModelPlan plan_;
};

}  // namespace speder

#pragma once

#include <string_view>

#include "speder/core/types.hpp"

namespace speder {

/// The constants that the paper's Θ(·) hides. Every result carries them.
struct BonusConstants {
  double alpha = 1;   // c_α
  double lambda = 1;  // c_λ
};
/// theory: 1 and 1.   tuned: kTunedAlpha and 1.   none: 0 and 1 (the ablation). DEVIATION-4.
[[nodiscard]] BonusConstants bonus_constants(std::string_view kind);
/// With c_α = 1 the bonus of an unvisited direction is √(d|A|)/(1−γ) [lem:norm_bonus], a multiple
/// √(d|A|) of the largest value; the tuned constant brings it to about one reward unit of a step on
/// instances with d|A| near 20 and γ = 0.9, so that exploration ends within thousands of episodes.
inline constexpr double kTunedAlpha = 0.02;

/// ζ_n = log(|F|/δ)/n,  λ_n = c_λ d log(n|F|/δ),  α_n = c_α d √(κ n ζ_n)/(1−γ), where κ = |A|
/// online [lem:optimism] and κ = ω = max 1/π_b(a|s) offline [lem:pessimism]. DEVIATION-3:
/// [lem:pessimism] prints α = Θ(d √(ω ζ_n)/(1−γ)), without n, and ω = max π_b; its proof needs √(ω
/// n ζ_n) and the ω of [lem:backup_learned_offline]; λ keeps the n of [lem:optimism].
struct BonusSchedule {
  BonusConstants constants;
  Index rank = 1;              // d
  double class_size = 1;       // |F|
  double delta = 0.1;          // δ
  double gamma = 0;            // γ
  double concentrability = 1;  // κ

  [[nodiscard]] double zeta(double n) const;
  [[nodiscard]] double lambda(double n) const;
  [[nodiscard]] double alpha(double n) const;
};

/// Σ̂ = ∑_x N(x) φ(x) φ(x)ᵀ + λI and the elliptical bonus b(x) = α ‖φ(x)‖_{Σ̂⁻¹}.
/// The counts N outlive the features: a change of φ̂ rebuilds the sum in O(SA d²), a visit is a
/// rank-one update in O(d²).
class EllipticalBonus {
 public:
  EllipticalBonus(Index pairs, Index rank);

  void set_features(const Matrix& Phi);  // (SA × d)
  void visit(Index pair, double count = 1);
  /// b, by forward substitution with the Cholesky factor of Σ̂, for all pairs at once.
  /// λ > 0 makes Σ̂ positive definite; throws std::invalid_argument otherwise.
  const Vector& bonus(double alpha, double lambda);

  [[nodiscard]] const Vector& counts() const { return counts_; }  // (SA)  N
  [[nodiscard]] const Vector& last() const { return bonus_; }     // (SA)  as last computed
  [[nodiscard]] Matrix covariance(double lambda) const;           // (d × d)  Σ̂

 private:
  Vector counts_;
  Matrix PhiT_;  // (d × SA), filled up with zeros to whole strips
  Matrix sum_;   // (d × d)   ∑_x N φ φᵀ
  Matrix Z_;     // (d × strip)  L⁻¹ Φᵀ
  Vector bonus_;
};

}  // namespace speder

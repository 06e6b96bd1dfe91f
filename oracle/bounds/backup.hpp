#pragma once

#include <cmath>

namespace speder::bounds {

/// What the one-step-back inequalities are made of. `spread` is |A| online (actions are uniform)
/// and ω = max 1/π_b offline.
template <class T>
struct BackupInputs {
  T gamma, spread, n, lambda, d;
  T g2;            // E g² under ρ_n × U (online), ρ_b (offline)
  T g2_next;       // E g² under ρ'_n × U; offline: the same as g2
  T sup;           // B∞ ≥ ‖g‖∞
  T l2;            // B₂ ≥ ‖∫_A g‖₂ (corrected: ‖∫_A |g|‖₂)
  T zeta;          // E‖P̂ − P‖₂² ≤ ζ
  T feature_norm;  // E_{d^π}‖φ‖_{Σ⁻¹}
};

/// √((1−γ)|A| E_{ρ_n,U} g²): what the initial distribution contributes.
template <class T>
[[nodiscard]] T backup_initial(const BackupInputs<T>& in) {
  using std::sqrt;
  return sqrt((T(1) - in.gamma) * in.spread * in.g2);
}

/// As printed: … + γ√(n|A| E_{ρ'_n,U} g² + B₂²nζ + λB∞²d) · E‖φ̂‖          [lem:backup_learned]
template <class T>
[[nodiscard]] T backup_learned_printed(const BackupInputs<T>& in) {
  using std::sqrt;
  const T inside = in.n * in.spread * in.g2_next + in.l2 * in.l2 * in.n * in.zeta +
                   in.lambda * in.sup * in.sup * in.d;
  return backup_initial(in) + in.gamma * sqrt(inside) * in.feature_norm;
}

/// With the 2 of (x + y)² ≤ 2x² + 2y² kept: … + γ√(2n|A| E g² + 2B₂²nζ + λB∞²d) · E‖φ̂‖
template <class T>
[[nodiscard]] T backup_learned(const BackupInputs<T>& in) {
  using std::sqrt;
  const T inside = T(2) * in.n * in.spread * in.g2_next + T(2) * in.l2 * in.l2 * in.n * in.zeta +
                   in.lambda * in.sup * in.sup * in.d;
  return backup_initial(in) + in.gamma * sqrt(inside) * in.feature_norm;
}

/// … + √(nγ|A| E_{ρ_n,U} g² + λγ²B∞²d) · E‖φ*‖                              [lem:backup_true]
template <class T>
[[nodiscard]] T backup_true(const BackupInputs<T>& in) {
  using std::sqrt;
  const T inside = in.n * in.gamma * in.spread * in.g2 +
                   in.lambda * in.gamma * in.gamma * in.sup * in.sup * in.d;
  return backup_initial(in) + sqrt(inside) * in.feature_norm;
}

/// Offline learned model with ρ_b = d^{π_b}: the step back costs 1/γ, so
/// … + γ√(2nω/γ E_{ρ_b} g² + 2B₂²nζ + λB∞²d) · E‖φ̂‖    [lem:backup_learned_offline, corrected]
template <class T>
[[nodiscard]] T backup_learned_offline(const BackupInputs<T>& in) {
  using std::sqrt;
  const T inside = T(2) * in.n * in.spread * in.g2 / in.gamma +
                   T(2) * in.l2 * in.l2 * in.n * in.zeta + in.lambda * in.sup * in.sup * in.d;
  return backup_initial(in) + in.gamma * sqrt(inside) * in.feature_norm;
}

}  // namespace speder::bounds

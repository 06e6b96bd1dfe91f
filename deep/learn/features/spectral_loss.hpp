#pragma once

#include <string_view>

#include "speder/deep/learn/nn/torch.hpp"

namespace speder::deep {

/// dual:    −E[φᵀμ(s')] + E_p[μᵀμ]/(2d) + λ_ortho ‖E[φφᵀ] − I/d‖²_F + λ_prob E[(log Z)²]
/// exact:   −2 E[φᵀμ(s')] + E E_p[(φᵀμ(s_j))²] + λ_prob E[(log Z)²]
///          This is the L² distance itself, which needs no constraint on φ.
/// literal: as printed in the paper [Implementation Details]: density weights p(s'), and a double
///          sum that includes i = i'.
///
/// DEVIATION-D1: `dual` and `exact` drop the weights p and take s_j from the replay buffer's next
/// states, which is the same objective in L²(p): both sides of the distance are divided by p.
enum class Objective { kDual, kExact, kLiteral };

[[nodiscard]] std::string_view to_string(Objective objective);
/// Throws std::invalid_argument that lists the names.
[[nodiscard]] Objective objective_named(std::string_view name);

/// Network outputs on one minibatch; B paired rows, K base rows.
struct SpectralBatch {
  Tensor phi;          // (B, d)  φ(s_i, a_i)
  Tensor mu_next;      // (B, d)  μ(s'_i)
  Tensor mu_base;      // (K, d)  μ(s_j), s_j ~ p independent of the rows i; undefined: in_batch
  Tensor p_next = {};  // (B)     density p(s'_i); literal only
  Tensor p_base = {};  // (K)     density p(s_j); literal only
};

struct SpectralWeights {
  double ortho = 1.0;  // λ_ortho
  double prob = 0.0;   // λ_prob
};

/// Terms of a loss before their weights; `loss` is the weighted sum.
struct SpectralTerms {
  Tensor loss = {};
  Tensor paired = {};     // E[φᵀμ(s')]
  Tensor quadratic = {};  // E_p[μᵀμ]/(2d) or E E_p[(φᵀμ)²]
  Tensor ortho = {};      // undefined for exact
  Tensor prob = {};       // undefined when λ_prob = 0
};

// Each term is a scalar. d is the number of columns.

/// mean_i φ_iᵀ μ(s'_i), each times its density when given: the diagonal, never all pairs.
[[nodiscard]] Tensor paired_product(const Tensor& phi, const Tensor& mu_next,
                                    const Tensor& density = {});
/// mean_j μ_jᵀ μ_j / (2d): E E_p[(φᵀμ)²]/2 under the constraint E[φφᵀ] = I/d.
[[nodiscard]] Tensor dual_quadratic(const Tensor& mu_base, const Tensor& density = {});
/// mean_ij (φ_iᵀ μ_j)².
[[nodiscard]] Tensor exact_quadratic(const Tensor& phi, const Tensor& mu_base);
/// ∑_{i≠j} (φ_iᵀ μ(s'_j))² / (B(B−1)): the successors of the other rows, drawn independently of row i,
/// are its base states. Unbiased, and μ is evaluated on half as many states.
[[nodiscard]] Tensor in_batch_quadratic(const Tensor& phi, const Tensor& mu_next);
/// Unbiased estimate of ‖E[φφᵀ] − I/d‖²_F over i ≠ i'; may be negative.        [Wu et al. 2018]
///   ∑_{i≠i'} (φ_iᵀφ_i')² / (B(B−1)) − (2/d) mean_i ‖φ_i‖² + 1/d
[[nodiscard]] Tensor ortho_u_statistic(const Tensor& phi);
/// ‖mean_i φ_iφ_iᵀ − I/d‖²_F: the printed double sum, i = i' included; biased by about E‖φ‖⁴/B.
[[nodiscard]] Tensor ortho_v_statistic(const Tensor& phi);
inline constexpr double kLogFloor = 0.1;  // a tenth of the mass a density should have

/// Z_i = mean_j φ_iᵀμ_j: the mass of the estimated density, 1 at the truth. (B)
[[nodiscard]] Tensor masses(const Tensor& phi, const Tensor& mu_base);
/// The same over the successors of the other rows.
[[nodiscard]] Tensor in_batch_masses(const Tensor& phi, const Tensor& mu_next);
/// mean_i (log Z_i)² of masses, with the logarithm continued by its tangent below the floor, so that
/// Z ≤ 0 still has a gradient that raises it.
[[nodiscard]] Tensor normalisation(const Tensor& masses, double floor = kLogFloor);
/// ∏_k N(s_k; 0, 1): the base density of the literal objective.
[[nodiscard]] Tensor gaussian_density(const Tensor& states);  // (B, S) → (B)

/// What φᵀμ says of P, mode by mode, on a batch: with C_φ = E φφᵀ, C_μ = E_p μμᵀ and the singular value
/// decomposition U diag(σ) Vᵀ of C_φ^½ C_μ^½, the modes are f_k = U_kᵀ C_φ^−½ φ and g_k = V_kᵀ C_μ^−½ μ, and
///   learned σ_k,   seen E[f_k(s,a) g_k(s')] over the paired rows.
/// Where the loss is at its minimum the two agree and are the singular values of P/p; σ_1 = 1 belongs
/// to the constants. Computed on the host in double.
struct SpectralModes {
  Tensor learned;  // (k)  descending
  Tensor seen;     // (k)
};
[[nodiscard]] SpectralModes spectral_modes(const Tensor& phi, const Tensor& mu_next);

[[nodiscard]] SpectralTerms spectral_loss(Objective objective, const SpectralBatch& batch,
                                          const SpectralWeights& weights);

}  // namespace speder::deep

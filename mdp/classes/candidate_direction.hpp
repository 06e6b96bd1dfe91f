#pragma once

#include <span>

#include "speder/core/rng.hpp"
#include "speder/core/types.hpp"
#include "speder/mdp/model/kernel.hpp"

namespace speder {

/// The truth unpacked, with everything that does not depend on the candidate.
struct KnownKernel {
  KnownKernel(const Kernel& kernel, const Vector& pair_weights);

  Index actions;
  Matrix phi;       // (SA × d)
  Matrix mu;        // (S × d)
  Vector nu;        // (S)
  Vector weights;   // (SA)  ρ of the L2(ρ) distance, sums to 1
  bool mixture;     // rows of φ in the simplex, columns of μ densities
  Matrix phi_gram;  // (d × d)  φᵀ W φ
  Matrix mu_gram;   // (d × d)  μᵀ N μ
  double row_norm;  // max(1, max_x ‖φ(x)‖): a candidate may not exceed it
  double spread;  // max(d, ∑_s (∑_a ‖φ(s,a)‖)² ν(s)): nor this              [assump:repr_norm]
};

/// φ(t) = φ* + tU, μ(t) = μ* + tV: a segment of kernels of rank d for t ∈ [0, reach]. Its far end
/// is a convex mixture with a valid target, and all conditions are convex, so every point on it is
/// a kernel and meets the normalisation that the truth meets.
struct Direction {
  Matrix U;          // (SA × d)
  Matrix V;          // (S × d)
  double reach = 1;  // largest t that keeps the normalisation
  // D(t)² = ‖P(t) − P*‖²_{L2(ρ)} = a t² + 2b t³ + c t⁴
  double a = 0, b = 0, c = 0;

  [[nodiscard]] double distance(double t) const;
  /// A t with D(t) = radius; `reach` when the segment is too short.
  [[nodiscard]] double solve(double radius) const;
};

struct DirectionOptions {
  bool move_phi = true;
  bool move_mu = true;
  double support = 1;  // each pair's φ moves with this probability; below 1 μ stays
};

/// Targets: Dirichlet(1) rows and densities when the truth has mixture form; otherwise rows in the
/// convex hull of the truth's own rows, with μ fixed.
[[nodiscard]] Direction random_direction(const KnownKernel& truth, const DirectionOptions& options,
                                         Rng& rng);

/// ‖P_c − P*‖_{L2(ρ)} = (∑_x ρ(x) ∑_y (f_c − f*)² ν)^½, from differences: no cancellation.
[[nodiscard]] double distance_to(const KnownKernel& truth, const Matrix& phi, const Matrix& mu);
/// The same for every pair (φ_i, μ_j), at index i·|mu| + j.
[[nodiscard]] Vector product_distances(const KnownKernel& truth, std::span<const Matrix> phi,
                                       std::span<const Matrix> mu);

}  // namespace speder

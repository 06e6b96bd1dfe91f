#pragma once

#include <string_view>

#include "speder/core/types.hpp"
#include "speder/mdp/model/kernel.hpp"

namespace speder {

enum class KernelSvdMethod {
  kAuto,
  kFactors,  // QR of both factors, then a d × d SVD: exact, O(|S||A|d²)
  kDense,    // SVD of the whole (|S||A| × |S|) table: the reference
  kLanczos   // leading triplets of the operator, never formed
};
[[nodiscard]] std::string_view to_string(KernelSvdMethod method);

struct KernelSvdOptions {
  KernelSvdMethod method = KernelSvdMethod::kAuto;
  Index top = 32;  // triplets kept; the others go into the remainder
};

/// P(s'|s,a) = ∑_i σ_i f_i(s,a) g_i(s') with f orthonormal in L₂(w) and g in L₂(ν): the SVD of
///   K = diag(√w) P diag(√ν)                                          (|S||A| × |S|)
/// where w weighs the pairs and ν is the kernel's base measure. It does not involve a policy
/// beyond w.                                               [sec:speder, table:spectral_connections]
struct KernelSvd {
  Vector singular_values;  // (k)      descending
  Matrix right;            // (S × k)  g_i
  double remainder = 0;    // ∑ σ² over the triplets not kept
  Index rank = 0;          // σ_i > tol::kRank σ_1; among the computed ones when incomplete
  bool complete = true;    // every singular value was computed
  double residual = 0;     // max_i ‖KᵀK v_i − σ_i² v_i‖₂ / σ_1,  v_i = √ν g_i
  KernelSvdMethod method = KernelSvdMethod::kAuto;  // the one that ran
};
[[nodiscard]] KernelSvd kernel_svd(const Kernel& kernel, const Vector& pair_weights,
                                   const KernelSvdOptions& options = {});

/// f_i = (1/σ_i) E_{s'~P(·|s,a)} g_i(s'), for the kept triplets above tol::kRank σ_1. Defined on
/// all pairs, those of weight zero included.                                      (SA × k')
[[nodiscard]] Matrix left_functions(const Kernel& kernel, const KernelSvd& svd);

/// min over densities of rank k of ‖P − P_k‖_{L₂(w)×L₂(ν)} = (∑_{i>k} σ_i²)^½   (Eckart–Young
/// 1936). The minimiser ∑_{i≤k} σ_i f_i g_i need not be a transition kernel.
[[nodiscard]] double optimal_rank_error(const KernelSvd& svd, Index k);

}  // namespace speder

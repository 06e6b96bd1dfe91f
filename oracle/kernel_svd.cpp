#include "speder/oracle/kernel_svd.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "speder/core/check.hpp"
#include "speder/core/eigen_instances.hpp"
#include "speder/core/spectral.hpp"
#include "speder/core/tolerance.hpp"
#include "speder/oracle/weighted_triangle.hpp"

namespace speder {
namespace {

using ColumnMatrix = Eigen::MatrixXd;
constexpr Index kFactorRank = 256;                  // above this d × d work is no longer small
constexpr double kDenseFlops = 0x1.0p31;            // |S||A||S|²: about a second
constexpr Index kLanczosVectors = Index{1} << 28U;  // doubles in a Lanczos basis: 2 GiB

KernelSvdMethod choose(const Kernel& kernel) {
  const auto S = static_cast<double>(kernel.states());
  if (kernel.rank() <= std::min(kernel.states(), kFactorRank)) return KernelSvdMethod::kFactors;
  if (static_cast<double>(kernel.pairs()) * S * S <= kDenseFlops) return KernelSvdMethod::kDense;
  return KernelSvdMethod::kLanczos;
}

// K x = √w ∘ Φ Mᵀ(√ν ∘ x) and its transpose.
LinearOperator weighted_operator(const Kernel& kernel, const Vector& root_w,
                                 const Vector& root_nu) {
  return {kernel.pairs(), kernel.states(),
          [&](const Vector& x) -> Vector {
            return root_w.cwiseProduct(
                kernel.phi().times(kernel.mu().transpose_times(root_nu.cwiseProduct(x))));
          },
          [&](const Vector& y) -> Vector {
            return root_nu.cwiseProduct(
                kernel.mu().times(kernel.phi().transpose_times(root_w.cwiseProduct(y))));
          }};
}

struct Spectrum {
  Vector values;  // descending
  Matrix right;   // (S × k)  v_i
};

// √wΦ = Q₁R₁, √νM = Q₂R₂, R₁R₂ᵀ = AΣBᵀ:  K = (Q₁A) Σ (Q₂B)ᵀ.
Spectrum through_factors(const Kernel& kernel, const Vector& w, const Vector& root_nu) {
  const Matrix R1 = weighted_triangle(kernel.phi(), w);
  const ColumnMatrix M = root_nu.asDiagonal() * kernel.mu().to_dense();  // (S × d)
  const Eigen::HouseholderQR<ColumnMatrix> qr(M);
  const Index k = std::min(kernel.rank(), kernel.states());
  const ColumnMatrix Q2 = thin_q(qr, k);
  const Matrix R2 = qr.matrixQR().topRows(k).triangularView<Eigen::Upper>();  // (k × d)
  const SvdResult core = svd(Matrix(R1 * R2.transpose()), k, {.method = SpectralMethod::kDense});
  return {core.singular_values, Q2 * core.right};
}

// ‖K‖²_F, for what the leading triplets leave over.
double squared_norm(const Kernel& kernel, const Vector& w) {
  if (kernel.phi().is_sparse() && kernel.mu().is_sparse()) {
    const SparseMatrix P = kernel.sparse();  // P(s'|s,a) ν(s')
    double sum = 0;
    for (Index pair = 0; pair < P.rows(); ++pair)
      for (SparseMatrix::InnerIterator it(P, pair); it; ++it)
        sum += w[pair] * it.value() * it.value() / kernel.nu()[it.col()];
    return sum;
  }
  const Matrix R1 = weighted_triangle(kernel.phi(), w);
  const Matrix R2 = weighted_triangle(kernel.mu(), kernel.nu());
  return (R1 * R2.transpose()).squaredNorm();
}

double residual_of(const LinearOperator& K, const Spectrum& s) {
  double worst = 0;
  for (Index i = 0; i < s.values.size(); ++i) {
    const Vector v = s.right.col(i);
    worst = std::max(worst, (K.transpose_times(K.times(v)) - s.values[i] * s.values[i] * v).norm());
  }
  return s.values.size() > 0 && s.values[0] > 0 ? worst / s.values[0] : worst;
}

Spectrum compute(const Kernel& kernel, const Vector& w, const LinearOperator& K,
                 const KernelSvdOptions& options) {
  if (options.method == KernelSvdMethod::kFactors)
    return through_factors(kernel, w, kernel.nu().cwiseSqrt());
  const bool dense = options.method == KernelSvdMethod::kDense;
  if (!dense) {
    require((K.rows + K.cols) * (2 * options.top + 1) <= kLanczosVectors,
            "kernel_svd: too many triplets for a kernel of this size; ask for fewer", options.top);
  }
  const SpectralOptions how{.method = dense ? SpectralMethod::kDense : SpectralMethod::kLanczos};
  const SvdResult r = svd(K, dense ? kernel.states() : options.top, how);
  if (r.termination != Termination::kConverged)
    throw std::runtime_error("kernel_svd: the Lanczos iteration did not converge");
  return {r.singular_values, r.right};
}

}  // namespace

std::string_view to_string(KernelSvdMethod method) {
  switch (method) {
    case KernelSvdMethod::kAuto:
      return "auto";
    case KernelSvdMethod::kFactors:
      return "factors";
    case KernelSvdMethod::kDense:
      return "dense";
    case KernelSvdMethod::kLanczos:
      return "lanczos";
  }
  return "unknown";
}

KernelSvd kernel_svd(const Kernel& kernel, const Vector& pair_weights,
                     const KernelSvdOptions& options) {
  require(pair_weights.size() == kernel.pairs(), "kernel_svd: one weight per pair",
          pair_weights.size());
  require(pair_weights.allFinite() && pair_weights.minCoeff() >= 0 && pair_weights.sum() > 0,
          "kernel_svd: weights must be non-negative and not all zero");
  require(options.top >= 1, "kernel_svd: at least one triplet must be kept", options.top);
  KernelSvdOptions chosen = options;
  if (chosen.method == KernelSvdMethod::kAuto) chosen.method = choose(kernel);
  const Vector root_w = pair_weights.cwiseSqrt();
  const Vector root_nu = kernel.nu().cwiseSqrt();
  const LinearOperator K = weighted_operator(kernel, root_w, root_nu);
  Spectrum s = compute(kernel, pair_weights, K, chosen);

  KernelSvd out;
  out.method = chosen.method;
  out.complete = chosen.method != KernelSvdMethod::kLanczos || s.values.size() == kernel.states();
  out.rank = (s.values.array() > tol::kRank * s.values[0]).count();
  const Index kept = std::min(options.top, s.values.size());
  out.remainder = out.complete
                      ? s.values.tail(s.values.size() - kept).squaredNorm()
                      : std::max(0.0, squared_norm(kernel, pair_weights) - s.values.squaredNorm());
  s.values.conservativeResize(kept);
  s.right.conservativeResize(Eigen::NoChange, kept);
  out.residual = residual_of(K, s);
  out.right = root_nu.cwiseInverse().asDiagonal() * s.right;
  out.singular_values = std::move(s.values);
  return out;
}

Matrix left_functions(const Kernel& kernel, const KernelSvd& svd) {
  const Index k = std::min(svd.rank, svd.singular_values.size());
  Matrix f(kernel.pairs(), k);
  for (Index i = 0; i < k; ++i)
    f.col(i) = kernel.expectation(svd.right.col(i)) / svd.singular_values[i];
  return f;
}

double optimal_rank_error(const KernelSvd& svd, Index k) {
  const Index kept = svd.singular_values.size();
  require(0 <= k && k <= kept, "optimal_rank_error: k must not exceed the triplets kept", k);
  return std::sqrt(svd.singular_values.tail(kept - k).squaredNorm() + svd.remainder);
}

}  // namespace speder

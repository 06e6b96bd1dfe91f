#pragma once

#include <functional>

#include "speder/core/check.hpp"
#include "speder/core/eigen_instances.hpp"
#include "speder/core/tolerance.hpp"
#include "speder/core/types.hpp"

namespace speder {

/// The first columns of Q in X = QR; they span the columns of X when X has full rank.
[[nodiscard]] Eigen::MatrixXd thin_q(const Eigen::HouseholderQR<Eigen::MatrixXd>& qr,
                                     Index columns);

/// A linear map A (rows × cols) given by its products.
struct LinearOperator {
  Index rows = 0;
  Index cols = 0;
  std::function<Vector(const Vector&)> times;            // A x     (rows)
  std::function<Vector(const Vector&)> transpose_times;  // Aᵀ y    (cols); unused when symmetric
};
[[nodiscard]] LinearOperator as_operator(const Matrix& A);  // A must outlive it
[[nodiscard]] Matrix to_dense(const LinearOperator& A);

enum class SpectralMethod {
  kAuto,    // dense when small or when most of the spectrum is wanted
  kDense,   // Eigen: every pair, to rounding
  kLanczos  // Spectra: the leading pairs
};

struct SpectralOptions {
  SpectralMethod method = SpectralMethod::kAuto;
  double tolerance = tol::kRitz;  // ‖Ax − λx‖ ≤ tolerance · |λ| (Lanczos)
  int max_restarts = 1000;        // per Lanczos run
};

/// Algebraically largest eigenpairs of a symmetric operator, in descending order.
struct EigenResult {
  Vector values;        // (k)
  Matrix vectors;       // (n × k)  orthonormal columns; the largest entry of each is positive
  double residual = 0;  // max_i ‖A x_i − λ_i x_i‖₂
  Termination termination = Termination::kIterationLimit;
};
/// A Lanczos space built from one start vector can miss copies of a repeated eigenvalue. The pairs
/// found are therefore deflated and the rest is searched again, from a new start, until nothing
/// larger turns up. Start vectors are fixed: the result is a function of A.
[[nodiscard]] EigenResult largest_eigenpairs(const LinearOperator& A, Index k,
                                             const SpectralOptions& options = {});

/// Leading singular triplets: A ≈ ∑_i σ_i u_i v_iᵀ.
struct SvdResult {
  Matrix left;             // (rows × k)  u_i
  Vector singular_values;  // (k)         descending
  Matrix right;            // (cols × k)  v_i; the largest entry of each is positive
  double residual = 0;     // max_i ‖A v_i − σ_i u_i‖₂ ∨ ‖Aᵀ u_i − σ_i v_i‖₂
  Termination termination = Termination::kIterationLimit;
};
/// k is cut to min(rows, cols); fewer triplets may come back when the iteration limit is met. The
/// Lanczos route works on [0 A; Aᵀ 0], whose eigenvalues are ±σ_i: AᵀA would square the condition
/// number.
[[nodiscard]] SvdResult svd(const LinearOperator& A, Index k, const SpectralOptions& options = {});
[[nodiscard]] SvdResult svd(const Matrix& A, Index k, const SpectralOptions& options = {});

}  // namespace speder

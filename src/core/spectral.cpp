#include "speder/core/spectral.hpp"

#include <Spectra/SymEigsSolver.h>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "speder/core/rng.hpp"

namespace speder {
namespace {

using ColumnMatrix = Eigen::MatrixXd;
constexpr Index kSmall = 300;  // a dense eigenproblem of this size takes a few milliseconds

bool use_dense(SpectralMethod method, Index n, Index k) {
  if (method != SpectralMethod::kAuto) return method == SpectralMethod::kDense || k + 1 >= n;
  return n <= kSmall || 4 * k >= n;
}

// One sign per vector: its entry of largest modulus is positive.
double sign_of(const Eigen::Ref<const Vector>& x) {
  Index i = 0;
  x.cwiseAbs().maxCoeff(&i);
  return x[i] < 0 ? -1.0 : 1.0;
}

// A with the pairs found so far moved to −shift, where they are no longer the largest:
// (I − XXᵀ) A (I − XXᵀ) − shift XXᵀ.
struct DeflatedOperator {
  using Scalar = double;
  const LinearOperator& A;
  const ColumnMatrix& X;  // (n × j)  orthonormal
  double shift;
  [[nodiscard]] Index rows() const { return A.rows; }
  [[nodiscard]] Index cols() const { return A.rows; }
  void perform_op(const double* in, double* out) const {
    const Vector x = Eigen::Map<const Vector>(in, A.rows);
    const Vector c = X.transpose() * x;
    const Vector y = A.times(x - X * c);
    Eigen::Map<Vector>(out, A.rows) = y - X * (X.transpose() * y) - shift * (X * c);
  }
};

struct Ritz {
  Vector values;
  ColumnMatrix vectors;
  bool converged = false;
};

Ritz lanczos(const DeflatedOperator& A, Index k, std::uint64_t round, const SpectralOptions& o) {
  const Index n = A.rows();
  DeflatedOperator op = A;
  Spectra::SymEigsSolver<DeflatedOperator> solver(op, k,
                                                  std::min(n, std::max<Index>(2 * k + 1, 20)));
  Rng rng = SeedTree(0).stream("lanczos start", round);
  const Vector start = unit_vector(n, rng);
  solver.init(start.data());
  solver.compute(Spectra::SortRule::LargestAlge, o.max_restarts, o.tolerance);
  const bool converged = solver.info() == Spectra::CompInfo::Successful;
  return {solver.eigenvalues(), solver.eigenvectors(), converged};
}

// Rayleigh–Ritz on span(X): the best k pairs it holds.
Ritz rayleigh_ritz(const LinearOperator& A, const ColumnMatrix& X, Index k) {
  const ColumnMatrix Q = thin_q(Eigen::HouseholderQR<ColumnMatrix>(X), X.cols());
  ColumnMatrix AQ(Q.rows(), Q.cols());
  for (Index j = 0; j < Q.cols(); ++j) AQ.col(j) = A.times(Q.col(j));
  const Eigen::SelfAdjointEigenSolver<ColumnMatrix> eig(ColumnMatrix(Q.transpose() * AQ));
  k = std::min(k, Q.cols());
  return {eig.eigenvalues().reverse().head(k),
          Q * eig.eigenvectors().rowwise().reverse().leftCols(k), true};
}

ColumnMatrix beside(const ColumnMatrix& X, const ColumnMatrix& Y) {
  ColumnMatrix Z(X.rows(), X.cols() + Y.cols());
  Z << X, Y;
  return Z;
}

Ritz lanczos_with_deflation(const LinearOperator& A, Index k, const SpectralOptions& options) {
  Ritz found{Vector(0), ColumnMatrix(A.rows, 0), false};
  for (Index round = 0; round <= k; ++round) {
    const double shift = found.values.size() > 0 ? 3 * found.values.cwiseAbs().maxCoeff() : 0;
    const Index room = A.rows - found.vectors.cols() - 1;
    const Ritz more = lanczos({A, found.vectors, shift}, std::min(k, room),
                              static_cast<std::uint64_t>(round), options);
    if (!more.converged || more.values.size() == 0) return {found.values, found.vectors, false};
    const bool complete = found.values.size() == k;
    const double least = complete ? found.values.minCoeff() : 0;
    const double slack = complete ? options.tolerance * found.values.cwiseAbs().maxCoeff() : 0;
    if (complete && more.values.maxCoeff() <= least + slack)
      return {found.values, found.vectors, true};
    found = rayleigh_ritz(A, beside(found.vectors, more.vectors), k);
  }
  return {found.values, found.vectors, false};  // each round found something larger: cap reached
}

Ritz dense_eigenpairs(const Matrix& A, Index k) {
  const Eigen::SelfAdjointEigenSolver<ColumnMatrix> eig{ColumnMatrix(A)};
  return {eig.eigenvalues().reverse().head(k), eig.eigenvectors().rowwise().reverse().leftCols(k),
          eig.info() == Eigen::Success};
}

// [0 A; Aᵀ 0]                                              (rows + cols) × (rows + cols)
LinearOperator augmented(const LinearOperator& A) {
  const auto times = [&A](const Vector& x) {
    Vector y(A.rows + A.cols);
    y << A.times(x.tail(A.cols)), A.transpose_times(x.head(A.rows));
    return y;
  };
  return {A.rows + A.cols, A.rows + A.cols, times, times};
}

void finish(SvdResult& r, const LinearOperator& A) {
  for (Index i = 0; i < r.singular_values.size(); ++i) {
    const double sign = sign_of(r.right.col(i));
    r.left.col(i) *= sign;
    r.right.col(i) *= sign;
    const Vector u = r.left.col(i);
    const Vector v = r.right.col(i);
    const double sigma = r.singular_values[i];
    r.residual = std::max(
        {r.residual, (A.times(v) - sigma * u).norm(), (A.transpose_times(u) - sigma * v).norm()});
  }
}

SvdResult dense_svd(const Matrix& A, Index k) {
  const Eigen::BDCSVD<ColumnMatrix> svd(ColumnMatrix(A), Eigen::ComputeThinU | Eigen::ComputeThinV);
  return {svd.matrixU().leftCols(k), svd.singularValues().head(k), svd.matrixV().leftCols(k), 0,
          svd.info() == Eigen::Success ? Termination::kConverged : Termination::kIterationLimit};
}

// Right parts of the augmented eigenvectors span the wanted space; U and σ follow from A on it, so
// that both sides come out orthonormal even where σ vanishes.
SvdResult lanczos_svd(const LinearOperator& A, Index k, const SpectralOptions& options) {
  const Ritz ritz = lanczos_with_deflation(augmented(A), k, options);
  const ColumnMatrix right = ritz.vectors.bottomRows(A.cols);
  if (right.cols() == 0) return {Matrix(A.rows, 0), Vector(0), Matrix(A.cols, 0)};
  const ColumnMatrix Q = thin_q(Eigen::HouseholderQR<ColumnMatrix>(right), right.cols());
  Matrix AQ(A.rows, Q.cols());
  for (Index j = 0; j < Q.cols(); ++j) AQ.col(j) = A.times(Q.col(j));
  SvdResult r = dense_svd(AQ, std::min(A.rows, Q.cols()));
  r.right = Q * ColumnMatrix(r.right);
  r.termination = ritz.converged ? Termination::kConverged : Termination::kIterationLimit;
  return r;
}

}  // namespace

Eigen::MatrixXd thin_q(const Eigen::HouseholderQR<Eigen::MatrixXd>& qr, Index columns) {
  return qr.householderQ() * Eigen::MatrixXd::Identity(qr.rows(), columns);
}

LinearOperator as_operator(const Matrix& A) {
  return {A.rows(), A.cols(), [&A](const Vector& x) -> Vector { return A * x; },
          [&A](const Vector& y) -> Vector { return A.transpose() * y; }};
}

Matrix to_dense(const LinearOperator& A) {
  Matrix dense(A.rows, A.cols);
  for (Index j = 0; j < A.cols; ++j) dense.col(j) = A.times(Vector::Unit(A.cols, j));
  return dense;
}

EigenResult largest_eigenpairs(const LinearOperator& A, Index k, const SpectralOptions& options) {
  require(A.rows == A.cols && A.rows >= 1, "eigenpairs need a square operator", A.cols);
  require(k >= 1, "eigenpairs: at least one must be asked for", k);
  k = std::min(k, A.rows);
  const Ritz ritz = use_dense(options.method, A.rows, k) ? dense_eigenpairs(to_dense(A), k)
                                                         : lanczos_with_deflation(A, k, options);
  EigenResult r{ritz.values, ritz.vectors, 0,
                ritz.converged ? Termination::kConverged : Termination::kIterationLimit};
  for (Index i = 0; i < r.values.size(); ++i) {
    r.vectors.col(i) *= sign_of(r.vectors.col(i));
    const Vector x = r.vectors.col(i);
    r.residual = std::max(r.residual, (A.times(x) - r.values[i] * x).norm());
  }
  return r;
}

SvdResult svd(const LinearOperator& A, Index k, const SpectralOptions& options) {
  require(A.rows >= 1 && A.cols >= 1, "an SVD needs a non-empty operator", A.rows);
  require(k >= 1, "SVD: at least one triplet must be asked for", k);
  const Index least = std::min(A.rows, A.cols);
  k = std::min(k, least);
  SvdResult r =
      use_dense(options.method, least, k) ? dense_svd(to_dense(A), k) : lanczos_svd(A, k, options);
  finish(r, A);
  return r;
}

SvdResult svd(const Matrix& A, Index k, const SpectralOptions& options) {
  return svd(as_operator(A), k, options);
}

}  // namespace speder

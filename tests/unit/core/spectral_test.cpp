#include "speder/core/spectral.hpp"

#include <Eigen/QR>

#include "speder/core/eigen_instances.hpp"
#include "speder/core/rng.hpp"
#include "tests/catch.hpp"

namespace speder::spectral_test {
namespace {

const SeedTree kSeeds(5);
constexpr SpectralOptions kDense{.method = SpectralMethod::kDense};
constexpr SpectralOptions kLanczos{.method = SpectralMethod::kLanczos};
// Residuals and orthogonality of pairs of a unit-norm operator: kRitz plus dense rounding.
constexpr double kClose = 20 * tol::kRitz;

Matrix orthonormal(Index rows, Index cols, Rng& rng) {
  Matrix X(rows, cols);
  for (Index j = 0; j < cols; ++j) X.col(j) = unit_vector(rows, rng);
  return Eigen::HouseholderQR<Matrix>(X).householderQ() * Matrix::Identity(rows, cols);
}

Matrix with_spectrum(Index rows, Index cols, const Vector& sigma, Rng& rng) {
  const Matrix U = orthonormal(rows, sigma.size(), rng);
  const Matrix V = orthonormal(cols, sigma.size(), rng);
  return U * sigma.asDiagonal() * V.transpose();
}

double orthogonality(const Matrix& X) {
  return (X.transpose() * X - Matrix::Identity(X.cols(), X.cols())).cwiseAbs().maxCoeff();
}

}  // namespace

TEST_CASE("SVD of a planted spectrum, dense and Lanczos", "[spectral]") {
  const auto options = GENERATE(kDense, kLanczos);
  Rng rng = kSeeds.stream("planted");
  // Wide range: σ² of the last would be below the rounding of AᵀA.
  const Vector sigma{{1.0, 0.5, 0.3, 1e-3, 1e-6, 1e-9}};
  const auto [rows, cols] = GENERATE(table<Index, Index>({{60, 40}, {40, 60}, {400, 30}}));
  const Matrix A = with_spectrum(rows, cols, sigma, rng);
  const SvdResult r = svd(A, 6, options);
  CHECK(r.termination == Termination::kConverged);
  CHECK((r.singular_values - sigma).cwiseAbs().maxCoeff() <= kClose);
  CHECK(r.residual <= kClose);
  CHECK(orthogonality(r.left) <= kClose);
  CHECK(orthogonality(r.right) <= kClose);
  CHECK((r.left * r.singular_values.asDiagonal() * r.right.transpose() - A).norm() <= kClose);
}

TEST_CASE("Lanczos finds every copy of a repeated singular value", "[spectral]") {
  Rng rng = kSeeds.stream("repeated");
  Vector sigma = Vector::Constant(12, 0.25);
  sigma.head(7).setConstant(1);
  const Matrix A = with_spectrum(70, 50, sigma, rng);
  const SvdResult r = svd(A, 9, kLanczos);
  CHECK(r.termination == Termination::kConverged);
  CHECK((r.singular_values - sigma.head(9)).cwiseAbs().maxCoeff() <= kClose);
  CHECK(orthogonality(r.right) <= kClose);
}

TEST_CASE("more triplets than the rank: zeros, and both sides stay orthonormal", "[spectral]") {
  Rng rng = kSeeds.stream("deficient");
  const Matrix A = with_spectrum(40, 30, Vector{{1.0, 0.5}}, rng);
  const auto options = GENERATE(kDense, kLanczos);
  const SvdResult r = svd(A, 5, options);
  CHECK(r.singular_values.tail(3).maxCoeff() <= kClose);
  CHECK(orthogonality(r.left) <= kClose);
  CHECK(orthogonality(r.right) <= kClose);
  CHECK(r.residual <= kClose);
}

TEST_CASE("largest eigenpairs, with repeated and negative eigenvalues", "[spectral]") {
  Rng rng = kSeeds.stream("eigen");
  const Matrix Q = orthonormal(50, 50, rng);
  const double top = GENERATE(-0.1, 0.5);  // all negative; mixed signs, the top three equal
  Vector lambda = Vector::LinSpaced(50, -1.0, top);  // ascending
  if (top > 0) lambda.tail(3).setConstant(top);
  const Matrix A = Q * lambda.asDiagonal() * Q.transpose();
  for (const auto& options : {kDense, kLanczos}) {
    const EigenResult r = largest_eigenpairs(as_operator(A), 4, options);
    CHECK(r.termination == Termination::kConverged);
    CHECK((r.values - lambda.reverse().head(4)).cwiseAbs().maxCoeff() <= kClose);
    CHECK(r.residual <= kClose);
    CHECK(orthogonality(r.vectors) <= kClose);
  }
}

TEST_CASE("the same operator gives the same bits", "[spectral]") {
  Rng rng = kSeeds.stream("bits");
  const Matrix A = with_spectrum(60, 40, Vector::LinSpaced(20, 1.0, 0.1), rng);
  const SvdResult a = svd(A, 4, kLanczos);
  const SvdResult b = svd(A, 4, kLanczos);
  CHECK(a.left == b.left);
  CHECK(a.right == b.right);
}

TEST_CASE("a Lanczos run cut short says so", "[spectral]") {
  Rng rng = kSeeds.stream("cut");
  const Matrix A = with_spectrum(400, 300, Vector::LinSpaced(300, 1.0, 0.99), rng);
  SpectralOptions options = kLanczos;
  options.max_restarts = 1;
  CHECK(svd(A, 3, options).termination == Termination::kIterationLimit);
}

TEST_CASE("spectral routines refuse empty requests", "[spectral]") {
  const Matrix A = Matrix::Identity(3, 2);
  CHECK_THROWS_AS(svd(A, 0), std::invalid_argument);
  CHECK_THROWS_AS(largest_eigenpairs(as_operator(A), 1), std::invalid_argument);
}

}  // namespace speder::spectral_test

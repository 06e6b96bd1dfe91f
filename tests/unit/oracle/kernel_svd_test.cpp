#include "speder/oracle/kernel_svd.hpp"

#include <Eigen/SVD>

#include "speder/core/eigen_instances.hpp"
#include "speder/core/tolerance.hpp"
#include "speder/mdp/families/families.hpp"
#include "tests/catch.hpp"
#include "tests/support/random_mdp.hpp"

namespace speder::kernel_svd_test {
namespace {

using test::Shape;
const SeedTree kSeeds(33);
// Two factorisations of one matrix of norm about one, and Lanczos pairs: kRitz and rounding.
constexpr double kClose = 20 * tol::kRitz;

Vector random_weights(Index n, Rng& rng) { return dirichlet(n, 1, rng); }

// K = √w P √ν from the dense table of probabilities Pν.
Eigen::MatrixXd weighted_table(const Kernel& kernel, const Vector& w) {
  return w.cwiseSqrt().asDiagonal() * Eigen::MatrixXd(kernel.dense()) *
         kernel.nu().cwiseSqrt().cwiseInverse().asDiagonal();
}

Kernel kernel_of(int kind, const Shape& shape, Rng& rng) {
  if (kind == 0) return test::simplex_kernel(shape, rng);
  if (kind == 1) return test::sparse_kernel(shape, 3, rng);
  return test::signed_kernel(shape, rng);
}

}  // namespace

TEST_CASE("SVD through the factors, dense and by Lanczos agree with Eigen on the table",
          "[oracle][svd]") {
  const int kind = GENERATE(0, 1, 2);
  Rng rng = kSeeds.stream("agree", static_cast<std::uint64_t>(kind));
  const Kernel kernel = kernel_of(kind, {.states = 25, .actions = 3, .rank = 6}, rng);
  Vector w = random_weights(kernel.pairs(), rng);
  w.head(5).setZero();  // pairs never visited
  const Eigen::MatrixXd K = weighted_table(kernel, w);
  const Vector sigma = Eigen::JacobiSVD<Eigen::MatrixXd>(K).singularValues();
  for (const auto method :
       {KernelSvdMethod::kFactors, KernelSvdMethod::kDense, KernelSvdMethod::kLanczos}) {
    const KernelSvd svd = kernel_svd(kernel, w, {.method = method, .top = 4});
    CAPTURE(to_string(method));
    CHECK((svd.singular_values - sigma.head(4)).cwiseAbs().maxCoeff() <= kClose);
    CHECK(svd.residual <= kClose);
    // Eckart–Young: tail of the whole spectrum, whether or not it was computed.
    for (Index k = 0; k <= 4; ++k)
      CHECK_THAT(optimal_rank_error(svd, k) * optimal_rank_error(svd, k),
                 WithinAbs(sigma.tail(25 - k).squaredNorm(), kClose));
    // g orthonormal in L₂(ν), f orthonormal in L₂(w).
    const Matrix g = svd.right;
    const Matrix f = left_functions(kernel, svd);
    CHECK((g.transpose() * kernel.nu().asDiagonal() * g - Matrix::Identity(4, 4)).norm() <= kClose);
    CHECK((f.transpose() * w.asDiagonal() * f - Matrix::Identity(4, 4)).norm() <=
          kClose / svd.singular_values[3]);
  }
}

TEST_CASE("∑ σ f g rebuilds the density at full rank, unvisited pairs included", "[oracle][svd]") {
  Rng rng = kSeeds.stream("rebuild");
  const Kernel kernel = test::simplex_kernel({.states = 14, .actions = 2, .rank = 3}, rng);
  Vector w = random_weights(kernel.pairs(), rng);
  w.head(3).setZero();
  const KernelSvd svd = kernel_svd(kernel, w);
  REQUIRE(svd.rank == 3);
  const Matrix f = left_functions(kernel, svd);
  const Matrix P = f * svd.singular_values.head(3).asDiagonal() *
                   svd.right.leftCols(3).transpose() * kernel.nu().asDiagonal();
  CHECK((P - kernel.dense()).cwiseAbs().maxCoeff() <= kClose);
}

TEST_CASE("hand-made spectrum: two latents that never meet", "[oracle][svd]") {
  // ν = 1, four states, one action, w = 1/4. States 0,1 go to {0,1} evenly, 2,3 to {2,3} with
  // (0.9, 0.1): K is block-diagonal with rank-one blocks ½·𝟙₂ pᵀ, so σ = ½·√2·‖p‖.
  Matrix phi(4, 2);
  phi << 1, 0, 1, 0, 0, 1, 0, 1;
  Matrix mu = Matrix::Zero(4, 2);
  mu.col(0).head(2).setConstant(0.5);
  mu(2, 1) = 0.9;
  mu(3, 1) = 0.1;
  const Kernel kernel(1, phi, mu, Vector::Ones(4));
  const KernelSvd svd = kernel_svd(kernel, Vector::Constant(4, 0.25));
  const double first = std::sqrt(0.5 * 0.82);
  const double second = std::sqrt(0.5 * 0.5);
  CHECK(svd.rank == 2);
  CHECK_THAT(svd.singular_values[0], WithinAbs(first, kClose));
  CHECK_THAT(svd.singular_values[1], WithinAbs(second, kClose));
  CHECK_THAT(optimal_rank_error(svd, 1), WithinAbs(second, kClose));
  CHECK_THAT(optimal_rank_error(svd, 2), WithinAbs(0, kClose));
}

TEST_CASE("no rank-k table is closer than the optimal error (Eckart–Young)", "[oracle][svd]") {
  Rng rng = kSeeds.stream("eckart-young");
  const Kernel kernel = test::simplex_kernel({.states = 10, .actions = 2, .rank = 5}, rng);
  const Vector w = random_weights(kernel.pairs(), rng);
  const Eigen::MatrixXd K = weighted_table(kernel, w);
  const double best = optimal_rank_error(kernel_svd(kernel, w), 2);
  for (int trial = 0; trial < 200; ++trial) {  // best table with a random right space
    Eigen::MatrixXd V(10, 2);
    for (Index j = 0; j < 2; ++j) V.col(j) = unit_vector(10, rng);
    const Eigen::MatrixXd Q =
        Eigen::HouseholderQR<Eigen::MatrixXd>(V).householderQ() * Eigen::MatrixXd::Identity(10, 2);
    CHECK((K - K * Q * Q.transpose()).norm() >= best - kClose);
  }
}

TEST_CASE("the base measure belongs to the geometry", "[oracle][svd]") {
  // The same probabilities under ν and under counting measure: densities differ, so do the σ.
  Rng rng = kSeeds.stream("nu");
  const Kernel kernel = test::simplex_kernel({.states = 9, .actions = 2, .rank = 3}, rng);
  const Kernel counting(2, kernel.phi(), Matrix(kernel.nu().asDiagonal() * kernel.mu().dense()),
                        Vector::Ones(9));
  const Vector w = random_weights(kernel.pairs(), rng);
  CHECK((kernel.dense() - counting.dense()).norm() <= kClose);
  CHECK((kernel_svd(kernel, w).singular_values - kernel_svd(counting, w).singular_values).norm() >
        1e-3);
  // Scaling ν by c and P by 1/c scales K by 1/√c.
  const Kernel scaled(2, Matrix(kernel.phi().dense() / 4), kernel.mu(), Vector(kernel.nu() * 4));
  CHECK(
      (kernel_svd(scaled, w).singular_values * 2 - kernel_svd(kernel, w).singular_values).norm() <=
      kClose);
}

TEST_CASE("garnet and deep-sea: the Lanczos route finds repeated singular values",
          "[oracle][svd]") {
  const auto name = GENERATE(as<std::string>{}, "garnet", "deepsea");
  const TabularMdp mdp = generate({.family = name, .seed = 3});
  const Vector w = Vector::Constant(mdp.pairs(), 1.0 / static_cast<double>(mdp.pairs()));
  const KernelSvd dense =
      kernel_svd(mdp.kernel(), w, {.method = KernelSvdMethod::kDense, .top = 8});
  const KernelSvd krylov =
      kernel_svd(mdp.kernel(), w, {.method = KernelSvdMethod::kLanczos, .top = 8});
  CHECK((dense.singular_values - krylov.singular_values).cwiseAbs().maxCoeff() <= kClose);
  CHECK_THAT(dense.remainder, WithinAbs(krylov.remainder, kClose));
}

TEST_CASE("kernel SVD refuses bad weights", "[oracle][svd]") {
  const TabularMdp mdp = test::two_state(0.3, 0.9);
  CHECK_THROWS_AS(kernel_svd(mdp.kernel(), Vector::Ones(3)), std::invalid_argument);
  CHECK_THROWS_AS(kernel_svd(mdp.kernel(), Vector::Zero(4)), std::invalid_argument);
  CHECK_THROWS_AS(kernel_svd(mdp.kernel(), -Vector::Ones(4)), std::invalid_argument);
  CHECK_THROWS_AS(kernel_svd(mdp.kernel(), Vector::Ones(4), {.top = 0}), std::invalid_argument);
}

}  // namespace speder::kernel_svd_test

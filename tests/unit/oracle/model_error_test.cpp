#include "speder/oracle/model_error.hpp"

#include <cmath>

#include "speder/core/eigen_instances.hpp"
#include "speder/core/tolerance.hpp"
#include "speder/oracle/weighted_triangle.hpp"
#include "tests/catch.hpp"
#include "tests/support/random_mdp.hpp"

namespace speder::model_error_test {
namespace {

using test::Shape;
const SeedTree kSeeds(41);
constexpr double kClose = 1e-12;  // sums of a few thousand products of order one

struct Pair {
  Kernel truth;
  Kernel model;  // same ν, another rank
  Vector weights;
};

Pair random_pair(int kind, Rng& rng) {
  const Shape shape{.states = 13, .actions = 3, .rank = 4};
  Kernel truth = kind == 0   ? test::simplex_kernel(shape, rng)
                 : kind == 1 ? test::sparse_kernel(shape, 3, rng)
                             : test::signed_kernel(shape, rng);
  const Kernel other = test::simplex_kernel({.states = 13, .actions = 3, .rank = 6}, rng);
  // Densities for the truth's ν: μ̂ ν̂ / ν.
  const Matrix mu = other.nu().cwiseQuotient(truth.nu()).asDiagonal() * other.mu().dense();
  Kernel model(3, other.phi(), mu, truth.nu());
  Vector weights = dirichlet(39, 1, rng);
  weights[4] = 0;
  return {std::move(truth), std::move(model), weights};
}

}  // namespace

TEST_CASE("model errors against dense brute force", "[oracle][model-error]") {
  const int kind = GENERATE(0, 1, 2);
  Rng rng = kSeeds.stream("brute", static_cast<std::uint64_t>(kind));
  const auto [truth, model, w] = random_pair(kind, rng);
  const Matrix p = truth.dense();  // probabilities
  const Matrix q = model.dense();
  double l1 = 0, l1_squared = 0, l2 = 0, kl = 0;
  for (Index i = 0; i < 39; ++i) {
    double row = 0;
    for (Index s = 0; s < 13; ++s) {
      const double nu = truth.nu()[s];
      row += std::abs(p(i, s) - q(i, s));
      l2 += w[i] * std::pow(p(i, s) / nu - q(i, s) / nu, 2) * nu;  // densities, integrated over ν
      if (p(i, s) > 0) kl += w[i] * p(i, s) * std::log(p(i, s) / q(i, s));
    }
    l1 += w[i] * row;
    l1_squared += w[i] * row * row;
  }
  const RowErrors rows = row_errors(truth, model, w);
  CHECK_THAT(rows.l1, WithinAbs(l1, kClose));
  CHECK_THAT(rows.l1_squared, WithinAbs(l1_squared, kClose));
  CHECK_THAT(rows.l2_squared, WithinAbs(l2, kClose));
  CHECK_THAT(rows.kl, WithinAbs(kl, kClose));
  CHECK_THAT(l2_error_squared(truth, model, w), WithinAbs(l2, kClose));
  CHECK(rows.l1 * rows.l1 <= rows.l1_squared + kClose);  // Jensen
  CHECK(rows.l1_squared <= 2 * rows.kl + kClose);        // Pinsker
}

TEST_CASE("a kernel has no error against itself, whatever its factors", "[oracle][model-error]") {
  Rng rng = kSeeds.stream("self");
  const Kernel truth = test::signed_kernel({.states = 13, .actions = 3, .rank = 4}, rng);
  Matrix T = Matrix::Identity(4, 4);
  T(0, 1) = 3;
  const Kernel same(3, Matrix(truth.phi().dense() * T),
                    Matrix(truth.mu().dense() * T.inverse().transpose()), truth.nu());
  const Vector w = Vector::Constant(39, 1.0 / 39);
  // The root of the factored form is accurate to rounding: its square is at the level of ε².
  CHECK(l2_error_squared(truth, same, w) <= 1e-26);
  CHECK(row_errors(truth, same, w).l1 <= kClose);
  CHECK(row_errors(truth, same, w).kl <= kClose);
}

TEST_CASE("a small difference is not lost to cancellation", "[oracle][model-error]") {
  // P̂ = (1−t)P + tR: the error is exactly t²‖R − P‖².
  Rng rng = kSeeds.stream("small");
  const auto [truth, other, w] = random_pair(0, rng);
  const double t = 1e-9;
  Matrix phi(39, 10);
  phi << (1 - t) * truth.phi().dense(), t * other.phi().dense();
  Matrix mu(13, 10);
  mu << truth.mu().dense(), other.mu().dense();
  const Kernel mixed(3, phi, mu, truth.nu());
  const double whole = l2_error_squared(truth, other, w);
  CHECK(l2_error_squared(truth, mixed, w) == Approx(t * t * whole).epsilon(1e-5));
}

TEST_CASE("KL is infinite when the model misses a successor, and only then",
          "[oracle][model-error]") {
  const TabularMdp mdp = test::two_state(0.5, 0.9);
  Matrix phi(4, 2);
  phi << 1, 0, 1, 0, 0, 1, 0, 1;  // action 1 never changes state
  const Kernel model(2, phi, Matrix(Matrix::Identity(2, 2)), Vector::Ones(2));
  CHECK(std::isinf(row_errors(mdp.kernel(), model, Vector::Constant(4, 0.25)).kl));
  CHECK(row_errors(mdp.kernel(), model, Vector{{0.5, 0.0, 0.5, 0.0}}).kl == 0);  // unweighted rows
  CHECK_THAT(row_errors(model, mdp.kernel(), Vector{{0.0, 1.0, 0.0, 0.0}}).kl,
             WithinAbs(std::log(2.0), kClose));
  CHECK(row_errors(mdp.kernel(), model, Vector::Constant(4, 0.25)).largest_l1 == 1);
}

TEST_CASE("model errors refuse kernels of different spaces", "[oracle][model-error]") {
  Rng rng = kSeeds.stream("refuse");
  const Kernel a = test::simplex_kernel({.states = 4, .actions = 2, .rank = 2}, rng);
  const Kernel b = test::simplex_kernel({.states = 5, .actions = 2, .rank = 2}, rng);
  const Kernel c = test::simplex_kernel({.states = 4, .actions = 2, .rank = 2}, rng);  // other ν
  CHECK_THROWS_AS(l2_error_squared(a, b, Vector::Ones(8)), std::invalid_argument);
  CHECK_THROWS_AS(row_errors(a, c, Vector::Ones(8)), std::invalid_argument);
  CHECK_THROWS_AS(row_errors(a, a, Vector::Ones(7)), std::invalid_argument);
}

TEST_CASE("weighted triangle: RᵀR is the Gram matrix, over several blocks",
          "[oracle][model-error]") {
  Rng rng = kSeeds.stream("triangle");
  Matrix F(1000, 3);
  for (Index i = 0; i < 1000; ++i) F.row(i) = unit_vector(3, rng).transpose();
  const Vector w = dirichlet(1000, 1, rng);
  const Matrix gram = F.transpose() * w.asDiagonal() * F;
  for (const Factor& factor : {Factor(F), Factor(SparseMatrix(F.sparseView()))}) {
    const Matrix R = weighted_triangle(factor, w);
    CHECK((R.transpose() * R - gram).norm() <= kClose);
  }
  // Fewer rows than columns.
  const Matrix wide = F.topRows(2);
  const Matrix R = weighted_triangle(Factor(wide), w.head(2));
  CHECK((R.transpose() * R - wide.transpose() * w.head(2).asDiagonal() * wide).norm() <= kClose);
}

}  // namespace speder::model_error_test

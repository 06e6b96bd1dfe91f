#include "speder/oracle/coverage.hpp"

#include "speder/core/tolerance.hpp"
#include "tests/catch.hpp"
#include "tests/support/random_mdp.hpp"

namespace speder::coverage_test {
namespace {

const SeedTree kSeeds(90);
constexpr double kClose = tol::kLinearSolve;

double quotient(const Matrix& phi, const Vector& target, const Vector& behaviour, const Vector& x) {
  const Vector y = (phi * x).cwiseAbs2();
  return target.dot(y) / behaviour.dot(y);
}

Matrix gaussian(Index rows, Index cols, Rng& rng) {
  Matrix X(rows, cols);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j) X(i, j) = rng.normal();
  return X;
}

}  // namespace

TEST_CASE("C*: diagonal case solved by hand, dense and one-hot", "[oracle][coverage]") {
  // φ = e₁, e₂, e₁: forms diag(0.2 + 0.3, 0.5) and diag(0.5 + 0.3, 0.2): ratios 0.625 and 2.5.
  Matrix phi(3, 2);
  phi << 1, 0, 0, 1, 1, 0;
  const Vector target{{0.2, 0.5, 0.3}};
  const Vector behaviour{{0.5, 0.2, 0.3}};
  for (const Factor& factor : {Factor(phi), Factor(SparseMatrix(phi.sparseView()))}) {
    const RelativeCondition c = relative_condition(factor, target, behaviour);
    CHECK_THAT(c.value, WithinAbs(2.5, kClose));
    CHECK_THAT(std::abs(c.direction[1]), WithinAbs(1, kClose));
    CHECK(c.target_rank == 2);
    CHECK(c.behaviour_rank == 2);
  }
}

TEST_CASE("C*: the supremum is attained and no random direction beats it", "[oracle][coverage]") {
  const int instance = GENERATE(range(0, 10));
  Rng rng = kSeeds.stream("sup", static_cast<std::uint64_t>(instance));
  const Matrix phi = gaussian(30, 4, rng);
  const Vector target = dirichlet(30, 0.3, rng);
  const Vector behaviour = dirichlet(30, 1, rng);
  const RelativeCondition c = relative_condition(phi, target, behaviour);
  CHECK(quotient(phi, target, behaviour, c.direction) == Approx(c.value).epsilon(kClose));
  double best = 0;
  for (int i = 0; i < 2000; ++i) {
    Vector x = unit_vector(4, rng);
    if (i % 2 == 0) x = c.direction + 0.02 * x;  // near the maximiser too
    best = std::max(best, quotient(phi, target, behaviour, x));
  }
  CHECK(best <= c.value * (1 + kClose));
  CHECK(best >= c.value * 0.99);  // ε = 0.02: the quotient is flat to second order
}

TEST_CASE("C*: invariant under a change of features", "[oracle][coverage]") {
  Rng rng = kSeeds.stream("invariant");
  const Matrix phi = gaussian(30, 4, rng);
  const Matrix T = gaussian(4, 4, rng);
  const Vector target = dirichlet(30, 1, rng);
  const Vector behaviour = dirichlet(30, 1, rng);
  const double c = relative_condition(phi, target, behaviour).value;
  CHECK(relative_condition(Matrix(phi * T), target, behaviour).value == Approx(c).epsilon(1e-8));
  CHECK(relative_condition(phi, behaviour, behaviour).value == Approx(1).epsilon(kClose));
}

TEST_CASE("C*: infinite when the target goes where the behaviour never does",
          "[oracle][coverage]") {
  Rng rng = kSeeds.stream("infinite");
  Matrix phi = gaussian(10, 3, rng);
  phi.bottomRows(5).col(2).setZero();  // the behaviour sees only rows 5.., so never feature 2
  Vector target = Vector::Constant(10, 0.1);
  Vector behaviour = Vector::Zero(10);
  behaviour.tail(5).setConstant(0.2);
  const RelativeCondition c = relative_condition(phi, target, behaviour);
  CHECK(std::isinf(c.value));
  CHECK_THAT(std::abs(c.direction[2]), WithinAbs(1, kClose));
  CHECK(c.behaviour_rank == 2);
  CHECK(c.target_rank == 3);
  // When the target does not go there either, the direction is 0/0 and drops out.
  target = Vector::Zero(10);
  target.tail(5) = dirichlet(5, 1, rng);
  const RelativeCondition finite = relative_condition(phi, target, behaviour);
  const RelativeCondition reduced = relative_condition(Matrix(phi.leftCols(2)), target, behaviour);
  CHECK(finite.value == Approx(reduced.value).epsilon(kClose));
  CHECK(finite.behaviour_rank == 2);
  CHECK(finite.target_rank == 2);
}

TEST_CASE("C*: one-hot features, infinite and absent", "[oracle][coverage]") {
  const SparseMatrix phi = Matrix(Matrix::Identity(3, 3)).sparseView();
  CHECK(
      std::isinf(relative_condition(phi, Vector{{0.5, 0.5, 0.0}}, Vector{{1.0, 0.0, 0.0}}).value));
  const RelativeCondition c =
      relative_condition(phi, Vector{{0.5, 0.5, 0.0}}, Vector{{0.75, 0.25, 0.0}});
  CHECK_THAT(c.value, WithinAbs(2, kClose));
  CHECK(c.direction[1] == 1);
}

TEST_CASE("C*: weak coverage is not mistaken for none", "[oracle][coverage]") {
  // √(10⁻¹⁶) = 10⁻⁸ of the largest direction: far below what a Gram matrix could resolve at 10⁻¹⁰
  // of σ₁², well above tol::kRank on the square roots.
  const Factor phi(Matrix(Matrix::Identity(2, 2)));
  const double eps = 1e-16;
  const RelativeCondition c = relative_condition(phi, Vector{{0.5, 0.5}}, Vector{{1 - eps, eps}});
  CHECK(c.value == Approx(0.5 / eps).epsilon(1e-6));
}

TEST_CASE("ω: three readings of the paper, support and infinity", "[oracle][coverage]") {
  Matrix table(2, 2);
  table << 0.25, 0.75, 0.9, 0.1;
  const Policy behaviour = Policy::stochastic(std::move(table));
  const BehaviourConcentration all = behaviour_concentration(behaviour);
  CHECK_THAT(all.max_inverse, WithinAbs(10, kClose));
  CHECK_THAT(all.min_inverse, WithinAbs(1 / 0.9, kClose));
  CHECK_THAT(all.max_probability, WithinAbs(0.9, kClose));
  CHECK_THAT(behaviour_concentration(behaviour, Vector{{1.0, 0.0}}).max_inverse,
             WithinAbs(4, kClose));
  CHECK(std::isinf(behaviour_concentration(Policy::deterministic({0, 1}, 2)).max_inverse));
}

}  // namespace speder::coverage_test

#include "speder/learning/bonus.hpp"

#include <Eigen/LU>
#include <cmath>

#include "speder/core/check.hpp"
#include "speder/core/eigen_instances.hpp"
#include "speder/core/tolerance.hpp"
#include "tests/catch.hpp"
#include "tests/support/random_mdp.hpp"

using namespace speder;
using Catch::Matchers::Contains;

namespace bonus_test {
namespace {

const SeedTree kSeeds(23);

Matrix features(Rng& rng) { return test::simplex_kernel({9, 3, 4}, rng).phi().to_dense(); }

}  // namespace

TEST_CASE("EllipticalBonus: rank-one updates equal the sum taken directly", "[learning][bonus]") {
  Rng rng = kSeeds.stream("bonus");
  const Matrix Phi = features(rng);
  EllipticalBonus updated(Phi.rows(), Phi.cols());
  updated.set_features(Phi);
  Matrix direct = Matrix::Zero(4, 4);
  for (int i = 0; i < 500; ++i) {
    const Index x = rng.index(Phi.rows());
    updated.visit(x);
    direct += Phi.row(x).transpose() * Phi.row(x);
  }
  const double lambda = 2.5;
  const Matrix Sigma = direct + lambda * Matrix::Identity(4, 4);
  CHECK((updated.covariance(lambda) - Sigma).cwiseAbs().maxCoeff() <= 500 * 4 * tol::kUnit * 500);
  // b by the inverse, another route than the Cholesky factor.
  const Matrix inverse = Sigma.inverse();
  const Vector& bonus = updated.bonus(3.0, lambda);
  for (Index x = 0; x < Phi.rows(); ++x) {
    const double wanted = 3 * std::sqrt((Phi.row(x) * inverse).dot(Phi.row(x)));
    CHECK_THAT(bonus[x], WithinAbs(wanted, tol::kLinearSolve));
  }
}

TEST_CASE("EllipticalBonus: changing the features keeps the visits", "[learning][bonus]") {
  Rng rng = kSeeds.stream("change");
  const Matrix old = features(rng);
  const Matrix fresh = features(rng);
  EllipticalBonus changed(old.rows(), 4);
  EllipticalBonus straight(old.rows(), 4);
  changed.set_features(old);
  straight.set_features(fresh);
  for (int i = 0; i < 100; ++i) {
    const Index x = rng.index(old.rows());
    changed.visit(x);
    straight.visit(x);
  }
  changed.set_features(fresh);
  changed.visit(5, 3);
  straight.visit(5, 3);
  CHECK(changed.counts() == straight.counts());
  CHECK((changed.covariance(1) - straight.covariance(1)).cwiseAbs().maxCoeff() <=
        tol::kLinearSolve);
}

TEST_CASE("EllipticalBonus: one feature, by hand", "[learning][bonus]") {
  // d = 1, φ = (1, ½), three visits of pair 0: Σ̂ = 3 + λ = 4; b = α(½, ¼).
  Matrix Phi(2, 1);
  Phi << 1, 0.5;
  EllipticalBonus b(2, 1);
  b.set_features(Phi);
  b.visit(0, 3);
  CHECK(b.bonus(8, 1)[0] == 4);
  CHECK(b.bonus(8, 1)[1] == 2);
  CHECK_THROWS_WITH(b.bonus(8, 0), Contains("λ must be positive"));
  CHECK_THROWS_WITH(b.set_features(Matrix::Ones(3, 1)), Contains("|S||A|"));
}

TEST_CASE("BonusSchedule: the formulas as in the paper, with their constants",
          "[learning][bonus]") {
  const BonusSchedule online{{0.5, 3}, 4, 1000, 0.1, 0.9, 5};
  // ζ = log(10⁴)/n, λ = 3·4·log(10⁴ n), α = ½·4·√(5 log 10⁴)/0.1: constant in n.
  const double L = std::log(1e4);
  CHECK_THAT(online.zeta(50), WithinRel(L / 50, 1e-14));
  CHECK_THAT(online.lambda(50), WithinRel(12 * std::log(5e5), 1e-14));
  CHECK_THAT(online.alpha(50), WithinRel(20 * std::sqrt(5 * L), 1e-14));
  CHECK_THAT(online.alpha(5000), WithinRel(online.alpha(50), 1e-14));
  CHECK(bonus_constants("theory").alpha == 1);
  CHECK(bonus_constants("tuned").alpha == kTunedAlpha);
  CHECK(bonus_constants("none").alpha == 0);
  CHECK_THROWS_WITH(bonus_constants("big"), Contains("theory, tuned or none"));
}

}  // namespace bonus_test

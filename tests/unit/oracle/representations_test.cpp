#include "speder/oracle/representations.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/SVD>

#include "speder/core/eigen_instances.hpp"
#include "speder/core/tolerance.hpp"
#include "speder/oracle/linear_fit.hpp"
#include "tests/catch.hpp"
#include "tests/support/random_mdp.hpp"

namespace speder::representations_test {
namespace {

using test::Shape;
using Dense = Eigen::MatrixXd;
const SeedTree kSeeds(77);
constexpr Shape kShape{.states = 11, .actions = 3, .rank = 4};
constexpr double kClose = tol::kLinearSolve;

struct Setting {
  TabularMdp mdp;
  Policy policy;
  Dense P;         // (S × S)  P^π from the dense table, entry by entry
  Vector weights;  // (S)
};

Setting make(const char* stream, bool equal_weights) {
  Rng rng = kSeeds.stream(stream);
  Setting s{test::random_mdp(kShape, 0.9, rng), test::random_policy(kShape, rng),
            Dense::Zero(kShape.states, kShape.states), Vector::Ones(kShape.states)};
  const Matrix table = s.mdp.kernel().dense();
  for (Index i = 0; i < kShape.states; ++i)
    for (Index a = 0; a < kShape.actions; ++a)
      s.P.row(i) += s.policy.probability(i, a) * table.row(pair_index(i, a, kShape.actions));
  if (!equal_weights) s.weights = dirichlet(kShape.states, 3, rng);
  return s;
}

// Sine of the largest angle between two column spaces of one dimension, in L₂(w).
double space_distance(const Dense& X, const Dense& Y, const Vector& w) {
  const Dense root = w.cwiseSqrt().asDiagonal();
  const Dense QX =
      Eigen::HouseholderQR<Dense>(root * X).householderQ() * Dense::Identity(X.rows(), X.cols());
  const Dense QY =
      Eigen::HouseholderQR<Dense>(root * Y).householderQ() * Dense::Identity(Y.rows(), Y.cols());
  return (QX - QY * (QY.transpose() * QX)).norm();
}

void check_orthonormal(const Matrix& f, const Vector& w) {
  CHECK((f.transpose() * w.asDiagonal() * f - Matrix::Identity(f.cols(), f.cols())).norm() <=
        kClose);
}

// √w X √w⁻¹, brute force.
Dense on_weights(const Dense& X, const Vector& w) {
  return w.cwiseSqrt().asDiagonal() * X * w.cwiseSqrt().cwiseInverse().asDiagonal();
}

}  // namespace

TEST_CASE("P^π and its resolvent against dense algebra", "[oracle][table1]") {
  const Setting s = make("dynamics", true);
  const StateDynamics dynamics(s.mdp.kernel(), s.policy);
  CHECK((Dense(dynamics.dense()) - s.P).cwiseAbs().maxCoeff() <= kClose);
  const Dense I = Dense::Identity(11, 11);
  const Dense Psi = (I - 0.9 * s.P).inverse();
  const Resolvent resolvent(dynamics, 0.9);
  Rng rng = kSeeds.stream("vector");
  const Vector x = unit_vector(11, rng);
  CHECK((dynamics.times(x) - s.P * x).norm() <= kClose);
  CHECK((dynamics.transpose_times(x) - s.P.transpose() * x).norm() <= kClose);
  CHECK((resolvent.times(x) - Psi * x).norm() <= kClose);
  CHECK((resolvent.transpose_times(x) - Psi.transpose() * x).norm() <= kClose);
}

TEST_CASE("the resolvent of a full-rank kernel goes through |S| × |S|", "[oracle][table1]") {
  const TabularMdp mdp = test::two_state(0.3, 0.8);  // d = S = 2
  const StateDynamics dynamics(mdp.kernel(), Policy::deterministic({1, 1}, 2));
  const Resolvent resolvent(dynamics, 0.8);
  const Vector x{{0.0, 1.0}};
  // V = x + γPV, P = [[.7,.3],[.3,.7]]: sums are 1/(1−γ) = 5, differences 1/(1 − 0.4γ) = 1/0.68.
  const Vector V = resolvent.times(x);
  CHECK_THAT(V.sum(), WithinAbs(5, kClose));
  CHECK_THAT(V[1] - V[0], WithinAbs(1 / 0.68, kClose));
}

TEST_CASE("Table 1, successor features: left space of svd((I − γP^π)⁻¹)", "[oracle][table1]") {
  const Setting s = make("successor", GENERATE(true, false));
  const StateDynamics dynamics(s.mdp.kernel(), s.policy);
  const Dense Psi = (Dense::Identity(11, 11) - 0.9 * s.P).inverse();
  const Eigen::JacobiSVD<Dense> svd(on_weights(Psi, s.weights), Eigen::ComputeFullU);
  const Dense expected =
      s.weights.cwiseSqrt().cwiseInverse().asDiagonal() * svd.matrixU().leftCols(3);
  const Matrix f = successor_features(dynamics, 0.9, s.weights, 3);
  REQUIRE(f.cols() == 3);
  CHECK(space_distance(f, expected, s.weights) <= kClose);
  check_orthonormal(f, s.weights);
}

TEST_CASE("Table 1, proto-value functions: eig(ΛP^π + P^πᵀΛ), largest first", "[oracle][table1]") {
  const Setting s = make("proto", GENERATE(true, false));
  const StateDynamics dynamics(s.mdp.kernel(), s.policy);
  const Dense L = s.weights.asDiagonal() * s.P;
  const Eigen::SelfAdjointEigenSolver<Dense> eig(L + L.transpose());
  const Matrix f = proto_value_functions(dynamics, s.weights, 3);
  for (Index i = 0; i < 3; ++i) {
    const double lambda = eig.eigenvalues()[10 - i];
    CHECK(((L + L.transpose()) * f.col(i) - lambda * f.col(i)).norm() <= kClose);
  }
  check_orthonormal(f, Vector::Ones(11));
}

TEST_CASE("Table 1, Krylov basis: span of (P^π)^i r^π, i = 1, …, k as printed",
          "[oracle][table1]") {
  const Setting s = make("krylov", GENERATE(true, false));
  const StateDynamics dynamics(s.mdp.kernel(), s.policy);
  const Vector r = s.policy.average(s.mdp.reward());
  Dense powers(11, 3);
  powers.col(0) = s.P * r;
  powers.col(1) = s.P * powers.col(0);
  powers.col(2) = s.P * powers.col(1);
  // Powers line up with the top eigenvector: the third is judged by the conditioning they leave.
  const double condition = Eigen::JacobiSVD<Dense>(powers).singularValues()[0] /
                           Eigen::JacobiSVD<Dense>(powers).singularValues()[2];
  const double allowed = 100 * tol::kUnit * condition;
  const Matrix printed = krylov_basis(dynamics, r, s.weights, {.k = 3});
  REQUIRE(printed.cols() == 3);
  CHECK(space_distance(printed, powers, s.weights) <= allowed);
  check_orthonormal(printed, s.weights);
  // r itself is in the span when the powers start at 0, not as printed.
  const Matrix petrik = krylov_basis(dynamics, r, s.weights, {.k = 3, .first_power = 0});
  CHECK(best_linear_fit(r, petrik, s.weights).relative_l2 <= kClose);
  CHECK(best_linear_fit(r, printed, s.weights).relative_l2 > 1e-6);
}

TEST_CASE("Krylov space of an invariant direction stops early", "[oracle][table1]") {
  const Setting s = make("invariant", true);
  const StateDynamics dynamics(s.mdp.kernel(), s.policy);
  const Matrix f = krylov_basis(dynamics, Vector::Ones(11), s.weights, {.k = 4});
  CHECK(f.cols() == 1);  // P𝟙 = 𝟙
  CHECK(krylov_basis(dynamics, Vector::Zero(11), s.weights, {.k = 4}).cols() == 0);
}

TEST_CASE("Table 1, spectral state-aggregation: left space of svd(P^π)", "[oracle][table1]") {
  const Setting s = make("aggregation", GENERATE(true, false));
  const StateDynamics dynamics(s.mdp.kernel(), s.policy);
  const Eigen::JacobiSVD<Dense> svd(on_weights(s.P, s.weights), Eigen::ComputeFullU);
  const Dense expected =
      s.weights.cwiseSqrt().cwiseInverse().asDiagonal() * svd.matrixU().leftCols(3);
  const Matrix f = spectral_aggregation(dynamics, s.weights, 3);
  CHECK(space_distance(f, expected, s.weights) <= kClose);
  check_orthonormal(f, s.weights);
  // P^π has rank d = 4: asking for more gives no more.
  CHECK(spectral_aggregation(dynamics, s.weights, 8).cols() == 4);
}

TEST_CASE("state weights must be positive", "[oracle][table1]") {
  const Setting s = make("refuse", true);
  Vector w = s.weights;
  w[3] = 0;
  for (const auto kind : kStateRepresentations)
    CHECK_THROWS_AS(state_representation(kind, s.mdp, s.policy, w, 2), std::invalid_argument);
  CHECK_THROWS_AS(StateDynamics(s.mdp.kernel(), Policy::uniform(3, 3)), std::invalid_argument);
}

TEST_CASE("linear fits: hand-solved, weighted, rank-deficient and lifted", "[oracle][fit]") {
  // Constant fitted to (0, 1) with weights (1, 3): c = 3/4.
  const LinearFit fit = best_linear_fit(Vector{{0.0, 1.0}}, Matrix::Ones(2, 1), Vector{{1.0, 3.0}});
  CHECK_THAT(fit.coefficients[0], WithinAbs(0.75, kClose));
  CHECK_THAT(fit.l2, WithinAbs(std::sqrt(0.5625 + 3 * 0.0625), kClose));
  CHECK_THAT(fit.sup, WithinAbs(0.75, kClose));
  CHECK_THAT(fit.relative_l2, WithinAbs(0.5, kClose));
  CHECK_THAT(fit.relative_sup, WithinAbs(0.75, kClose));
  CHECK_THAT(fit.unexplained, WithinAbs(1, kClose));  // a constant's score
  CHECK(best_linear_fit(Vector::Ones(2), Matrix::Ones(2, 1), Vector::Ones(2)).unexplained <=
        kClose);
  CHECK(best_linear_fit(Vector{{0.0, 1.0}}, Matrix::Ones(2, 3), Vector{{1.0, 3.0}}).l2 ==
        Approx(fit.l2));
  CHECK(best_linear_fit(Vector{{0.0, 1.0}}, Matrix(2, 0), Vector{{1.0, 3.0}}).relative_l2 == 1);
  CHECK(best_linear_fit(Vector::Zero(2), Matrix::Ones(2, 1), Vector::Ones(2)).relative_l2 == 0);

  // The lift equals the fit with the Kronecker basis ψ(s) ⊗ e_a written out.
  Rng rng = kSeeds.stream("lift");
  Matrix psi(6, 2);
  for (Index s = 0; s < 6; ++s) psi.row(s) = unit_vector(2, rng).transpose();
  Matrix lifted = Matrix::Zero(18, 6);
  for (Index s = 0; s < 6; ++s)
    for (Index a = 0; a < 3; ++a) lifted.block(s * 3 + a, a * 2, 1, 2) = psi.row(s);
  const Vector y = unit_vector(18, rng);
  const Vector w = dirichlet(18, 1, rng);
  const LinearFit brute = best_linear_fit(y, lifted, w);
  const LinearFit quick = best_lifted_fit(y, psi, w);
  CHECK_THAT(quick.l2, WithinAbs(brute.l2, kClose));
  CHECK_THAT(quick.sup, WithinAbs(brute.sup, kClose));
  CHECK((quick.coefficients - brute.coefficients).norm() <= kClose * 100);
}

}  // namespace speder::representations_test

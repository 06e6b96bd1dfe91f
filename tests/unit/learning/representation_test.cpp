#include "speder/learning/representation.hpp"

#include <cmath>
#include <limits>

#include "speder/core/tolerance.hpp"
#include "speder/mdp/classes/candidate_class.hpp"
#include "tests/catch.hpp"
#include "tests/support/random_mdp.hpp"

using namespace speder;
using Catch::Matchers::Contains;

namespace representation_test {
namespace {

const SeedTree kSeeds(3);
constexpr test::Shape kShape{8, 3, 3};

// One pair, two states: f(·) = (p, 1−p) under ν = 1, held as φ = 1, μ = f.
Kernel coin(double p) {
  Matrix phi = Matrix::Ones(2, 1);  // two states, one action
  Matrix mu(2, 1);
  mu << p, 1 - p;
  return Kernel(1, phi, mu, Vector::Ones(2));
}

CandidateClass small_class(const std::string& kind, Index size) {
  Rng rng = kSeeds.stream("truth");
  ClassSpec spec;
  spec.kind = kind;
  spec.size = size;
  return make_class(test::simplex_kernel(kShape, rng), spec, kSeeds);
}

std::vector<Step> random_steps(std::size_t n) {
  Rng rng = kSeeds.stream("steps");
  std::vector<Step> steps;
  while (steps.size() < n) {
    steps.push_back({rng.index(kShape.states * kShape.actions), rng.index(kShape.states)});
  }
  return steps;
}

// The objective as printed, from the dense kernel of one candidate.
double brute_force(const FeatureClass& F, Index c, const std::vector<Step>& steps,
                   Criterion criterion) {
  const Matrix P = F.kernel(c).dense();
  double loss = 0;
  for (const Step& step : steps) {
    const double f = P(step.pair, step.next) / F.nu()[step.next];
    if (criterion == Criterion::kLikelihood) {
      loss -= std::log(f);
      continue;
    }
    double squares = 0;
    for (Index y = 0; y < F.states(); ++y) squares += P(step.pair, y) * P(step.pair, y) / F.nu()[y];
    loss += -2 * f + squares;
  }
  return loss;
}

}  // namespace

TEST_CASE("Estimator: least squares between two coins, by hand", "[learning][estimator]") {
  // Loss of (p, 1−p) on h heads and t tails: −2(hp + t(1−p)) + (h+t)(p² + (1−p)²).
  // p = 1/2: each toss costs −1 + 1/2 = −1/2.   p = 3/4: a head costs −3/2 + 5/8 = −7/8, a tail
  // −1/2 + 5/8 = 1/8. So 3/4 wins exactly when −7h/8 + t/8 < −(h+t)/2, that is 3h > 5t.
  const std::vector<Kernel> coins = {coin(0.5), coin(0.75)};
  const FeatureClass F = FeatureClass::of(coins);
  for (int h = 0; h <= 12; ++h) {
    for (int t = 0; t <= 12; ++t) {
      Estimator estimator(F, Criterion::kLeastSquares);
      for (int i = 0; i < h; ++i) estimator.add({0, 0});
      for (int i = 0; i < t; ++i) estimator.add({1, 1});
      CAPTURE(h, t);
      CHECK(estimator.best().candidate == (3 * h > 5 * t ? 1 : 0));  // a tie goes to index 0
      CHECK(estimator.profile()[0] == -0.5 * (h + t));
      CHECK(estimator.profile()[1] == -0.875 * h + 0.125 * t);
    }
  }
}

TEST_CASE("Estimator: likelihood between two coins, by hand", "[learning][estimator]") {
  // 3/4 wins exactly when (3/4)^h (1/4)^t > (1/2)^{h+t}, that is 3^h > 2^{h+t}.
  const std::vector<Kernel> coins = {coin(0.5), coin(0.75)};
  const FeatureClass F = FeatureClass::of(coins);
  for (int h = 0; h <= 12; ++h) {
    for (int t = 0; t <= 12; ++t) {
      Estimator estimator(F, Criterion::kLikelihood);
      estimator.add({0, 0}, h);
      estimator.add({1, 1}, t);
      CAPTURE(h, t);
      CHECK(estimator.best().candidate == (std::pow(3, h) > std::pow(2, h + t) ? 1 : 0));
    }
  }
}

TEST_CASE(
    "Estimator: an impossible step rules a candidate out of the likelihood, not of the squares",
    "[learning][estimator]") {
  const std::vector<Kernel> coins = {coin(1), coin(0.25)};
  const FeatureClass F = FeatureClass::of(coins);
  Estimator likelihood(F, Criterion::kLikelihood);
  Estimator squares(F, Criterion::kLeastSquares);
  for (int i = 0; i < 9; ++i) {
    likelihood.add({0, 0});
    squares.add({0, 0});
  }
  likelihood.add({0, 1});
  squares.add({0, 1});
  CHECK(likelihood.best().candidate == 1);
  CHECK(likelihood.profile()[0] == std::numeric_limits<double>::infinity());
  CHECK(squares.best().candidate == 0);  // 9(−1) + 1 = −8 against 9(0.125) − 0.875 = 0.25
  CHECK(squares.best().loss == -8);
  likelihood.add({0, 0});  // ∞ stays ∞, no NaN
  CHECK(likelihood.profile()[0] == std::numeric_limits<double>::infinity());
}

TEST_CASE("Estimator: equals the objective recomputed from dense kernels",
          "[learning][estimator]") {
  const std::string kind = GENERATE("multiscale", "product");
  const auto criterion = GENERATE(Criterion::kLeastSquares, Criterion::kLikelihood);
  const CandidateClass made = small_class(kind, 24);
  const auto steps = random_steps(300);
  Estimator estimator(made.candidates, criterion);
  for (const Step& step : steps) estimator.add(step);
  const Vector profile = estimator.profile();
  Index best = 0;
  for (Index c = 0; c < 24; ++c) {
    const double wanted = brute_force(made.candidates, c, steps, criterion);
    // 300 terms of size about 1, each with a few rounding errors.
    CHECK_THAT(profile[c], WithinAbs(wanted, 300 * 64 * tol::kUnit * (1 + std::abs(wanted))));
    if (profile[c] < profile[best]) best = c;
  }
  CHECK(estimator.best().candidate == best);
  CHECK(estimator.best().loss == profile[best]);
  CHECK(estimator.data() == 300);
}

TEST_CASE("Estimator: one by one equals counted all at once, to rounding",
          "[learning][estimator]") {
  const std::string kind = GENERATE("multiscale", "product");
  const auto criterion = GENERATE(Criterion::kLeastSquares, Criterion::kLikelihood);
  const CandidateClass made = small_class(kind, 600);  // more than one block of candidates
  const auto steps = random_steps(2000);
  Estimator single(made.candidates, criterion);
  for (const Step& step : steps) single.add(step);
  Estimator counted(made.candidates, criterion);
  counted.add(tally(steps, 0, 700));
  counted.add(tally(steps, 700, 2000));
  const Vector difference = single.profile() - counted.profile();
  CHECK(difference.cwiseAbs().maxCoeff() <=
        2000 * 64 * tol::kUnit * (1 + single.profile().cwiseAbs().maxCoeff()));
  CHECK(counted.data() == 2000);
}

TEST_CASE("Estimator: float and double storage give the same loss profile as their kernels",
          "[learning][estimator]") {
  Rng rng = kSeeds.stream("truth");
  const Kernel truth = test::simplex_kernel(kShape, rng);
  ClassSpec spec;
  spec.size = 16;
  spec.precision = "float";
  const CandidateClass made = make_class(truth, spec, kSeeds);
  REQUIRE(made.candidates.precision() == ClassPrecision::kFloat);
  const auto steps = random_steps(300);
  Estimator estimator(made.candidates, Criterion::kLeastSquares);
  estimator.add(tally(steps, 0, 300));
  for (Index c = 0; c < 16; ++c) {
    const double wanted = brute_force(made.candidates, c, steps, Criterion::kLeastSquares);
    CHECK_THAT(estimator.profile()[c],
               WithinAbs(wanted, 300 * 64 * tol::kUnit * (1 + std::abs(wanted))));
  }
}

// [eq:speder-objective], twice, and its constraint as a penalty; from its definition.
double constrained_by_hand(const FeatureClass& F, Index c, const std::vector<Step>& steps) {
  const Matrix phi = F.phi(c);
  const Matrix mu = F.mu(c);
  const auto n = static_cast<double>(steps.size());
  const auto d = static_cast<double>(F.rank());
  Matrix moment = -Matrix::Identity(F.rank(), F.rank()) / d;
  double fit = 0;
  for (const Step& step : steps) {
    fit += phi.row(step.pair).dot(mu.row(step.next)) / n;
    moment += phi.row(step.pair).transpose() * phi.row(step.pair) / n;
  }
  double energy = 0;
  for (Index y = 0; y < F.states(); ++y) energy += mu.row(y).squaredNorm() * F.nu()[y] / d;
  return n * (-2 * fit + energy + kConstraintWeight * moment.squaredNorm());
}

TEST_CASE("Estimator: the constrained objective as printed, list and product",
          "[learning][estimator][constrained]") {
  for (const char* kind : {"multiscale", "product"}) {
    const CandidateClass made = small_class(kind, 16);
    const std::vector<Step> steps = random_steps(200);
    Estimator estimator(made.candidates, Criterion::kConstrained);
    estimator.add(tally(steps, 0, 200));
    const Vector profile = estimator.profile();
    for (Index c = 0; c < profile.size(); ++c) {
      CAPTURE(kind, c);
      CHECK_THAT(profile[c],
                 WithinRel(constrained_by_hand(made.candidates, c, steps), tol::kLinearSolve));
    }
    CHECK(estimator.best().loss == profile.minCoeff());
  }
}

TEST_CASE("Estimator: features that meet the constraint have the loss of least squares",
          "[learning][estimator][constrained]") {
  // φ̃ = φ Λ^{−½}/√d and μ̃ = √d μ Λ^{½} with Λ = E[φφᵀ] on the data: the same kernel, E[φ̃φ̃ᵀ] = I/d.
  const CandidateClass made = small_class("multiscale", 6);
  const std::vector<Step> steps = random_steps(300);
  const auto d = static_cast<double>(kShape.rank);
  std::vector<Kernel> turned;
  for (Index c = 0; c < 6; ++c) {
    const Matrix phi = made.candidates.phi(c);
    Eigen::MatrixXd Lambda = Eigen::MatrixXd::Zero(kShape.rank, kShape.rank);
    for (const Step& step : steps)
      Lambda += phi.row(step.pair).transpose() * phi.row(step.pair) / 300;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eig(Lambda);
    turned.emplace_back(kShape.actions, Matrix(phi * eig.operatorInverseSqrt() / std::sqrt(d)),
                        Matrix(made.candidates.mu(c) * eig.operatorSqrt() * std::sqrt(d)),
                        made.candidates.nu());
  }
  const FeatureClass F = FeatureClass::of(turned);
  Estimator constrained(F, Criterion::kConstrained);
  Estimator plain(F, Criterion::kLeastSquares);
  constrained.add(tally(steps, 0, 300));
  plain.add(tally(steps, 0, 300));
  CHECK((constrained.profile() - plain.profile()).cwiseAbs().maxCoeff() <=
        tol::kLinearSolve * plain.profile().cwiseAbs().maxCoeff());
  // Other data, the same class: the constraint holds no more, and the two part.
  constrained.add({0, 1}, 300);
  plain.add({0, 1}, 300);
  CHECK((constrained.profile() - plain.profile()).cwiseAbs().minCoeff() > 1);
}

TEST_CASE("Estimator: the constrained objective can prefer a wrong coin for ever",
          "[learning][estimator][constrained]") {
  // d = 1: φ = 1 meets the constraint E[φ²] = 1. The truth, f = (3/4, 1/4), is held as φ = 2 and
  // μ = f/2: the kernel is the same, the constraint is off by 3 and costs 9 a transition.
  Matrix mu(2, 1);
  mu << 0.375, 0.125;
  const Kernel scaled(1, Matrix(Matrix::Constant(2, 1, 2)), mu, Vector::Ones(2));
  const std::vector<Kernel> coins = {scaled, coin(0.5)};
  const FeatureClass F = FeatureClass::of(coins);
  Estimator constrained(F, Criterion::kConstrained);
  Estimator plain(F, Criterion::kLeastSquares);
  for (Estimator* estimator : {&constrained, &plain}) {  // frequencies of the truth itself
    estimator->add({0, 0}, 75e6);
    estimator->add({0, 1}, 25e6);
  }
  CHECK(plain.best().candidate == 0);
  CHECK(constrained.best().candidate == 1);
}

TEST_CASE("Estimator: frequencies of a member without noise: least squares finds every member",
          "[learning][estimator][constrained]") {
  // The constrained objective does not: where no member meets the constraint, its penalty decides.
  const CandidateClass made = small_class("multiscale", 33);
  int found = 0;
  for (Index member = 0; member < 33; ++member) {
    const Matrix P = made.candidates.kernel(member).dense();
    Estimator constrained(made.candidates, Criterion::kConstrained);
    Estimator plain(made.candidates, Criterion::kLeastSquares);
    for (Index x = 0; x < P.rows(); ++x) {
      for (Index y = 0; y < P.cols(); ++y) {
        constrained.add({x, y}, 1e6 * P(x, y));
        plain.add({x, y}, 1e6 * P(x, y));
      }
    }
    CHECK(plain.best().candidate == member);
    found += constrained.best().candidate == member ? 1 : 0;
  }
  CHECK(found < 33);
}

TEST_CASE("Estimator: steps outside the class are refused", "[learning][estimator]") {
  const std::vector<Kernel> coins = {coin(0.5)};
  const FeatureClass F = FeatureClass::of(coins);
  Estimator estimator(F, Criterion::kLeastSquares);
  CHECK_THROWS_WITH(estimator.add({2, 0}), Contains("no such pair"));
  CHECK_THROWS_WITH(estimator.add({0, -1}), Contains("no such state"));
}

TEST_CASE("tally: counts and order", "[learning][dataset]") {
  const std::vector<Step> steps = {{1, 0}, {0, 2}, {1, 0}, {0, 1}, {9, 9}};
  const auto cells = tally(steps, 0, 4);
  REQUIRE(cells.size() == 3);
  CHECK(cells[0].step == Step{0, 1});
  CHECK(cells[1].step == Step{0, 2});
  CHECK(cells[2].step == Step{1, 0});
  CHECK(cells[2].count == 2);
}

}  // namespace representation_test

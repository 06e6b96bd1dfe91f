#include "speder/core/check.hpp"
#include "speder/core/tolerance.hpp"
#include "speder/learning/spectral_learner.hpp"
#include "speder/mdp/planners/planning.hpp"
#include "tests/catch.hpp"
#include "tests/support/random_mdp.hpp"
#include "tests/unit/learning/fixtures/spectral_cases.hpp"

using namespace speder;

namespace spectral_test {
namespace {

const SeedTree kSeeds(53);

Matrix table(const std::vector<double>& values, Index columns) {
  return Eigen::Map<const Matrix>(values.data(), static_cast<Index>(values.size()) / columns,
                                  columns);
}

Vector column(const std::vector<double>& values) {
  return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

SpectralShape shape_of(const SpectralCase& c) { return {c.actions, c.rank, column(c.nu)}; }

void feed(const Matrix& counts, SpectralEstimator& estimator) {
  for (Index x = 0; x < counts.rows(); ++x) {
    for (Index y = 0; y < counts.cols(); ++y) {
      if (counts(x, y) > 0) estimator.add({x, y}, counts(x, y));
    }
  }
}

// A(x,y) = N(x,y)/√(N(x)ν(y))
Eigen::MatrixXd weighted(const Matrix& counts, const Vector& nu) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(counts.rows(), counts.cols());
  for (Index x = 0; x < A.rows(); ++x) {
    const double visits = counts.row(x).sum();
    if (visits == 0) continue;
    A.row(x) = counts.row(x).cwiseQuotient(nu.cwiseSqrt().transpose()) / std::sqrt(visits);
  }
  return A;
}

// ∑ᵢ −2f(xᵢ,yᵢ) + ∑_y f²ν, from its definition.                                [eq:objective_f]
double loss_of(const Matrix& counts, const Vector& nu, const Matrix& f) {
  double loss = 0;
  for (Index x = 0; x < counts.rows(); ++x) {
    loss += counts.row(x).sum() * f.row(x).cwiseAbs2().dot(nu) - 2 * counts.row(x).dot(f.row(x));
  }
  return loss;
}

// The factors' error is that of the invariant subspace: residual over gap (Davis–Kahan), √d times
// for d vectors; a density is at most max 1/ν.
double density_tolerance(const Matrix& counts, const Vector& nu, Index rank) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(weighted(counts, nu));
  const Vector s = svd.singularValues().cwiseAbs2();
  const double gap = rank < s.size() ? s[rank - 1] - s[rank] : s[rank - 1];
  return 2 * std::sqrt(static_cast<double>(rank)) * SpectralEstimator::kResidual * s[0] / gap /
         nu.minCoeff();
}

// One transition after the other in random order, a fit after each.
template <class Watch>
void feed_one_by_one(const Matrix& counts, SpectralEstimator& estimator, Rng& rng,
                     const Watch& watch) {
  std::vector<Step> steps;
  for (Index x = 0; x < counts.rows(); ++x) {
    for (Index y = 0; y < counts.cols(); ++y) {
      for (int i = 0; i < static_cast<int>(counts(x, y)); ++i) steps.push_back({x, y});
    }
  }
  for (std::size_t i = steps.size(); i-- > 1;) {
    std::swap(steps[i], steps[static_cast<std::size_t>(rng.index(static_cast<Index>(i) + 1))]);
  }
  for (const Step& step : steps) {
    estimator.add(step);
    watch(estimator.fit());
  }
}

void check_case(const SpectralCase& c, const Matrix& counts, const SpectralFit& fit) {
  const Vector nu = column(c.nu);
  const Matrix f = fit.Phi * fit.Mu.transpose();
  CHECK_THAT(fit.loss, WithinRel(c.loss, tol::kLinearSolve));
  CHECK_THAT(loss_of(counts, nu, f), WithinRel(c.loss, tol::kLinearSolve));
  CHECK(fit.Phi.rowwise().norm().maxCoeff() <= 1 + tol::kSimplex);
  if (c.density.empty()) return;
  const double allowed = density_tolerance(counts, nu, c.rank);
  CHECK((f - table(c.density, c.states)).cwiseAbs().maxCoeff() <= allowed);
  // A projection moves two points no further apart.
  CHECK((fit.P - table(c.kernel, c.states)).norm() <=
        allowed * std::sqrt(static_cast<double>(f.size())) * nu.maxCoeff() / nu.minCoeff());
}

}  // namespace

TEST_CASE("spectral: the stored cases of numpy, all at once and one by one",
          "[learning][spectral]") {
  for (const SpectralCase& c : kSpectralCases) {
    CAPTURE(c.name);
    const Matrix counts = table(c.counts, c.states);
    SpectralEstimator at_once(shape_of(c));
    feed(counts, at_once);
    check_case(c, counts, at_once.fit());
    CHECK(at_once.fit().steps == 0);
    if (counts.sum() > 5000) continue;
    SpectralEstimator one_by_one(shape_of(c));
    Rng rng = kSeeds.stream(c.name);
    feed_one_by_one(counts, one_by_one, rng, [](const SpectralFit&) {});
    check_case(c, counts, one_by_one.last());
  }
}

TEST_CASE("spectral: wrong weights are told: rows counted alike give another estimate",
          "[learning][spectral]") {
  const SpectralCase& c = kSpectralCases.back();
  REQUIRE(std::string(c.name) == "uneven weights");
  const Matrix counts = table(c.counts, c.states);
  Matrix alike = counts;
  for (Index x = 0; x < alike.rows(); ++x) alike.row(x) /= alike.row(x).sum();
  SpectralEstimator unweighted(shape_of(c));
  feed(alike, unweighted);
  const Matrix f = unweighted.fit().Phi * unweighted.fit().Mu.transpose();
  const double allowed = density_tolerance(counts, column(c.nu), c.rank);
  CHECK((f - table(c.density, c.states)).cwiseAbs().maxCoeff() > 1000 * allowed);
  CHECK(loss_of(counts, column(c.nu), f) > c.loss * (1 - tol::kLinearSolve));
}

TEST_CASE("spectral: expected counts give back P, full rank gives back the frequencies",
          "[learning][spectral]") {
  for (int i = 0; i < 20; ++i) {
    Rng rng = kSeeds.stream("exact", static_cast<std::uint64_t>(i));
    const test::Shape sizes{4 + rng.index(9), 1 + rng.index(3), 1 + rng.index(4)};
    const Kernel truth = test::signed_kernel(sizes, rng);
    const Matrix P = truth.dense();
    Matrix counts = P;
    for (Index x = 0; x < P.rows(); ++x) counts.row(x) *= 1 + 999 * rng.uniform();
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(weighted(counts, truth.nu()));
    const Vector s = svd.singularValues();
    const Index d = std::min(sizes.rank, s.size());
    // Rounding of G relative to its d-th eigenvalue; 100: sums of at most 12 · 36 products.
    const double allowed = 100 * tol::kUnit * std::pow(s[0] / s[d - 1], 2) / truth.nu().minCoeff();
    CAPTURE(i, sizes.states, sizes.rank, allowed);
    SpectralEstimator estimator({sizes.actions, sizes.rank, truth.nu()});
    feed(counts, estimator);
    CHECK((estimator.fit().P - P).cwiseAbs().maxCoeff() <= allowed);
    SpectralEstimator full({sizes.actions, 2 * sizes.states, truth.nu()});
    Matrix drawn = counts;
    for (Index k = 0; k < drawn.size(); ++k) drawn.data()[k] = static_cast<double>(rng.index(5));
    feed(drawn, full);
    const Matrix& frequencies = full.fit().P;
    for (Index x = 0; x < P.rows(); ++x) {
      const double visits = drawn.row(x).sum();
      if (visits == 0) continue;
      CHECK((frequencies.row(x) - drawn.row(x) / visits).cwiseAbs().maxCoeff() <=
            tol::kLinearSolve);
    }
  }
}

TEST_CASE("spectral: the nearest kernel is a kernel, no further from any other, and hand-solved",
          "[learning][spectral]") {
  Eigen::RowVectorXd q(3);
  q << 0.9, 0.5, -0.4;  // τ = 0.2 over the first two
  project_row(q, Vector::Ones(3));
  CHECK_THAT(q[0], WithinAbs(0.7, tol::kSimplex));
  CHECK_THAT(q[1], WithinAbs(0.3, tol::kSimplex));
  CHECK(q[2] == 0);
  for (int i = 0; i < 200; ++i) {
    Rng rng = kSeeds.stream("project", static_cast<std::uint64_t>(i));
    const Index S = 1 + rng.index(8);
    Vector nu(S);
    Eigen::RowVectorXd raw(S);
    for (Index y = 0; y < S; ++y) {
      nu[y] = 0.1 + rng.uniform();
      raw[y] = 3 * rng.uniform() - 1;
    }
    const auto distance = [&](const Eigen::RowVectorXd& a, const Eigen::RowVectorXd& b) {
      return std::sqrt((a - b).cwiseAbs2().cwiseQuotient(nu.transpose()).sum());
    };
    Eigen::RowVectorXd nearest = raw;
    project_row(nearest, nu);
    CHECK(nearest.minCoeff() >= 0);
    CHECK(std::abs(nearest.sum() - 1) <= tol::kSimplex);
    Eigen::RowVectorXd again = nearest;
    project_row(again, nu);
    CHECK((again - nearest).cwiseAbs().maxCoeff() <= tol::kSimplex);
    for (Index y = 0; y < S; ++y) {
      const Eigen::RowVectorXd corner = Vector::Unit(S, y).transpose();
      CHECK(distance(nearest, corner) <= distance(raw, corner) + tol::kSimplex);
    }
  }
}

TEST_CASE("spectral: thousands of single steps stay at the minimum that a dense SVD finds",
          "[learning][spectral]") {
  const test::Shape sizes{12, 3, 3};
  Rng rng = kSeeds.stream("long");
  const TabularMdp mdp = test::random_mdp(sizes, 0.9, rng);
  const Simulator env(std::make_shared<const TabularMdp>(mdp));
  SpectralEstimator estimator({sizes.actions, sizes.rank, mdp.kernel().nu()});
  Matrix counts = Matrix::Zero(36, 12);
  int warm = 0;
  double worst = 0;
  for (int n = 1; n <= 6000; ++n) {
    const Index x = rng.index(36);
    const Transition t = env.step(state(x / 3), action(x % 3), rng);
    counts(x, index(t.next)) += 1;
    estimator.add({x, index(t.next)});
    const SpectralFit& fit = estimator.fit();
    warm += fit.steps > 0 ? 1 : 0;
    if (n % 97 != 0) continue;
    const Vector s =
        Eigen::JacobiSVD<Eigen::MatrixXd>(weighted(counts, mdp.kernel().nu())).singularValues();
    const double least = -s.head(3).squaredNorm();
    worst = std::max(worst, (fit.loss - least) / std::abs(least));
    const Matrix f = fit.Phi * fit.Mu.transpose();
    worst = std::max(worst, (loss_of(counts, mdp.kernel().nu(), f) - least) / std::abs(least));
  }
  CHECK(worst <= tol::kLinearSolve);
  CHECK(warm > 3000);  // most fits start from the last one
}

TEST_CASE("spectral: fewer rows than the rank, rows in directions not seen before",
          "[learning][spectral]") {
  const Index S = 80;
  Vector nu = Vector::Constant(S, 0.5);
  SpectralEstimator estimator({1, 4, nu});
  Matrix counts = Matrix::Zero(S, S);
  Rng rng = kSeeds.stream("few");
  for (int n = 1; n <= 600; ++n) {
    const Index x = n < 20 ? 7 : rng.index(S);
    const Index y = (x % 4) * 20 + rng.index(20);
    counts(x, y) += 1;
    estimator.add({x, y});
    const SpectralFit& fit = estimator.fit();
    const Vector s = Eigen::JacobiSVD<Eigen::MatrixXd>(weighted(counts, nu)).singularValues();
    CAPTURE(n);
    CHECK_THAT(fit.loss, WithinRel(-s.head(4).squaredNorm(), tol::kLinearSolve));
  }
  CHECK_THROWS_AS(SpectralEstimator({1, 4, Vector::Ones(3000)}), InputError);
}

TEST_CASE("spectral: a pair not seen has the largest bonus and the base measure for a row",
          "[learning][spectral]") {
  const test::Shape sizes{8, 3, 3};
  Rng rng = kSeeds.stream("unseen");
  const TabularMdp mdp = test::random_mdp(sizes, 0.8, rng);
  const OfflineTask task{mdp.reward(), 0.8};
  const Vector& nu = mdp.kernel().nu();
  SpectralModel model({3, 3, nu}, task, {Attitude::kOptimistic, {0.5, 0.01}, 0.1}, 3);
  const ModelPlan before = model.plan(1);
  CHECK((before.bonus.array() == before.bonus[0]).all());
  CHECK_THAT(before.bonus[0],
             WithinRel(before.alpha / std::sqrt(before.lambda), tol::kLinearSolve));
  const Matrix P = mdp.kernel().dense();
  for (Index x = 0; x < P.rows(); ++x) {
    if (x == 5) continue;
    for (Index y = 0; y < P.cols(); ++y) model.add({x, y}, 100 * P(x, y));
  }
  const ModelPlan& after = model.plan(2300);
  CHECK(after.bonus[5] == after.bonus.maxCoeff());
  CHECK((model.kernel().row(5).transpose() - nu / nu.sum()).cwiseAbs().maxCoeff() <= tol::kSimplex);
  // A step of D' is data for φ̂, but not for Σ̂.
  const double visits = model.visits().sum();
  model.add_next({5, 0});
  CHECK(model.visits().sum() == visits);
  CHECK(model.plan(2301).bonus[5] <= after.alpha / std::sqrt(after.lambda));
  CHECK((model.kernel().row(5).transpose() - nu / nu.sum()).cwiseAbs().maxCoeff() > 0.01);
}

TEST_CASE("spectral: with exact frequencies and no bonus the plan is the true model's",
          "[learning][spectral]") {
  const test::Shape sizes{8, 3, 3};
  Rng rng = kSeeds.stream("plan");
  const TabularMdp mdp = test::random_mdp(sizes, 0.8, rng);
  const PlanResult wanted =
      plan({mdp.kernel(), mdp.reward(), 0.8}, {PlanMethod::kDense, tol::kBellman, 1000});
  SpectralModel model({3, 3, mdp.kernel().nu()}, {mdp.reward(), 0.8},
                      {Attitude::kPessimistic, {0, 1}, 0.1}, 3);
  const Matrix P = mdp.kernel().dense();
  for (Index x = 0; x < P.rows(); ++x) {
    for (Index y = 0; y < P.cols(); ++y) model.add({x, y}, 100 * P(x, y));
  }
  const ModelPlan& planned = model.plan(2400);
  CHECK((planned.value - wanted.value).cwiseAbs().maxCoeff() <= tol::kAgreement * 5);
  CHECK(planned.policy == wanted.policy);
}

TEST_CASE("spectral: explores two states to the optimal policy, twice alike, and learns offline",
          "[learning][spectral]") {
  // As in comparators_test: each pair is tried some 300 times, an estimate off by a half has chance
  // 2^−300, and rank 2 = |S| makes the estimate the frequencies themselves.
  const auto mdp = std::make_shared<const TabularMdp>(test::two_state(0.5, 0.8));
  const Simulator env(mdp);
  const OfflineTask task{mdp->reward(), 0.8};
  const SpectralShape shape{2, 2, mdp->kernel().nu()};
  OnlineOptions options;
  options.episodes = 3000;
  options.bonus = {0.001, 1};
  const std::vector<std::int32_t> best = {1, 0};
  const ModelOptions model_options{Attitude::kOptimistic, options.bonus, options.delta};
  std::vector<Index> steps;
  for (int run = 0; run < 2; ++run) {
    SpectralModel model(shape, task, model_options, 2);
    const LearnerResult out = explore(env, model, options, SeedTree(1), {});
    CHECK(out.policy.choice() == best);
    steps.push_back(out.env_steps);
  }
  CHECK(steps[0] == steps[1]);
  Rng rng = kSeeds.stream("offline");
  const Dataset data = collect_from_occupancy(env, Policy::uniform(2, 2), 3000, rng);
  SpectralModel model(shape, task, {Attitude::kPessimistic, {0.001, 1}, 0.1}, 2);
  OfflineOptions offline;
  offline.omega = 2;
  CHECK(exploit(data, model, task, offline, {}).policy.choice() == best);
}

}  // namespace spectral_test

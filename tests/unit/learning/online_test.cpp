#include "speder/learning/online.hpp"

#include <cmath>

#include "speder/core/eigen_instances.hpp"
#include "speder/core/tolerance.hpp"
#include "speder/mdp/classes/candidate_class.hpp"
#include "speder/mdp/planners/planning.hpp"
#include "tests/catch.hpp"
#include "tests/support/random_mdp.hpp"

using namespace speder;
using Catch::Matchers::Contains;

namespace online_test {
namespace {

const SeedTree kSeeds(29);
constexpr test::Shape kShape{12, 3, 4};

std::shared_ptr<const TabularMdp> make_mdp(std::uint64_t index = 0) {
  Rng rng = kSeeds.stream("mdp", index);
  return std::make_shared<const TabularMdp>(test::random_mdp(kShape, 0.9, rng));
}

CandidateClass small_class(const TabularMdp& mdp, Index size) {
  ClassSpec spec;
  spec.size = size;
  return make_class(mdp.kernel(), spec, kSeeds);
}

struct Trace {
  std::vector<std::vector<std::int32_t>> policies;
  std::vector<Index> candidates;
  std::vector<double> values;
  Index env_steps = 0;
  Index replanned = 0;
  friend bool operator==(const Trace&, const Trace&) = default;
};

Trace run(const Simulator& env, const FeatureClass& F, const OnlineOptions& options,
          std::uint64_t seed = 1) {
  Trace trace;
  const auto observe = [&](const LearnerReport& r) {
    trace.policies.push_back(r.policy.choice());
    trace.candidates.push_back(r.candidate);
    trace.values.push_back(r.value.sum());
    trace.env_steps = r.env_steps;
    trace.replanned += r.replanned ? 1 : 0;
    return true;
  };
  const LearnerResult out = online_speder(env, F, options, SeedTree(seed), observe);
  REQUIRE(out.n == options.episodes);
  REQUIRE(out.policy.choice() == trace.policies.back());
  REQUIRE(out.replans == trace.replanned);
  return trace;
}

}  // namespace

TEST_CASE("Algorithm 1 with F = {P*}: planning in the true model with the bonus of D alone",
          "[learning][online]") {
  const auto mdp = make_mdp();
  const Simulator env(mdp);
  const FeatureClass F = FeatureClass::of({&mdp->kernel(), 1});
  OnlineOptions options;
  options.episodes = 60;
  options.bonus = {0.05, 1};
  // The same episodes again, from the same stream, and every line of the algorithm spelt out with
  // the dense planner and an explicit inverse.
  Rng rng = SeedTree(4).stream("rollout");
  Policy policy = Policy::uniform(kShape.states, kShape.actions);
  const Matrix Phi = mdp->kernel().phi().to_dense();
  Matrix sum = Matrix::Zero(4, 4);
  Index n = 0;
  const auto observe = [&](const LearnerReport& r) {
    const Episode e = collect_episode(env, policy, rng);
    sum += Phi.row(e.first.pair).transpose() * Phi.row(e.first.pair);
    ++n;
    const double d = 4;
    const double L = std::log(1 / 0.1);
    const double lambda = d * std::log(static_cast<double>(n) / 0.1);
    const double alpha = 0.05 * d * std::sqrt(3 * L) / (1 - 0.9);
    const Matrix inverse = (sum + lambda * Matrix::Identity(4, 4)).inverse();
    const Vector bonus = alpha * (Phi * inverse).cwiseProduct(Phi).rowwise().sum().cwiseSqrt();
    const Vector reward = mdp->reward() + bonus;
    const PlanResult wanted =
        plan({mdp->kernel(), reward, 0.9}, {PlanMethod::kDense, tol::kBellman, 1000});
    REQUIRE(r.n == n);
    REQUIRE_THAT(r.zeta, WithinRel(L / static_cast<double>(n), 1e-12));
    REQUIRE_THAT(r.lambda, WithinRel(lambda, 1e-12));
    REQUIRE_THAT(r.alpha, WithinRel(alpha, 1e-12));
    CHECK((r.bonus - bonus).cwiseAbs().maxCoeff() <= tol::kAgreement);
    CHECK((r.value - wanted.value).cwiseAbs().maxCoeff() <= tol::kAgreement * 10 * alpha);
    CHECK(r.policy.choice() == wanted.policy);
    CHECK(r.candidate == 0);
    policy = r.policy;
    return true;
  };
  const LearnerResult out = online_speder(env, F, options, SeedTree(4), observe);
  CHECK(out.n == 60);
  CHECK_FALSE(out.interrupted);
}

TEST_CASE("Algorithm 1: the candidate is the minimiser over D and D' together",
          "[learning][online]") {
  const auto mdp = make_mdp(1);
  const Simulator env(mdp);
  const CandidateClass made = small_class(*mdp, 40);
  OnlineOptions options;
  options.episodes = 80;
  options.criterion = GENERATE(Criterion::kLeastSquares, Criterion::kLikelihood);
  Rng rng = SeedTree(4).stream("rollout");
  Policy policy = Policy::uniform(kShape.states, kShape.actions);
  Estimator both(made.candidates, options.criterion);
  const auto observe = [&](const LearnerReport& r) {
    const Episode e = collect_episode(env, policy, rng);
    both.add(e.first);
    both.add(e.second);
    CHECK(r.candidate == both.best().candidate);
    policy = r.policy;
    return true;
  };
  CHECK(online_speder(env, made.candidates, options, SeedTree(4), observe).n == 80);
}

TEST_CASE("Algorithm 1: finds P* in a class it can tell apart, and then π*", "[learning][online]") {
  // P(f beats P*) ≤ exp(−nD²/(16C)) when E‖f − P*‖² ≥ D² at every step given the past and f ≤ C (one
  // step of the Chernoff argument of [thm:generalization] with s = 1/(8C)). Here C = 1, and uniform
  // actions give D² = ½ · 2 (p − ½)² = 0.16 in both states; n = 2 · 1500: two candidates, chance
  // at most 2 exp(−30) = 2e-13.
  const auto mdp = std::make_shared<const TabularMdp>(test::two_state(0.5, 0.9));
  const Simulator env(mdp);
  const std::vector<Kernel> kernels = {test::two_state(0.1, 0.9).kernel(),
                                       test::two_state(0.9, 0.9).kernel(), mdp->kernel()};
  const FeatureClass F = FeatureClass::of(kernels);
  OnlineOptions options;
  options.episodes = 1500;
  options.bonus.alpha = 0;
  const Trace trace = run(env, F, options);
  CHECK(trace.candidates.back() == 2);
  CHECK(trace.policies.back() == plan({mdp->kernel(), mdp->reward(), 0.9}).policy);
}

TEST_CASE("Algorithm 1: same seed, same run; another seed, another run", "[learning][online]") {
  const auto mdp = make_mdp();
  const Simulator env(mdp);
  const CandidateClass made = small_class(*mdp, 50);
  OnlineOptions options;
  options.episodes = 200;
  options.bonus = bonus_constants("tuned");
  CHECK(run(env, made.candidates, options, 1) == run(env, made.candidates, options, 1));
  CHECK_FALSE(run(env, made.candidates, options, 1) == run(env, made.candidates, options, 2));
}

TEST_CASE("Algorithm 1: doubling replans at most once per doubling of a pair",
          "[learning][online]") {
  const auto mdp = make_mdp();
  const Simulator env(mdp);
  const CandidateClass made = small_class(*mdp, 50);
  OnlineOptions options;
  options.episodes = 2000;
  CHECK(run(env, made.candidates, options).replanned == 2000);
  options.replan = Replan::kDoubling;
  const Trace lazy = run(env, made.candidates, options);
  const double pairs = 36;
  CHECK(static_cast<double>(lazy.replanned) <= pairs * (1 + std::log2(2000.0)));
  CHECK(lazy.replanned >= 10);
}

TEST_CASE("Algorithm 1: without following the plan the data do not depend on it",
          "[learning][online]") {
  const auto mdp = make_mdp();
  const Simulator env(mdp);
  const CandidateClass made = small_class(*mdp, 50);
  OnlineOptions options;
  options.episodes = 300;
  options.follow_plan = false;
  const Trace theory = run(env, made.candidates, options);
  options.bonus.alpha = 0;
  const Trace greedy = run(env, made.candidates, options);
  CHECK(theory.candidates == greedy.candidates);
  CHECK(theory.env_steps == greedy.env_steps);
}

TEST_CASE("Algorithm 1: the observer can end the run", "[learning][online]") {
  const auto mdp = make_mdp();
  const Simulator env(mdp);
  const CandidateClass made = small_class(*mdp, 5);
  const auto stop = [](const LearnerReport& r) { return r.n < 7; };
  const LearnerResult out = online_speder(env, made.candidates, {}, SeedTree(1), stop);
  CHECK(out.n == 7);
  CHECK(out.interrupted);
}

TEST_CASE("Algorithm 1: bad input", "[learning][online]") {
  const auto mdp = make_mdp();
  const Simulator env(mdp);
  const CandidateClass made = small_class(*mdp, 5);
  const auto with = [&](auto change) {
    OnlineOptions options;
    change(options);
    return online_speder(env, made.candidates, options, SeedTree(1));
  };
  CHECK_THROWS_WITH(with([](auto& o) { o.episodes = 0; }), Contains("episodes must be at least 1"));
  CHECK_THROWS_WITH(with([](auto& o) { o.delta = 1; }), Contains("delta"));
  CHECK_THROWS_WITH(with([](auto& o) { o.bonus.alpha = -1; }), Contains("c_alpha"));
  CHECK_THROWS_WITH(with([](auto& o) { o.bonus.lambda = 0; }), Contains("c_lambda"));
  Rng rng = kSeeds.stream("other");
  const Kernel other = test::simplex_kernel({5, 2, 2}, rng);
  CHECK_THROWS_WITH(online_speder(env, FeatureClass::of({&other, 1}), {}, SeedTree(1)),
                    Contains("5 states and 2 actions") && Contains("12 and 3"));
}

}  // namespace online_test

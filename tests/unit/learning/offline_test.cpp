#include "speder/learning/offline.hpp"

#include <cmath>

#include "speder/core/eigen_instances.hpp"
#include "speder/core/tolerance.hpp"
#include "speder/learning/clone.hpp"
#include "speder/learning/tabular.hpp"
#include "speder/mdp/classes/candidate_class.hpp"
#include "speder/mdp/planners/planning.hpp"
#include "tests/catch.hpp"
#include "tests/support/random_mdp.hpp"

using namespace speder;
using Catch::Matchers::Contains;

namespace offline_test {
namespace {

const SeedTree kSeeds(31);
constexpr test::Shape kShape{12, 3, 4};

struct Setting {
  std::shared_ptr<const TabularMdp> mdp;
  CandidateClass made;
  Dataset data;
};

Setting make(Index n, Index size = 40) {
  Rng rng = kSeeds.stream("mdp");
  auto mdp = std::make_shared<const TabularMdp>(test::random_mdp(kShape, 0.9, rng));
  ClassSpec spec;
  spec.size = size;
  CandidateClass made = make_class(mdp->kernel(), spec, kSeeds);
  const Simulator env(mdp);
  Dataset data = collect_from_occupancy(env, Policy::uniform(12, 3), n, rng);
  return {mdp, std::move(made), std::move(data)};
}

}  // namespace

TEST_CASE("Algorithm 2: every line against the dense planner and an explicit inverse",
          "[learning][offline]") {
  const Setting setting = make(500);
  const FeatureClass& F = setting.made.candidates;
  const OfflineTask task{setting.mdp->reward(), 0.9};
  OfflineOptions options;
  options.bonus = {0.01, 2};
  options.omega = 7;
  options.checkpoints = {1, 20, 500};
  std::vector<Index> seen;
  const auto observe = [&](const LearnerReport& r) {
    seen.push_back(r.n);
    Estimator estimator(F, Criterion::kLeastSquares);
    Matrix sum = Matrix::Zero(4, 4);
    const Matrix Phi = F.phi(r.candidate);
    for (Index i = 0; i < r.n; ++i) {
      const Step& step = setting.data.steps[static_cast<std::size_t>(i)];
      estimator.add(step);
      sum += Phi.row(step.pair).transpose() * Phi.row(step.pair);
    }
    CHECK(r.candidate == estimator.best().candidate);
    const double n = static_cast<double>(r.n);
    const double lambda = 2 * 4 * std::log(n * 40 / 0.1);
    const double alpha = 0.01 * 4 * std::sqrt(7 * std::log(40 / 0.1)) / (1 - 0.9);
    const Matrix inverse = (sum + lambda * Matrix::Identity(4, 4)).inverse();
    const Vector b = alpha * (Phi * inverse).cwiseProduct(Phi).rowwise().sum().cwiseSqrt();
    CHECK((r.bonus - b).cwiseAbs().maxCoeff() <= tol::kAgreement);
    const Vector reward = task.reward - b;
    const PlanResult wanted =
        plan({F.kernel(r.candidate), reward, 0.9}, {PlanMethod::kDense, tol::kBellman, 1000});
    CHECK((r.value - wanted.value).cwiseAbs().maxCoeff() <= tol::kAgreement * 10);
    CHECK(r.policy.choice() == wanted.policy);
    return true;
  };
  const LearnerResult out = offline_speder(setting.data, F, task, options, observe);
  CHECK(seen == std::vector<Index>{1, 20, 500});
  CHECK(out.n == 500);
}

TEST_CASE("Algorithm 2: checkpoints do not change the answer", "[learning][offline]") {
  const Setting setting = make(800);
  const OfflineTask task{setting.mdp->reward(), 0.9};
  OfflineOptions many;
  many.bonus = bonus_constants("tuned");
  many.omega = 3;
  many.checkpoints = {3, 100, 101, 640, 800};
  OfflineOptions once = many;
  once.checkpoints = {};
  const auto a = offline_speder(setting.data, setting.made.candidates, task, many);
  const auto b = offline_speder(setting.data, setting.made.candidates, task, once);
  CHECK(a.candidate == b.candidate);
  CHECK(a.policy.choice() == b.policy.choice());
}

TEST_CASE("clone: frequencies, uniform where nothing was seen", "[learning][offline]") {
  Dataset data{3, 2, 0.9, {{0, 1}, {0, 0}, {1, 0}, {3, 2}}, 4};  // s0: a0 a0 a1; s1: a1; s2: none
  const Vector reward = Vector::Zero(6);
  const LearnerResult out = offline_clone(data, {reward, 0.9}, {});
  CHECK_THAT(out.policy.probability(0, 0), WithinAbs(2.0 / 3, 1e-15));
  CHECK(out.policy.probability(1, 1) == 1);
  CHECK(out.policy.probability(2, 0) == 0.5);
}

TEST_CASE("offline learners: the observer ends the run when it says so, not before",
          "[learning][offline]") {
  const Setting setting = make(30, 5);
  const OfflineTask task{setting.mdp->reward(), 0.9};
  OfflineOptions options;
  options.omega = 3;
  options.checkpoints = {1, 20, 30};
  TabularModel counts(kShape.actions, task, {Attitude::kPessimistic, options.bonus, 0.1});
  const auto learner = GENERATE(0, 1, 2);
  CAPTURE(learner);
  const auto before_20 = [](const LearnerReport& r) { return r.n < 20; };
  const LearnerResult stopped =
      learner == 0 ? offline_clone(setting.data, task, options, before_20)
      : learner == 1
          ? offline_speder(setting.data, setting.made.candidates, task, options, before_20)
          : exploit(setting.data, counts, task, options, before_20);
  CHECK(stopped.n == 20);
  CHECK(stopped.replans == 2);
  CHECK(stopped.interrupted);
}

TEST_CASE("Algorithm 2: bad input", "[learning][offline]") {
  const Setting setting = make(10, 5);
  const auto with = [&](auto change, double gamma = 0.9) {
    OfflineOptions options;
    options.omega = 3;
    change(options);
    const OfflineTask task{setting.mdp->reward(), gamma};
    return offline_speder(setting.data, setting.made.candidates, task, options);
  };
  const auto same = [](auto&) {};
  CHECK_NOTHROW(with(same));
  CHECK_THROWS_WITH(with(same, 0.95), Contains("discount mismatch") && Contains("0.95"));
  CHECK_THROWS_WITH(with([](auto& o) { o.omega = INFINITY; }), Contains("omega"));
  CHECK_THROWS_WITH(with([](auto& o) { o.checkpoints = {5, 5}; }), Contains("increase"));
  CHECK_THROWS_WITH(with([](auto& o) { o.checkpoints = {11}; }), Contains("1 … n"));
  CHECK_THROWS_WITH(with([](auto& o) { o.delta = 0; }), Contains("delta"));
  const Dataset empty{12, 3, 0.9, {}, 0};
  const OfflineTask task{setting.mdp->reward(), 0.9};
  CHECK_THROWS_WITH(offline_speder(empty, setting.made.candidates, task, {}), Contains("n ≥ 1"));
  Rng rng = kSeeds.stream("other");
  const Kernel other = test::simplex_kernel({5, 2, 2}, rng);
  CHECK_THROWS_WITH(offline_speder(setting.data, FeatureClass::of({&other, 1}), task, {}),
                    Contains("different MDPs"));
  const Vector reward_of_another = Vector::Zero(4);
  CHECK_THROWS_WITH(
      offline_speder(setting.data, setting.made.candidates, {reward_of_another, 0.9}, {}),
      Contains("|S||A| entries"));
}

}  // namespace offline_test

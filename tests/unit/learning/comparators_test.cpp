#include "speder/core/tolerance.hpp"
#include "speder/learning/known_features.hpp"
#include "speder/learning/tabular.hpp"
#include "speder/mdp/planners/planning.hpp"
#include "tests/catch.hpp"
#include "tests/support/random_mdp.hpp"

using namespace speder;

namespace comparators_test {
namespace {

const SeedTree kSeeds(37);
constexpr test::Shape kShape{8, 3, 3};

std::shared_ptr<const TabularMdp> make_mdp() {
  Rng rng = kSeeds.stream("mdp");
  return std::make_shared<const TabularMdp>(test::random_mdp(kShape, 0.8, rng));
}

// Every cell of every pair in proportion to its exact probability: data without noise.
template <class Model>
void feed_exactly(const TabularMdp& mdp, double total, Model& model) {
  const Matrix P = mdp.kernel().dense();
  for (Index x = 0; x < P.rows(); ++x) {
    for (Index y = 0; y < P.cols(); ++y) model.add({x, y}, total * P(x, y));
  }
}

}  // namespace

TEST_CASE("comparators: with exact frequencies and no bonus the plan is the true model's",
          "[learning][comparators]") {
  const auto mdp = make_mdp();
  const PlanResult wanted =
      plan({mdp->kernel(), mdp->reward(), 0.8}, {PlanMethod::kDense, tol::kBellman, 1000});
  const OfflineTask task{mdp->reward(), 0.8};
  const ModelOptions options{Attitude::kOptimistic, {0, 1e-12}, 0.1};

  TabularModel counts(kShape.actions, task, options);
  feed_exactly(*mdp, 100, counts);
  const ModelPlan& tabular = counts.plan(2400);
  CHECK((tabular.value - wanted.value).cwiseAbs().maxCoeff() <= tol::kAgreement * 5);
  CHECK(tabular.policy == wanted.policy);

  // M̂ = Λ⁻¹ ∑ φ φᵀ M = M up to λ/λ_min(∑ φφᵀ), and ΦM̂ = P.
  KnownFeaturesModel linear(mdp->kernel().phi().to_dense(), kShape.actions, task, options);
  feed_exactly(*mdp, 100, linear);
  const ModelPlan& known = linear.plan(2400);
  CHECK((known.value - wanted.value).cwiseAbs().maxCoeff() <= tol::kAgreement * 5);
  CHECK(known.policy == wanted.policy);
}

TEST_CASE("comparators: optimism and pessimism bracket the truth and stay in [0, 1/(1−γ)]",
          "[learning][comparators]") {
  const auto mdp = make_mdp();
  const Vector V = plan({mdp->kernel(), mdp->reward(), 0.8}).value;
  const OfflineTask task{mdp->reward(), 0.8};
  const auto values = [&](Attitude attitude, double alpha) {
    const ModelOptions options{attitude, {alpha, 1}, 0.1};
    TabularModel counts(kShape.actions, task, options);
    feed_exactly(*mdp, 50, counts);
    KnownFeaturesModel linear(mdp->kernel().phi().to_dense(), kShape.actions, task, options);
    feed_exactly(*mdp, 50, linear);
    return std::pair{counts.plan(1200).value, linear.plan(1200).value};
  };
  for (const double alpha : {0.01, 1.0}) {
    const auto [high_counts, high_linear] = values(Attitude::kOptimistic, alpha);
    const auto [low_counts, low_linear] = values(Attitude::kPessimistic, alpha);
    for (const Vector& high : {high_counts, high_linear}) {
      CHECK((high - V).minCoeff() >= -tol::kAgreement);
      CHECK(high.maxCoeff() <= 5 * (1 + tol::kSimplex));
    }
    for (const Vector& low : {low_counts, low_linear}) {
      CHECK((V - low).minCoeff() >= -tol::kAgreement);
      CHECK(low.minCoeff() >= 0);
    }
    CHECK((high_counts - low_counts).minCoeff() > 0);
  }
}

TEST_CASE(
    "tabular: an unvisited pair is worth everything to the optimist, nothing to the pessimist",
    "[learning][comparators]") {
  const auto mdp = make_mdp();
  const OfflineTask task{mdp->reward(), 0.8};
  TabularModel hopeful(kShape.actions, task, {Attitude::kOptimistic, {1, 1}, 0.1});
  TabularModel fearful(kShape.actions, task, {Attitude::kPessimistic, {1, 1}, 0.1});
  CHECK((hopeful.plan(1).value.array() == 1 / (1 - 0.8)).all());
  CHECK((fearful.plan(1).value.array() == 0).all());
}

TEST_CASE("comparators: exploring with counts or true features finds the optimal policy",
          "[learning][comparators]") {
  // Staying in state 1 and leaving state 0 is optimal, with an action gap of 2/3, for any estimate
  // of the chance to leave that is not near 0. State 0 has mass at least (1−γ)ρ(0) = 0.2 and actions
  // are uniform, so each pair is tried some 300 times in 3,000 episodes; the bonus is then below
  // 0.01 √(log(2·4·n²/δ)/(2·300))/(1−γ) < 0.01, and an estimate off by a half has chance 2^−300.
  const auto mdp = std::make_shared<const TabularMdp>(test::two_state(0.5, 0.8));
  const Simulator env(mdp);
  const OfflineTask task{mdp->reward(), 0.8};
  OnlineOptions options;
  options.episodes = 3000;
  options.bonus = {0.01, 1};
  const ModelOptions model_options{Attitude::kOptimistic, options.bonus, options.delta};
  const std::vector<std::int32_t> best = {1, 0};
  REQUIRE(plan({mdp->kernel(), mdp->reward(), 0.8}).policy == best);
  TabularModel counts(2, task, model_options);
  KnownFeaturesModel linear(mdp->kernel().phi().to_dense(), 2, task, model_options);
  CHECK(explore(env, counts, options, SeedTree(1), {}).policy.choice() == best);
  CHECK(explore(env, linear, options, SeedTree(1), {}).policy.choice() == best);
}

}  // namespace comparators_test

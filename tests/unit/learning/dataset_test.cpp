#include "speder/learning/dataset.hpp"

#include <cmath>

#include "speder/core/tolerance.hpp"
#include "speder/mdp/planners/planning.hpp"
#include "speder/stats/statistics.hpp"
#include "tests/catch.hpp"
#include "tests/support/random_mdp.hpp"

using namespace speder;
using Catch::Matchers::Contains;

namespace dataset_test {
namespace {

const SeedTree kSeeds(17);
constexpr test::Shape kShape{10, 3, 4};
constexpr Index kDraws = 60'000;

struct Setting {
  std::shared_ptr<const TabularMdp> mdp;
  Policy policy;
};

Setting make(double gamma) {
  Rng rng = kSeeds.stream("mdp");
  auto mdp = std::make_shared<const TabularMdp>(test::random_mdp(kShape, gamma, rng));
  return {mdp, test::random_policy(kShape, rng)};
}

Vector exact_occupancy(const Setting& setting) {
  const TabularMdp& mdp = *setting.mdp;
  return visitation({mdp.kernel(), mdp.reward(), mdp.gamma()}, mdp.rho(), setting.policy,
                    PlanMethod::kDense)
      .mass;
}

}  // namespace

TEST_CASE("geometric_length: Pr(k) = (1−γ)γᵏ", "[learning][dataset]") {
  const double gamma = GENERATE(0.3, 0.9, 0.99);
  Rng rng = kSeeds.stream("lengths", static_cast<std::uint64_t>(gamma * 100));
  const Index cells = 2000;
  std::vector<std::int64_t> counts(cells + 1, 0);
  for (Index i = 0; i < kDraws; ++i) {
    const Index length = geometric_length(gamma, rng);
    REQUIRE(length >= 0);
    ++counts[static_cast<std::size_t>(std::min(length, cells))];
  }
  Vector law(cells + 1);
  for (Index k = 0; k < cells; ++k) law[k] = (1 - gamma) * std::pow(gamma, k);
  law[cells] = std::pow(gamma, cells);
  CHECK(chi_square_test(counts, law).p_value > tol::kFalseAlarm);
}

TEST_CASE("draw_from_occupancy: s ~ d^π, and as many steps as the geometric law says",
          "[learning][dataset]") {
  const Setting setting = make(GENERATE(0.5, 0.9));
  const Simulator env(setting.mdp);
  Rng rng = kSeeds.stream("occupancy");
  std::vector<std::int64_t> counts(static_cast<std::size_t>(kShape.states), 0);
  RunningMean steps;
  for (Index i = 0; i < kDraws; ++i) {
    const OccupancyDraw draw = draw_from_occupancy(env, setting.policy, rng);
    ++counts[static_cast<std::size_t>(index(draw.state))];
    steps.add(static_cast<double>(draw.steps));
  }
  CHECK(chi_square_test(counts, exact_occupancy(setting)).p_value > tol::kFalseAlarm);
  // Mean γ/(1−γ), standard deviation √γ/(1−γ); six standard errors: chance 2e-9.
  const double gamma = env.gamma();
  CHECK_THAT(steps.mean(),
             WithinAbs(gamma / (1 - gamma), 6 * std::sqrt(gamma / kDraws) / (1 - gamma)));
}

TEST_CASE("collect_episode: line 4 of Algorithm 1, all five marginals", "[learning][dataset]") {
  const Setting setting = make(0.8);
  const Simulator env(setting.mdp);
  const Kernel& P = setting.mdp->kernel();
  Rng rng = kSeeds.stream("episodes");
  const Index pairs = P.pairs();
  std::vector<std::int64_t> first(static_cast<std::size_t>(pairs * kShape.states), 0);
  std::vector<std::int64_t> second(first.size(), 0);
  for (Index i = 0; i < kDraws; ++i) {
    const Episode e = collect_episode(env, setting.policy, rng);
    REQUIRE(e.second.pair / kShape.actions == e.first.next);  // s' is where (s',a') starts
    REQUIRE(e.steps >= 2);
    ++first[static_cast<std::size_t>(e.first.pair * kShape.states + e.first.next)];
    ++second[static_cast<std::size_t>(e.second.pair * kShape.states + e.second.next)];
  }
  // Law of (s,a,s'): d^π(s) P(s'|s,a)/|A|;  of (s',a',s̃): [∑_{s,a} d^π P/|A|](s') P(s̃|s',a')/|A|.
  const Matrix dense = P.dense();
  const Vector x1 = Policy::uniform(kShape.states, kShape.actions).joint(exact_occupancy(setting));
  const Vector next = dense.transpose() * x1;
  const Vector x2 = Policy::uniform(kShape.states, kShape.actions).joint(next);
  Vector law1(pairs * kShape.states);
  Vector law2(pairs * kShape.states);
  for (Index x = 0; x < pairs; ++x) {
    law1.segment(x * kShape.states, kShape.states) = x1[x] * dense.row(x).transpose();
    law2.segment(x * kShape.states, kShape.states) = x2[x] * dense.row(x).transpose();
  }
  CHECK(chi_square_test(first, law1).p_value > tol::kFalseAlarm);
  CHECK(chi_square_test(second, law2).p_value > tol::kFalseAlarm);
}

TEST_CASE("collect_from_occupancy: (s,a,s') ~ d^π π P, independent draws", "[learning][dataset]") {
  const Setting setting = make(0.8);
  const Simulator env(setting.mdp);
  Rng rng = kSeeds.stream("stationary");
  const Dataset data = collect_from_occupancy(env, setting.policy, kDraws, rng);
  CHECK(data.gamma == 0.8);
  CHECK(std::ssize(data.steps) == kDraws);
  CHECK(data.env_steps >= kDraws);
  const Vector joint = setting.policy.joint(exact_occupancy(setting));
  std::vector<std::int64_t> counts(static_cast<std::size_t>(joint.size()), 0);
  for (const Step& step : data.steps) ++counts[static_cast<std::size_t>(step.pair)];
  CHECK(chi_square_test(counts, joint).p_value > tol::kFalseAlarm);
}

TEST_CASE("collect_trajectory: the same occupancy in the long run", "[learning][dataset]") {
  const Setting setting = make(0.8);
  const Simulator env(setting.mdp);
  Rng rng = kSeeds.stream("trajectory");
  const Dataset data = collect_trajectory(env, setting.policy, kDraws, rng);
  CHECK(std::ssize(data.steps) == kDraws);
  CHECK(data.env_steps == kDraws);
  const Vector joint = setting.policy.joint(exact_occupancy(setting));
  Vector frequency = Vector::Zero(joint.size());
  for (const Step& step : data.steps) frequency[step.pair] += 1.0 / kDraws;
  // The chain restarts with probability 1−γ, so the variance of a mean over n steps is at most
  // (2/(1−γ)) p(1−p)/n; six standard deviations, 30 cells: chance below 1e-7.
  for (Index x = 0; x < joint.size(); ++x) {
    const double deviation = std::sqrt(2 / (1 - 0.8) * joint[x] * (1 - joint[x]) / kDraws);
    CHECK_THAT(frequency[x], WithinAbs(joint[x], 6 * deviation));
  }
}

TEST_CASE("datasets: no data and foreign policies are refused", "[learning][dataset]") {
  const Setting setting = make(0.8);
  const Simulator env(setting.mdp);
  Rng rng = kSeeds.stream("refused");
  CHECK_THROWS_WITH(collect_from_occupancy(env, setting.policy, 0, rng), Contains("at least one"));
  CHECK_THROWS_WITH(collect_trajectory(env, Policy::uniform(4, 2), 5, rng),
                    Contains("another MDP") && Contains("4 × 2"));
}

}  // namespace dataset_test

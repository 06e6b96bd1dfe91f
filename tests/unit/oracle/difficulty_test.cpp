#include "oracle/difficulty.hpp"

#include <cmath>

#include "core/tolerance.hpp"
#include "mdp/generate/families.hpp"
#include "oracle/exact_occupancy.hpp"
#include "oracle/exact_value.hpp"
#include "tests/catch.hpp"
#include "tests/support/random_mdp.hpp"

namespace speder {
namespace {
const SeedTree kSeeds(13);
constexpr double kClose = tol::kAgreement;
}  // namespace

TEST_CASE("gaps of a hand-written Q", "[oracle][difficulty]") {
  const Vector q{{1.0, 0.5, 0.75, 2.0, 2.0, 2.0, 0.0, 3.0, 2.9}};
  const Gaps gaps = suboptimality_gaps(q, 3, 0);
  CHECK_THAT(gaps.per_state[0], WithinAbs(0.25, kClose));
  CHECK(std::isinf(gaps.per_state[1]));
  CHECK_THAT(gaps.per_state[2], WithinAbs(0.1, kClose));
  CHECK_THAT(gaps.smallest, WithinAbs(0.1, kClose));
  CHECK(index(gaps.state) == 2);
  CHECK_THAT(gaps.largest, WithinAbs(3, kClose));
  CHECK_THAT(suboptimality_gaps(q, 3, 0.2).smallest, WithinAbs(0.25, kClose));  // 0.1 is a tie
  CHECK(std::isinf(suboptimality_gaps(q, 3, 5).smallest));
}

TEST_CASE("two-state chain: gap, spread and reachability in closed form", "[oracle][difficulty]") {
  const double p = 0.4;
  const double gamma = 0.9;
  const TabularMdp mdp = test::two_state(p, gamma);
  // π*: leave state 0, stay in 1. V(1) = 1/(1−γ), V(0) = γpV(1)/(1 − γ(1−p)).
  const double v1 = 1 / (1 - gamma);
  const double v0 = gamma * p * v1 / (1 - gamma * (1 - p));
  const PlanResult best = exact_optimum(mdp);
  CHECK_THAT(best.value[0], WithinAbs(v0, kClose * v1));
  CHECK_THAT(best.value[1], WithinAbs(v1, kClose * v1));
  CHECK_THAT(value_spread(best.value), WithinAbs(v1 - v0, kClose * v1));
  const Gaps gaps = suboptimality_gaps(best, 2, gamma);
  CHECK_THAT(gaps.per_state[0], WithinAbs(v0 - gamma * v0, kClose * v1));  // staying wastes a step
  CHECK_THAT(gaps.per_state[1], WithinAbs(gamma * p * (v1 - v0), kClose * v1));
  // The reward is the indicator of state 1, so max_π d^π(1) = (1−γ)V*(0); state 0: never leave.
  CHECK_THAT(state_reachability(mdp, state(1)).value, WithinAbs((1 - gamma) * v0, kClose));
  CHECK_THAT(state_reachability(mdp, state(0)).value, WithinAbs(1, kClose));
}

TEST_CASE("reachability: attained by its policy, not beaten by others", "[oracle][difficulty]") {
  Rng rng = kSeeds.stream("reach");
  const test::Shape shape{.states = 15, .actions = 3, .rank = 4};
  const TabularMdp mdp = test::random_mdp(shape, 0.9, rng);
  const Vector x = unit_vector(4, rng);
  const Vector f = mdp.kernel().phi().times(x).cwiseAbs2();
  const Reachability best = direction_reachability(mdp, x);
  const Policy attained = Policy::deterministic(best.policy, 3);
  CHECK_THAT(exact_occupancy(mdp, attained).pair_mass.dot(f), WithinAbs(best.value, kClose));
  for (int i = 0; i < 50; ++i) {
    const Policy other = test::random_policy(shape, rng);
    CHECK(exact_occupancy(mdp, other).pair_mass.dot(f) <= best.value + best.slack + kClose);
  }
}

TEST_CASE("horizons", "[oracle][difficulty]") {
  CHECK_THAT(effective_horizon(0.75), WithinAbs(4, kClose));
  for (const double gamma : {0.5, 0.9, 0.9999}) {
    for (const double epsilon : {1.0, 0.01, 1e-6}) {
      const auto H = static_cast<double>(truncation_horizon(gamma, epsilon));
      CHECK(std::pow(gamma, H) / (1 - gamma) <= epsilon * (1 + kClose));
      CHECK((H == 0 || std::pow(gamma, H - 1) / (1 - gamma) > epsilon * (1 - kClose)));
    }
  }
  CHECK(truncation_horizon(0.5, 3) == 0);  // everything is worth at most 2
  CHECK_THROWS_AS(truncation_horizon(1.0, 0.1), std::invalid_argument);
  CHECK_THROWS_AS(effective_horizon(0.0), std::invalid_argument);
}

TEST_CASE("mixtures: value and occupancy are the means of the members'", "[oracle][exact]") {
  Rng rng = kSeeds.stream("mixture");
  const test::Shape shape{.states = 9, .actions = 2, .rank = 3};
  const TabularMdp mdp = test::random_mdp(shape, 0.95, rng);
  const MixturePolicy mixture{
      {test::random_policy(shape, rng), test::random_deterministic_policy(shape, rng),
       Policy::uniform(9, 2)},
      Vector{{0.2, 0.5, 0.3}}};
  double mean = 0;
  for (Index i = 0; i < 3; ++i)
    mean += mixture.weights[i] * exact_return(mdp, mixture.members[static_cast<std::size_t>(i)]);
  CHECK_THAT(exact_return(mdp, mixture), WithinAbs(mean, kClose));
  const Occupancy d = exact_occupancy(mdp, mixture);
  CHECK_THAT(d.pair_mass.sum(), WithinAbs(1, kClose));
  // V = ⟨d, r⟩ / (1 − γ) holds for the mixture as a whole.
  CHECK_THAT(d.pair_mass.dot(mdp.reward()) / (1 - mdp.gamma()), WithinAbs(mean, kClose * 20));
  for (Index s = 0; s < 9; ++s)
    CHECK_THAT(d.pair_mass.segment(2 * s, 2).sum(), WithinAbs(d.state_mass[s], kClose));
  CHECK_THROWS_AS(exact_value(mdp, MixturePolicy{{}, Vector()}), std::invalid_argument);
  CHECK_THROWS_AS(exact_value(mdp, MixturePolicy{mixture.members, Vector{{0.5, 0.5, 0.5}}}),
                  std::invalid_argument);
}

TEST_CASE("every family: d^π sums to one and V = ⟨d^π, r⟩/(1−γ)", "[oracle][exact]") {
  for (const Family& family : families()) {
    if (family.name == "file") continue;
    const TabularMdp mdp = generate({.family = std::string(family.name), .seed = 7});
    const Policy uniform = Policy::uniform(mdp.states(), mdp.actions());
    const Occupancy d = exact_occupancy(mdp, uniform);
    CAPTURE(family.name);
    CHECK_THAT(d.pair_mass.sum(), WithinAbs(1, kClose));
    CHECK(d.pair_mass.minCoeff() >= -kClose);
    CHECK_THAT(d.pair_mass.dot(mdp.reward()),
               WithinAbs((1 - mdp.gamma()) * exact_return(mdp, uniform), kClose));
  }
}

}  // namespace speder

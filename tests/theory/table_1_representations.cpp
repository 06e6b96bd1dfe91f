#include "speder/core/tolerance.hpp"
#include "speder/mdp/families/families.hpp"
#include "speder/mdp/planners/planning.hpp"
#include "speder/oracle/exact.hpp"
#include "speder/oracle/kernel_svd.hpp"
#include "speder/oracle/linear_fit.hpp"
#include "speder/oracle/representation_gap.hpp"
#include "speder/oracle/representations.hpp"
#include "tests/catch.hpp"
#include "tests/support/random_mdp.hpp"

namespace speder::table_1_representations {
namespace {

using test::Shape;
const SeedTree kSeeds(209);
constexpr Shape kShape{.states = 40, .actions = 3, .rank = 6};
constexpr double kExact = tol::kAgreement;  // relative; one evaluation and one least squares

Vector equal(Index n) { return Vector::Constant(n, 1.0 / static_cast<double>(n)); }

struct Setting {
  TabularMdp mdp;
  Policy behaviour;
  Policy other;
};

Setting make(int instance) {
  Rng rng = kSeeds.stream("table-1", static_cast<std::uint64_t>(instance));
  TabularMdp mdp = instance % 2 == 0
                       ? test::random_mdp(kShape, 0.9, rng)
                       : test::with_random_reward(test::signed_kernel(kShape, rng), 0.9, rng);
  Policy behaviour = test::random_policy(kShape, rng);
  Policy other = test::random_deterministic_policy(kShape, rng);
  return {std::move(mdp), std::move(behaviour), std::move(other)};
}

std::vector<RepresentationGap> gaps(const Setting& s, const Policy& target) {
  const Vector pairs = equal(s.mdp.pairs());
  const Vector states = equal(s.mdp.states());
  return representation_gaps({s.mdp, s.behaviour, target, pairs, states, kShape.rank}).rows;
}

}  // namespace

TEST_CASE("Eq. linear_q: Q^π of any policy is linear in φ and in the SVD of P",
          "[theory][identity][eq:linear_q]") {
  const int instance = GENERATE(range(0, 10));
  const Setting s = make(instance);
  const Vector w = equal(s.mdp.pairs());
  const Matrix f = left_functions(s.mdp.kernel(), kernel_svd(s.mdp.kernel(), w));
  REQUIRE(f.cols() == kShape.rank);
  const Policy best = Policy::deterministic(exact_optimum(s.mdp).policy, kShape.actions);
  for (const Policy* pi : {&s.behaviour, &s.other, &best}) {
    const Vector Q = exact_value(s.mdp, *pi).q;
    CHECK(best_linear_fit(Q, s.mdp.kernel().phi().to_dense(), w).relative_sup <= kExact);
    CHECK(best_linear_fit(Q, f, w).relative_sup <= kExact);
    // The weights are those of the equation: θ_r + γ ∫ V μ.
    const Vector theta =
        s.mdp.theta() + s.mdp.gamma() * s.mdp.kernel().project(exact_value(s.mdp, *pi).value);
    CHECK((s.mdp.kernel().phi().times(theta) - Q).cwiseAbs().maxCoeff() <=
          kExact * Q.cwiseAbs().maxCoeff());
  }
}

TEST_CASE("Table 1: state-only features fit the policy they were built under, no other",
          "[theory][table:spectral_connections]") {
  const Setting s = make(GENERATE(range(0, 4)));
  const auto own = gaps(s, s.behaviour);
  const auto moved = gaps(s, s.other);
  CHECK(own[0].q_equal <= kExact);
  CHECK(moved[0].q_equal <= kExact);
  CHECK(moved[0].v <= kExact);
  // V^π − r^π = γP^πV^π lies in the left space of svd(P^π), and r^π = Φ^πθ too: exact for π …
  CHECK(own[4].v <= kExact);
  for (std::size_t i = 1; i < own.size(); ++i) {
    CAPTURE(own[i].name);
    // … while for π' ≠ π every one of the four misses Q even with A times as many weights,
    CHECK(moved[i].q_generous > 1e-4);
    CHECK(moved[i].v > 1e-4);
    // and at equal dimension by at least as much.
    CHECK(moved[i].q_equal >= moved[i].q_generous);
  }
}

TEST_CASE("Table 1: without a linear reward the claim concerns Q − r",
          "[theory][table:spectral_connections]") {
  Setting s = make(0);
  Rng rng = kSeeds.stream("nonlinear");
  Vector reward(s.mdp.pairs());
  for (double& x : reward) x = rng.uniform();
  s.mdp = TabularMdp(s.mdp.kernel(), {reward, Vector()}, s.mdp.rho(), s.mdp.gamma());
  const Vector pairs = equal(s.mdp.pairs());
  const Vector states = equal(s.mdp.states());
  const auto table = representation_gaps({s.mdp, s.behaviour, s.other, pairs, states, kShape.rank});
  CHECK(table.reward_subtracted);
  CHECK(table.rows[0].q_equal <= kExact);
  const Vector Q = exact_value(s.mdp, s.other).q;
  CHECK(best_linear_fit(Q, s.mdp.kernel().phi().to_dense(), equal(s.mdp.pairs())).relative_l2 >
        1e-3);
}

TEST_CASE("Table 1: r linear in φ does not put Q in the span of the SVD of P when rank(P) < d",
          "[theory][table:spectral_connections]") {
  // Canonical features, d = |S||A|: any reward is linear in φ, but rank(P) = |S|.
  const TabularMdp mdp = generate({.family = "canonical", .seed = 5});
  REQUIRE(mdp.theta().size() == mdp.pairs());
  const Vector w = equal(mdp.pairs());
  const Vector states = equal(mdp.states());
  const Policy uniform = Policy::uniform(mdp.states(), mdp.actions());
  const Policy best = Policy::deterministic(exact_optimum(mdp).policy, mdp.actions());
  const Matrix f = left_functions(mdp.kernel(), kernel_svd(mdp.kernel(), w));
  const Vector Q = exact_value(mdp, best).q;
  CHECK(best_linear_fit(Q, f, w).unexplained > 1e-2);
  CHECK(best_linear_fit(Q - mdp.reward(), f, w).unexplained <= kExact);
  const auto table = representation_gaps({mdp, uniform, best, w, states, f.cols()});
  CHECK(table.reward_subtracted);
  CHECK(table.rows[0].q_equal <= kExact);
}

TEST_CASE("Table 1: in a block MDP the state-only features are as good as the SVD of P",
          "[theory][table:spectral_connections]") {
  // Each state reveals its latent, so Q(·,a) is a function of the latent for every policy that
  // looks at the latent alone: the paper's "might not be generalizable" is no general failure.
  const TabularMdp mdp = generate({.family = "block", .seed = 5});
  const Vector w = equal(mdp.pairs());
  const Vector states = equal(mdp.states());
  const Policy uniform = Policy::uniform(mdp.states(), mdp.actions());
  const Policy best = Policy::deterministic(exact_optimum(mdp).policy, mdp.actions());
  const auto table = representation_gaps({mdp, uniform, best, w, states, mdp.rank()});
  CHECK(table.rows[4].q_generous <= kExact);  // spectral state-aggregation
}

TEST_CASE("Table 1, negative control: below the rank the SVD of P is not exact either",
          "[theory][table:spectral_connections]") {
  const Setting s = make(0);
  const Vector pairs = equal(s.mdp.pairs());
  const Vector states = equal(s.mdp.states());
  const auto rows =
      representation_gaps({s.mdp, s.behaviour, s.other, pairs, states, kShape.rank - 2}).rows;
  CHECK(rows[0].q_equal > 1e-6);
}

}  // namespace speder::table_1_representations

// The product class by pairs of siblings against the same class written out member by member.
#include <cmath>
#include <memory>

#include "speder/core/tolerance.hpp"
#include "speder/learning/needle_estimator.hpp"
#include "speder/learning/needle_learner.hpp"
#include "speder/learning/representation.hpp"
#include "speder/mdp/families/families.hpp"
#include "speder/mdp/families/latent.hpp"
#include "speder/mdp/planners/factored_planner.hpp"
#include "tests/catch.hpp"

using namespace speder;

namespace needle_learning_test {
namespace {

// Of no round numbers: members that differ on the data have different losses.
NeedleShape odd_shape(Index doors, Index actions, Index levels, double overlap) {
  return {.doors = doors,
          .actions = actions,
          .copies = 2,
          .gamma = 0.83,
          .overlap = overlap,
          .lead = 0.37130219,
          .levels = levels,
          .one_key = actions > 2};
}

std::shared_ptr<const TabularMdp> make_mdp(const NeedleShape& shape, std::uint64_t seed) {
  InstanceSpec spec{.family = "needle",
                    .actions = shape.actions,
                    .rank = shape.rank(),
                    .gamma = shape.gamma,
                    .seed = seed};
  spec.knobs = {{"overlap", shape.overlap},
                {"lead", shape.lead},
                {"copies", 2},
                {"rotate", 0},
                {"one_key", shape.one_key ? 1 : 0}};
  return std::make_shared<TabularMdp>(generate(spec));
}

std::vector<Kernel> written_out(const NeedleClass& F) {
  std::vector<Kernel> kernels;
  for (std::int64_t i = 0; i < std::llround(std::exp(F.log_size())); ++i)
    kernels.push_back(needle_kernel(F.shape(), F.member(i)));
  return kernels;
}

struct Case {
  Index doors, actions, levels;
  double overlap;
};
// Overlaps are dyadic, so that sums over emissions are exact and ties are ties in any order; at 0.125 no
// two needles of a pair make up for each other.
constexpr Case kCases[] = {
    {2, 2, 1, 0.125}, {2, 3, 2, 0.125}, {2, 2, 2, 0.0}, {2, 3, 1, 0.125}, {4, 2, 1, 0.125}};

}  // namespace

TEST_CASE("needle estimator: the minimiser by pairs is the minimiser of the enumeration",
          "[learning][needle]") {
  for (const Case& c : kCases) {
    const NeedleShape shape = odd_shape(c.doors, c.actions, c.levels, c.overlap);
    const NeedleClass F(shape, SeedTree(4));
    const FeatureClass all = FeatureClass::of(written_out(F));
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      const Simulator env(make_mdp(shape, seed));
      NeedleEstimator by_pairs(F);
      Estimator by_members(all, Criterion::kLeastSquares);
      Rng rng(seed);
      StateId s = env.reset(rng);
      for (int i = 0; i < 300; ++i) {
        CAPTURE(c.doors, c.actions, c.levels, c.overlap, seed, i);
        // Mostly action 1, so that contexts are reached.
        const Index a = rng.bernoulli(0.8) ? 1 : rng.index(shape.actions);
        const Transition t = env.step(s, action(a), rng);
        const Step step{pair_index(t.state, t.action, shape.actions), index(t.next)};
        by_pairs.add(step);
        by_members.add(step);
        REQUIRE(by_pairs.best() == F.member(by_members.best().candidate));
        s = t.next;
      }
    }
  }
}

TEST_CASE("needle learner: the policies and values of online_speder on the members written out",
          "[learning][needle]") {
  for (const Case& c : kCases) {
    const NeedleShape shape = odd_shape(c.doors, c.actions, c.levels, c.overlap);
    const NeedleClass F(shape, SeedTree(6));
    const FeatureClass all = FeatureClass::of(written_out(F));
    for (const double c_alpha : {0.0, 0.003, 0.05}) {
      const Simulator env(make_mdp(shape, 11));
      const BonusConstants constants{.alpha = c_alpha, .lambda = 0.01};
      std::vector<std::vector<std::int32_t>> policies;
      std::vector<double> values;
      const Index episodes = c.doors == 2 ? 300 : 100;
      needle_speder(env, F, {.episodes = episodes, .bonus = constants}, SeedTree(9),
                    [&](const NeedleReport& r) {
                      std::vector<std::int32_t> policy;
                      for (Index s = 0; s < shape.states(); ++s)
                        policy.push_back(r.policy[static_cast<std::size_t>(shape.group_of(s))]);
                      policies.push_back(policy);
                      values.push_back(r.value);
                      return true;
                    });
      const auto mdp = make_mdp(shape, 11);
      (void)online_speder(
          env, all, {.episodes = episodes, .bonus = constants}, SeedTree(9),
          [&](const LearnerReport& r) {
            CAPTURE(c.doors, c.actions, c.overlap, c_alpha, r.n);
            const auto i = static_cast<std::size_t>(r.n - 1);
            REQUIRE(r.policy.choice() == policies[i]);
            const double value = mdp->rho().dot(r.value);
            REQUIRE(std::abs(value - values[i]) <= 1e3 * tol::kBellman * (1 + value));
            return true;
          });
    }
  }
}

TEST_CASE("needle learner: numbers told to the schedules take the place of the class's own",
          "[learning][needle]") {
  const NeedleShape shape = odd_shape(2, 2, 1, 0.125);
  const NeedleClass F(shape, SeedTree(6));
  const Simulator env(make_mdp(shape, 11));
  const auto alpha = [&](NeedleOptions told) {
    told.episodes = 1;
    told.bonus = {.alpha = 0.05, .lambda = 0.01};
    double out = 0;
    needle_speder(env, F, told, SeedTree(9), [&](const NeedleReport& r) {
      out = r.alpha;
      return true;
    });
    return out;
  };
  const double own = alpha({});
  const double rank = static_cast<double>(shape.rank());
  const double horizon = 1 / (1 - shape.gamma);
  CHECK(own > 0);
  CHECK(alpha({.log_class = F.log_size()}) == Approx(own));
  REQUIRE(F.log_size() > 1);
  CHECK(alpha({.log_class = 0.5}) < alpha({.log_class = 1}));  // classes of a member or two
  CHECK(alpha({.log_class = 1}) < own);
  CHECK(alpha({.alpha_rank = rank}) == Approx(own));
  CHECK(alpha({.alpha_rank = 0.5}) == Approx(own * 0.5 / rank));
  CHECK(alpha({.alpha_actions = 2}) == Approx(own));
  CHECK(alpha({.alpha_actions = 1}) < own);
  CHECK(alpha({.alpha_horizon = horizon}) == Approx(own));
  CHECK(alpha({.alpha_horizon = 2 * horizon}) > own);
}

TEST_CASE("needle: bonus and plan do not depend on the rotation of the factors",
          "[learning][needle]") {
  const NeedleShape shape = odd_shape(4, 3, 2, 0.2);
  const NeedleMember member = draw_needles(shape, SeedTree(2));
  Rng rng(5);
  const Matrix Q = random_rotation(shape.rank(), rng);
  const Matrix phi = Matrix(needle_phi(shape, member));
  const Matrix mu = Matrix(needle_emission(shape, member));
  const Vector nu = Vector::Ones(shape.states());
  const Vector reward = phi.col(NeedleShape::kPaid);
  const auto planned = [&](const Matrix& Phi, const Matrix& Mu) {
    EllipticalBonus bonus(Phi.rows(), Phi.cols());
    Rng visits(8);
    bonus.set_features(Phi);
    for (int i = 0; i < 200; ++i) bonus.visit(visits.index(Phi.rows()));
    FactoredPlanner planner(shape.states(), shape.actions, shape.rank());
    const Vector r = reward + bonus.bonus(0.5, 0.1);
    return planner.plan({Phi, Mu, nu, r, shape.gamma}).value;
  };
  const Vector plain = planned(phi, mu);
  const Vector turned = planned(phi * Q, mu * Q);
  CHECK((plain - turned).cwiseAbs().maxCoeff() <= 1e3 * tol::kBellman * plain.maxCoeff());
}

}  // namespace needle_learning_test

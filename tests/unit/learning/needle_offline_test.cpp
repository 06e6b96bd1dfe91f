// Algorithm 2 on counted steps of a needle class against the same class written out member by member.
#include "speder/learning/needle_offline.hpp"

#include <cmath>
#include <memory>

#include "speder/core/tolerance.hpp"
#include "speder/learning/offline.hpp"
#include "speder/mdp/families/families.hpp"
#include "tests/catch.hpp"

using namespace speder;

namespace needle_offline_test {
namespace {

struct Case {
  Index doors, actions, levels;
  double overlap;
};
// Dyadic overlaps: sums over emissions are exact, so that ties are ties in any order.
constexpr Case kCases[] = {{2, 2, 1, 0.125}, {2, 3, 2, 0.125}, {4, 2, 1, 0.125}};

NeedleShape shape_of(const Case& c) {
  return {.doors = c.doors,
          .actions = c.actions,
          .copies = 2,
          .gamma = 0.83,
          .overlap = c.overlap,
          .lead = 0.37130219,
          .levels = c.levels};
}

std::shared_ptr<const TabularMdp> make_mdp(const NeedleShape& shape) {
  InstanceSpec spec{.family = "needle",
                    .actions = shape.actions,
                    .rank = shape.rank(),
                    .gamma = shape.gamma,
                    .seed = 5};
  spec.knobs = {{"overlap", shape.overlap}, {"lead", shape.lead}, {"copies", 2}, {"rotate", 0}};
  return std::make_shared<TabularMdp>(generate(spec));
}

// Whether both kernels have the same rows at the pairs seen.
bool same_on(const NeedleShape& shape, const NeedleMember& one, const NeedleMember& other,
             std::span<const Step> steps) {
  const Kernel P = needle_kernel(shape, one), Q = needle_kernel(shape, other);
  for (const Step& step : steps)
    if ((P.dense_row(step.pair) - Q.dense_row(step.pair)).cwiseAbs().maxCoeff() > tol::kSimplex)
      return false;
  return true;
}

}  // namespace

TEST_CASE("needle offline: the policies and values of offline_speder on the members written out",
          "[learning][needle][offline]") {
  int compared = 0, ties = 0;
  for (const Case& c : kCases) {
    const NeedleShape shape = shape_of(c);
    const NeedleClass F(shape, SeedTree(6));
    std::vector<Kernel> kernels;
    for (std::int64_t i = 0; i < std::llround(std::exp(F.log_size())); ++i)
      kernels.push_back(needle_kernel(shape, F.member(i)));
    const FeatureClass all = FeatureClass::of(kernels);
    const auto mdp = make_mdp(shape);
    Rng rng(3);
    const Dataset data = collect_from_occupancy(
        Simulator(mdp), Policy::uniform(shape.states(), shape.actions), 600, rng);
    for (const double c_alpha : {0.0, 0.001, 0.02}) {
      OfflineOptions options;
      options.bonus = {.alpha = c_alpha, .lambda = 0.01};
      options.omega = static_cast<double>(shape.actions);
      options.checkpoints = {1, 7, 50, 200, 600};
      NeedleOffline learner(F);
      const BonusSchedule schedule =
          offline_schedule(F, options.bonus, options.delta, options.omega);
      std::size_t seen = 0;
      (void)offline_speder(
          data, all, {mdp->reward(), mdp->gamma()}, options, [&](const LearnerReport& r) {
            CAPTURE(c.doors, c.actions, c_alpha, r.n);
            const auto end = static_cast<std::size_t>(r.n);
            learner.add(needle_counts(shape, std::span(data.steps).subspan(seen, end - seen)));
            seen = end;
            // Two needles of one pair at the same arm and level say the same whoever owns the halves:
            // a tie that rounding may break either way. Anything else is a mistake.
            if (!(learner.member() == F.member(r.candidate))) {
              REQUIRE(same_on(shape, learner.member(), F.member(r.candidate),
                              std::span(data.steps).first(end)));
              ++ties;
              return true;
            }
            ++compared;
            const auto n = static_cast<double>(r.n);
            const auto plan = learner.plan(schedule.alpha(n), schedule.lambda(n));
            for (Index s = 0; s < shape.states(); ++s)
              REQUIRE(r.policy.choice()[static_cast<std::size_t>(s)] ==
                      plan.policy[static_cast<std::size_t>(shape.group_of(s))]);
            const double value = mdp->rho().dot(r.value);
            REQUIRE(std::abs(value - plan.value) <= 1e3 * tol::kBellman * (1 + std::abs(value)));
            return true;
          });
      CHECK(seen == data.steps.size());
    }
  }
  CHECK(compared > 3 * ties);
}

TEST_CASE("needle offline: a step counted k times is k steps", "[learning][needle][offline]") {
  const NeedleShape shape = shape_of(kCases[1]);
  const NeedleClass F(shape, SeedTree(2));
  NeedleEstimator counted(F), single(F);
  Rng rng(9);
  for (int i = 0; i < 200; ++i) {
    const Index half = rng.index(2 * shape.doors);
    const Index a = rng.index(shape.actions);
    const Index next = rng.bernoulli(0.6) ? shape.prize() : shape.blank();
    const Index k = 1 + rng.index(5);
    counted.add(2 * shape.doors + half, a, next, static_cast<double>(k));
    for (Index j = 0; j < k; ++j) single.add(2 * shape.doors + half, a, next, 1);
    REQUIRE(counted.best() == single.best());
  }
}

}  // namespace needle_offline_test

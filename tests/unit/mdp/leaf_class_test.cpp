// The family leaves: premises for random parameters, what is optimal and what it is worth.
#include "speder/mdp/classes/leaf_class.hpp"

#include <rapidcheck.h>

#include <cmath>

#include "speder/core/check.hpp"
#include "speder/core/tolerance.hpp"
#include "speder/mdp/conditions/conditions.hpp"
#include "speder/mdp/families/families.hpp"
#include "speder/mdp/families/own_class.hpp"
#include "speder/mdp/planners/planning.hpp"
#include "tests/catch.hpp"

using namespace speder;

namespace leaf_class_test {

TEST_CASE("leaves meets every premise, whatever the parameters; its values are known",
          "[mdp][families][leaves][property]") {
  const bool ok = rc::check("conditions and values", [] {
    InstanceSpec spec{.family = "leaves"};
    spec.actions = *rc::gen::inRange<Index>(2, 7);
    const Index depth = *rc::gen::inRange<Index>(1, 4);
    spec.rank = 2 * (Index{1} << depth) + 2;
    spec.seed = *rc::gen::arbitrary<std::uint64_t>();
    spec.gamma = 0.7 + 0.029 * *rc::gen::inRange(0, 11);
    spec.knobs["lead"] = 0.04 * *rc::gen::inRange(1, 12);
    spec.knobs["rotate"] = 0;
    const TabularMdp plain = generate(spec);
    RC_ASSERT(plain.states() >= 8 * plain.rank());
    for (const Condition& c : conditions(plain)) {
      RC_LOG(fmt::format("{} {} <= {} ({})\n", c.name, c.value, c.bound, c.how));
      RC_ASSERT(c.holds == Holds::kYes);
    }
    // V* = γ^{D+1} (p + (p γ² + (1 − p) γ) V*): D moves, one arm, the prize and its pay or a blank.
    const double g = spec.gamma;
    const double p = 0.5 + spec.knobs["lead"];
    const double way = std::pow(g, static_cast<double>(depth + 1));
    const double best = way * p / (1 - way * (p * g * g + (1 - p) * g));
    const PlanProblem problem{plain.kernel(), plain.reward(), g};
    RC_ASSERT(std::abs(plain.rho().dot(plan(problem).value) - best) <=
              1e3 * tol::kBellman / (1 - g));
    spec.knobs["rotate"] = 1;
    const TabularMdp turned = generate(spec);
    RC_ASSERT((turned.kernel().dense() - plain.kernel().dense()).cwiseAbs().maxCoeff() <=
              tol::kSimplex);
    ClassSpec own;
    own.kind = "own";
    own.size = 20;
    const CandidateClass made = own_class(turned, own, SeedTree(3));
    RC_ASSERT(made.truth.has_value());
    RC_ASSERT(made.distance[*made.truth] <= tol::kSimplex);
  });
  CHECK(ok);
  CHECK_THROWS_AS(generate({.family = "leaves", .rank = 12}), InputError);
}

TEST_CASE("leaves: the lower bound grows with the arms and falls with Δ²",
          "[mdp][classes][leaves]") {
  const LeafShape small{.depth = 5, .actions = 8, .lead = 0.01};
  LeafShape wide = small, clear = small;
  wide.actions = 16;
  clear.lead = 0.02;
  const double at = leaf_lower_bound(small, 0.05);
  CHECK(at > 0);
  CHECK(leaf_lower_bound(wide, 0.05) / at == Approx(2).epsilon(0.1));
  CHECK(at / leaf_lower_bound(clear, 0.05) == Approx(4).epsilon(0.01));
  // By hand: x = 256 arms, kl(½, 0.51) = −½ log(1 − 4·0.01²).
  CHECK(at == Approx(128 * std::log(1 / (2 * (0.05 + 4.0 / 256))) / (-0.5 * std::log(1 - 0.0004))));
  CHECK(leaf_lower_bound({.depth = 1, .actions = 2}, 0.4) == 0);
}

}  // namespace leaf_class_test

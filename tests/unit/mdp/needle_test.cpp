// The families latent and needle: premises for random parameters, the same kernel under every rotation
// and base measure, closed-form values against the planner.
#include "speder/mdp/classes/needle_class.hpp"

#include <rapidcheck.h>

#include <cmath>
#include <set>

#include "speder/core/check.hpp"
#include "speder/core/tolerance.hpp"
#include "speder/mdp/conditions/conditions.hpp"
#include "speder/mdp/families/families.hpp"
#include "speder/mdp/planners/planning.hpp"
#include "tests/catch.hpp"

using namespace speder;

namespace needle_test {
namespace {

double real(double low, double high) {
  return low + (high - low) * *rc::gen::inRange(0, 1001) / 1000;
}

InstanceSpec random_spec(const std::string& family) {
  InstanceSpec spec{.family = family};
  spec.actions = *rc::gen::inRange<Index>(2, 6);
  spec.seed = *rc::gen::arbitrary<std::uint64_t>();
  spec.gamma = real(0.7, 0.99);
  spec.knobs["overlap"] = real(0, 0.45);
  if (family == "needle") {
    spec.rank = 4 + 4 * *rc::gen::inRange<Index>(1, 5);
    spec.knobs["lead"] = real(0.05, 0.49);
    spec.knobs["one_key"] = *rc::gen::inRange(0, 2);
  } else {
    spec.rank = *rc::gen::inRange<Index>(2, 7);
    spec.states = 8 * spec.rank + *rc::gen::inRange<Index>(0, 9);
  }
  return spec;
}

NeedleShape shape_of(const InstanceSpec& spec) {
  return {.doors = spec.rank / 2 - 2,
          .actions = spec.actions,
          .gamma = spec.gamma,
          .overlap = spec.knobs.at("overlap"),
          .lead = spec.knobs.at("lead"),
          .one_key = spec.knobs.at("one_key") == 1};
}

}  // namespace

TEST_CASE("latent and needle meet every premise, whatever the parameters",
          "[mdp][families][needle][property]") {
  for (const std::string family : {"latent", "needle"}) {
    const bool ok = rc::check(family + ": all conditions hold", [&] {
      InstanceSpec spec = random_spec(family);
      spec.knobs["rotate"] = 0;
      const TabularMdp plain = generate(spec);
      RC_ASSERT(plain.states() >= 8 * plain.rank());
      for (const Condition& c : conditions(plain)) {
        RC_LOG(fmt::format("{} {} <= {} ({})\n", c.name, c.value, c.bound, c.how));
        RC_ASSERT(c.holds == Holds::kYes);
      }
      spec.knobs["rotate"] = 1;
      const TabularMdp turned = generate(spec);
      for (const Condition& c : conditions(turned)) {
        RC_LOG(fmt::format("rotated: {} {} <= {} ({})\n", c.name, c.value, c.bound, c.how));
        // A sup over signs is only bounded from both sides when |S| is large and factors are signed.
        RC_ASSERT(c.holds == Holds::kYes || (c.name == "mu_norm" && c.holds == Holds::kUnknown));
      }
      // Rows of φ may all lie near one latent, whose coordinates can be positive; μ has every latent.
      RC_ASSERT(std::min(turned.kernel().phi().smallest(), turned.kernel().mu().smallest()) < 0);
      RC_ASSERT((turned.kernel().dense() - plain.kernel().dense()).cwiseAbs().maxCoeff() <=
                tol::kSimplex);
      RC_ASSERT((turned.reward() - plain.reward()).cwiseAbs().maxCoeff() <= tol::kSimplex);
      spec.knobs["volume"] = 3;
      const TabularMdp scaled = generate(spec);
      RC_ASSERT((scaled.kernel().dense() - plain.kernel().dense()).cwiseAbs().maxCoeff() <=
                tol::kSimplex);
      RC_ASSERT(std::abs(scaled.kernel().nu().sum() - 3) <= tol::kSimplex * 3);
    });
    CHECK(ok);
  }
}

TEST_CASE("needle: values in closed form are the planner's and do not move with d and |A|",
          "[mdp][families][needle][property]") {
  const bool ok = rc::check("V*, refusal and random policies", [] {
    InstanceSpec spec = random_spec("needle");
    spec.knobs["rotate"] = 0;
    const TabularMdp mdp = generate(spec);
    const NeedleShape shape = shape_of(spec);
    const NeedleValues values = needle_values(shape);
    const NeedleMember truth = draw_needles(shape, SeedTree(spec.seed));
    const PlanProblem problem{mdp.kernel(), mdp.reward(), mdp.gamma()};
    const double tolerance = 1e3 * tol::kBellman / (1 - mdp.gamma());
    RC_ASSERT(std::abs(mdp.rho().dot(plan(problem).value) - values.best) <= tolerance);
    RC_ASSERT(values.refusal < values.best);
    NeedleShape other = shape;
    other.doors = 20;
    other.actions = 9;
    RC_ASSERT(needle_values(other).best == values.best);
    Rng rng(spec.seed);
    for (int i = 0; i < 3; ++i) {
      std::vector<std::int32_t> policy(static_cast<std::size_t>(shape.groups()));
      for (auto& a : policy) a = i == 0 ? 0 : static_cast<std::int32_t>(rng.index(shape.actions));
      std::vector<std::int32_t> choice;
      for (Index s = 0; s < shape.states(); ++s)
        choice.push_back(policy[static_cast<std::size_t>(shape.group_of(s))]);
      const Vector V = evaluate(problem, Policy::deterministic(choice, shape.actions)).value;
      const double value = needle_value(shape, truth, policy);
      RC_ASSERT(std::abs(mdp.rho().dot(V) - value) <= tolerance);
      if (i == 0) RC_ASSERT(std::abs(value - values.refusal) <= tolerance);
    }
  });
  CHECK(ok);
}

TEST_CASE("needle class: members are counted once each, the truth is one of them",
          "[mdp][classes][needle]") {
  const NeedleShape shape{.doors = 2, .actions = 2, .levels = 1};
  const NeedleClass F(shape, SeedTree(3));
  CHECK(F.log_size() == Approx(std::log(50.0)));
  const NeedleMember truth = draw_needles(shape, SeedTree(8));
  std::set<std::vector<int>> seen;
  bool found = false;
  for (int i = 0; i < 50; ++i) {
    const NeedleMember m = F.member(i);
    std::vector<int> key{m.swapped[0]};
    for (const Needle& n : m.needle) key.insert(key.end(), {n.action, n.action < 0 ? 0 : n.level});
    seen.insert(key);
    found = found || m == truth;
    CHECK(F.place(0, m.needle[0]) == i / 5 % 5);
    CHECK(F.place(1, m.needle[1]) == i % 5);
  }
  CHECK(seen.size() == 50);
  CHECK(found);
  CHECK_THROWS_AS(NeedleClass({.doors = 3}, SeedTree(1)), InputError);
  CHECK_THROWS_AS(NeedleClass({.lead = 0.5}, SeedTree(1)), InputError);
}

}  // namespace needle_test

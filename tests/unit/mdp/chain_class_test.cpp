// The family chain: premises for random parameters, what is optimal, what refusing is worth, and what its
// class may say.
#include "speder/mdp/classes/chain_class.hpp"

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

namespace chain_class_test {
namespace {

InstanceSpec any_chain() {
  InstanceSpec spec{.family = "chain"};
  spec.actions = *rc::gen::inRange<Index>(2, 7);
  spec.rank = *rc::gen::inRange<Index>(7, 14);
  spec.seed = *rc::gen::arbitrary<std::uint64_t>();
  spec.gamma = 0.7 + 0.029 * *rc::gen::inRange(0, 11);
  spec.knobs["lead"] = 0.04 * *rc::gen::inRange(1, 12);
  spec.knobs["overlap"] = 0.07 * *rc::gen::inRange(0, 7);
  spec.knobs["climb"] = 0.1 * *rc::gen::inRange(2, 11);
  spec.knobs["rotate"] = 0;
  return spec;
}

double value_at_foot(const Kernel& kernel, const TabularMdp& mdp) {
  return mdp.rho().dot(plan({kernel, mdp.reward(), mdp.gamma()}).value);
}

}  // namespace

TEST_CASE("chain meets every premise, whatever the parameters; rotated it is the same MDP",
          "[mdp][families][chain][property]") {
  const bool ok = rc::check("conditions", [] {
    InstanceSpec spec = any_chain();
    const TabularMdp plain = generate(spec);
    RC_ASSERT(plain.states() >= 8 * plain.rank());
    for (const Condition& c : conditions(plain)) {
      RC_LOG(fmt::format("{} {} <= {} ({})\n", c.name, c.value, c.bound, c.how));
      RC_ASSERT(c.holds == Holds::kYes);
    }
    spec.knobs["rotate"] = 1;
    const TabularMdp turned = generate(spec);
    RC_ASSERT((turned.kernel().dense() - plain.kernel().dense()).cwiseAbs().maxCoeff() <=
              tol::kSimplex);
    RC_ASSERT(turned.kernel().phi().to_dense().minCoeff() < 0 ||
              turned.kernel().mu().to_dense().minCoeff() < 0);
  });
  CHECK(ok);
}

TEST_CASE("chain: V* and the value of never climbing are as in closed form",
          "[mdp][families][chain][property]") {
  const bool ok = rc::check("values", [] {
    const InstanceSpec spec = any_chain();
    const TabularMdp mdp = generate(spec);
    const ChainShape shape = chain_shape(resolve(spec));
    const ChainValues values = chain_values(shape);
    const double tolerance = 1e3 * tol::kBellman / (1 - spec.gamma);
    RC_ASSERT(0 < values.safe && values.safe < 1);
    RC_ASSERT(values.refusal < values.best);
    RC_ASSERT(std::abs(value_at_foot(mdp.kernel(), mdp) - values.best) <= tolerance);
    // Where nothing is to be found, refusing is best: the premises of a greedy learner's trap.
    const ChainMember empty;
    const double nu = mdp.kernel().nu()[0];
    const Kernel without(shape.actions, chain_phi(shape, empty),
                         SparseMatrix(chain_emission(shape, empty) / nu), mdp.kernel().nu());
    RC_ASSERT(std::abs(value_at_foot(without, mdp) - values.refusal) <= tolerance);
  });
  CHECK(ok);
}

TEST_CASE("chain: the class has the truth once, and members that differ in arms and owners",
          "[mdp][classes][chain]") {
  const ChainShape shape{.levels = 3, .actions = 4};
  const ChainMember truth = draw_chain(shape, SeedTree(5));
  const ChainSample sample = sample_chains(shape, truth, 400, SeedTree(6));
  REQUIRE(sample.members.size() == 400);
  int better = 0, swapped = 0;
  for (std::size_t i = 0; i < sample.members.size(); ++i) {
    const ChainMember& m = sample.members[i];
    CHECK((m == truth) == (static_cast<Index>(i) == sample.truth));
    for (const ChainArm& arm : m.arm) better += arm.action >= 0 && arm.kind == 0 ? 1 : 0;
    swapped += m.swapped ? 1 : 0;
  }
  CHECK(better < 400 / 2);  // of 800 statements; 4 in 37 say that an arm is better
  CHECK(swapped > 100);
  CHECK(swapped < 300);
  const TabularMdp mdp = generate({.family = "chain", .seed = 9});
  ClassSpec own;
  own.kind = "own";
  own.size = 30;
  const CandidateClass made = own_class(mdp, own, SeedTree(3));
  REQUIRE(made.truth.has_value());
  CHECK(made.distance[*made.truth] <= tol::kSimplex);
}

TEST_CASE("chain: sizes and knobs that make none are refused in one line",
          "[mdp][families][chain]") {
  CHECK_THROWS_AS(generate({.family = "chain", .rank = 6}), InputError);
  CHECK_THROWS_AS(generate({.family = "chain", .actions = 1}), InputError);
  CHECK_THROWS_AS(generate({.family = "chain", .states = 63}), InputError);
  InstanceSpec odd{.family = "chain"};
  odd.knobs["copies"] = 7;
  CHECK_THROWS_WITH(generate(odd), Catch::Contains("copies must be even"));
}

}  // namespace chain_class_test

// The family comblock: premises for random parameters, the code is optimal, uniform actions need
// |A|^H rounds, and its class holds what makes it hard.
#include "speder/mdp/classes/lock_class.hpp"

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

namespace lock_class_test {
namespace {

InstanceSpec random_lock(bool overlapping) {
  InstanceSpec spec{.family = "comblock"};
  spec.actions = *rc::gen::inRange<Index>(2, 6);
  spec.rank = 3 + 2 * *rc::gen::inRange<Index>(2, 7);
  spec.seed = *rc::gen::arbitrary<std::uint64_t>();
  spec.gamma = 0.9 + 0.009 * *rc::gen::inRange(0, 11);
  spec.knobs["leak"] = 0.1 * *rc::gen::inRange(1, 11);
  spec.knobs["overlap"] = overlapping ? 0.045 * *rc::gen::inRange(0, 11) : 0;
  spec.knobs["rotate"] = 0;
  return spec;
}

}  // namespace

TEST_CASE("comblock meets every premise, whatever the parameters",
          "[mdp][families][lock][property]") {
  const bool ok = rc::check("all conditions hold", [] {
    InstanceSpec spec = random_lock(true);
    const TabularMdp plain = generate(spec);
    RC_ASSERT(plain.states() >= 8 * plain.rank());
    for (const Condition& c : conditions(plain)) {
      RC_LOG(fmt::format("{} {} <= {} ({})\n", c.name, c.value, c.bound, c.how));
      RC_ASSERT(c.holds == Holds::kYes);
    }
    spec.knobs["rotate"] = 1;
    const TabularMdp turned = generate(spec);
    RC_ASSERT(std::min(turned.kernel().phi().smallest(), turned.kernel().mu().smallest()) < 0);
    RC_ASSERT((turned.kernel().dense() - plain.kernel().dense()).cwiseAbs().maxCoeff() <=
              tol::kSimplex);
    RC_ASSERT((turned.reward() - plain.reward()).cwiseAbs().maxCoeff() <= tol::kSimplex);
  });
  CHECK(ok);
}

TEST_CASE("comblock: the code is optimal, the reward does not tell it, uniform actions need |A|^H",
          "[mdp][families][lock][property]") {
  const bool ok = rc::check("disjoint emissions", [] {
    InstanceSpec spec = random_lock(false);
    const TabularMdp mdp = generate(spec);
    const LockShape shape = comblock_shape(resolve(spec));
    const LockMember truth = draw_lock(shape, SeedTree(spec.seed));
    const PlanProblem problem{mdp.kernel(), mdp.reward(), mdp.gamma()};
    const Policy code = Policy::deterministic(lock_policy(shape, truth), shape.actions);
    const double tolerance = 1e3 * tol::kBellman / (1 - mdp.gamma());
    RC_ASSERT(std::abs(mdp.rho().dot(plan(problem).value - evaluate(problem, code).value)) <=
              tolerance);
    // All actions of a state pay alike.
    const Matrix paid = Eigen::Map<const Matrix>(mdp.reward().data(), mdp.states(), mdp.actions());
    RC_ASSERT((paid.rowwise().maxCoeff() - paid.rowwise().minCoeff()).maxCoeff() <= tol::kSimplex);
    // A round of uniform actions opens the lock with probability |A|^−H.
    const Policy uniform = Policy::uniform(mdp.states(), mdp.actions());
    const Vector mass = visitation(problem, mdp.rho(), uniform).mass;
    const auto block = [&](Index latent) {
      return mass.segment(latent * shape.copies, shape.copies).sum();
    };
    const double expected =
        block(LockShape::kStart) * std::pow(mdp.gamma() / static_cast<double>(shape.actions),
                                            static_cast<double>(shape.levels));
    RC_ASSERT(std::abs(block(shape.prize()) - expected) <= tolerance);
  });
  CHECK(ok);
}

TEST_CASE("comblock's own class: the truth once, prefixes of the code in equal shares",
          "[mdp][classes][lock]") {
  const LockShape shape{.levels = 4, .actions = 3};
  const LockMember truth = draw_lock(shape, SeedTree(5));
  const LockSample sample = sample_locks(shape, truth, 401, SeedTree(6));
  std::vector<int> known(5, 0);
  int opening = 0;
  for (const LockMember& m : sample.members) {
    std::size_t prefix = 0;
    while (prefix < 4 && m.code[prefix] == truth.code[prefix]) ++prefix;
    ++known[prefix];
    bool opens = true;
    for (const LockLevel& level : m.code) opens = opens && level.action >= 0 && level.kind == 0;
    opening += opens ? 1 : 0;
  }
  CHECK(known[4] == 1);
  CHECK(sample.members[static_cast<std::size_t>(sample.truth)] == truth);
  for (std::size_t k = 0; k < 4; ++k) CHECK(std::abs(known[k] - 100) <= 1);
  // A member that is wrong about the last level alone still opens with chance 1/9 or so; few do.
  CHECK(opening < 60);
  CHECK(lock_log_size(shape) == Approx(4 * std::log(28.0) + 3 * std::log(2.0)));

  InstanceSpec spec{.family = "comblock", .seed = 7};
  const TabularMdp mdp = generate(spec);
  ClassSpec own;
  own.kind = "own";
  own.size = 40;
  const CandidateClass made = own_class(mdp, own, SeedTree(1));
  CHECK(made.distance[*made.truth] == 0);
  CHECK(made.nearest > 0);
  const TabularMdp other = generate({.family = "simplex"});
  CHECK_THROWS_AS(own_class(other, own, SeedTree(1)), InputError);
  CHECK_THROWS_AS(generate({.family = "comblock", .rank = 8}), InputError);
}

}  // namespace lock_class_test

// Occupancies and values of random policies by groups against the planners, and the law of the data.
#include "speder/mdp/classes/needle_process.hpp"

#include <rapidcheck.h>

#include <cmath>
#include <map>
#include <tuple>

#include "speder/core/tolerance.hpp"
#include "speder/mdp/families/families.hpp"
#include "speder/mdp/planners/planning.hpp"
#include "speder/stats/statistics.hpp"
#include "tests/catch.hpp"

using namespace speder;

namespace needle_process_test {
namespace {

NeedleShape random_shape() {
  return {.doors = 2 * *rc::gen::inRange<Index>(1, 4),
          .actions = *rc::gen::inRange<Index>(2, 5),
          .gamma = 0.7 + 0.029 * *rc::gen::inRange(0, 11),
          .overlap = 0.045 * *rc::gen::inRange(0, 11),
          .lead = 0.04 * *rc::gen::inRange(1, 12)};
}

GroupPolicy random_policy(const NeedleShape& shape, Rng& rng) {
  GroupPolicy out(shape.groups(), shape.actions);
  for (Index g = 0; g < shape.groups(); ++g) out.row(g) = dirichlet(shape.actions, 1, rng);
  return out;
}

}  // namespace

TEST_CASE("needle process: values and occupancies by groups are the planners'",
          "[mdp][needle][property]") {
  const bool ok = rc::check("random shapes and policies", [] {
    const NeedleShape shape = random_shape();
    InstanceSpec spec{.family = "needle",
                      .actions = shape.actions,
                      .rank = shape.rank(),
                      .gamma = shape.gamma,
                      .seed = *rc::gen::arbitrary<std::uint64_t>()};
    spec.knobs = {{"overlap", shape.overlap}, {"lead", shape.lead}, {"rotate", 0}};
    const TabularMdp mdp = generate(spec);
    const NeedleMember truth = draw_needles(shape, SeedTree(spec.seed));
    Rng rng(spec.seed);
    const GroupPolicy groups = random_policy(shape, rng);
    Matrix table(shape.states(), shape.actions);
    for (Index s = 0; s < shape.states(); ++s) table.row(s) = groups.row(shape.group_of(s));
    const Policy policy = Policy::stochastic(table);
    const PlanProblem problem{mdp.kernel(), mdp.reward(), mdp.gamma()};
    const double tolerance = 1e3 * tol::kBellman / (1 - mdp.gamma());
    RC_ASSERT(std::abs(mdp.rho().dot(evaluate(problem, policy).value) -
                       needle_value(shape, truth, groups)) <= tolerance);
    const Vector mass = visitation(problem, mdp.rho(), policy).mass;
    const Vector by_group = needle_occupancy(shape, truth, groups);
    RC_ASSERT(std::abs(by_group.sum() - 1) <= tolerance);
    Vector sum = Vector::Zero(shape.groups());
    for (Index s = 0; s < shape.states(); ++s) sum[shape.group_of(s)] += mass[s];
    RC_ASSERT((sum - by_group).cwiseAbs().maxCoeff() <= tolerance);
    // The moves of a group are those of each of its observations.
    const Index s = rng.index(shape.states());
    const Index a = rng.index(shape.actions);
    const Vector row = mdp.kernel().dense_row(pair_index(s, a, shape.actions));
    Vector moves = Vector::Zero(shape.groups());
    for (Index next = 0; next < shape.states(); ++next) moves[shape.group_of(next)] += row[next];
    for (const auto& [next, p] : needle_moves(shape, truth, shape.group_of(s), a)) moves[next] -= p;
    RC_ASSERT(moves.cwiseAbs().maxCoeff() <= tolerance);
  });
  CHECK(ok);
}

TEST_CASE("needle process: data have the law of d^pi, pi and P", "[mdp][needle]") {
  const NeedleShape shape{.doors = 2, .actions = 3, .overlap = 0.2};
  const NeedleMember truth = draw_needles(shape, SeedTree(4));
  Rng rng(8);
  const GroupPolicy policy = random_policy(shape, rng);
  const Vector mass = needle_occupancy(shape, truth, policy);
  std::map<std::tuple<Index, Index, Index>, double> expected;
  for (Index g = 0; g < shape.groups(); ++g) {
    const bool tells = g >= shape.hall(0) && g < shape.prize();
    for (Index a = 0; a < shape.actions; ++a)
      for (const auto& [next, p] : needle_moves(shape, truth, g, a))
        expected[{g, a, tells ? next : 0}] += mass[g] * policy(g, a) * p;
  }
  const NeedleData data(shape, truth, policy);
  constexpr Index kSteps = 100'000;
  std::map<std::tuple<Index, Index, Index>, std::int64_t> seen;
  std::int64_t total = 0;
  for (int call = 0; call < 2; ++call) {
    for (const NeedleCount& c : data.draw(kSteps / 2, rng)) {
      seen[{c.group, c.action, c.next}] += std::llround(c.count);
      total += std::llround(c.count);
    }
  }
  CHECK(total == kSteps);
  for (const auto& [kind, k] : seen) CHECK(expected.contains(kind));
  // Each count is binomial; both tails of all of them together at the false-alarm rate.
  const double alarm = tol::kFalseAlarm / (2 * static_cast<double>(expected.size()));
  for (const auto& [kind, p] : expected) {
    const std::int64_t k = seen.contains(kind) ? seen.at(kind) : 0;
    CHECK(binomial_upper_tail(kSteps, p, k) > alarm);
    CHECK(binomial_upper_tail(kSteps, 1 - p, kSteps - k) > alarm);
  }
}

}  // namespace needle_process_test

#include "speder/experiments/instances/instances.hpp"

#include <cmath>

#include "speder/core/tolerance.hpp"
#include "speder/experiments/learn/evaluate.hpp"
#include "tests/catch.hpp"

using namespace speder;

namespace instances_test {
namespace {

Policy constant_policy(const TabularMdp& mdp, std::int32_t a) {
  return Policy::deterministic(std::vector<std::int32_t>(static_cast<std::size_t>(mdp.states()), a),
                               mdp.actions());
}

// What the plan made in a candidate loses in the truth.
double loss_of(const LearnProblem& problem, TruthEvaluator& truth, Index candidate) {
  const TabularMdp& mdp = *problem.mdp;
  const Kernel model = problem.model_class.candidates.kernel(candidate);
  const PlanResult planned = plan({model, mdp.reward(), mdp.gamma()});
  return truth.optimal_value() -
         truth.at(Policy::deterministic(planned.policy, mdp.actions())).value;
}

void check_common(const LearnProblem& problem, Index size) {
  CHECK_NOTHROW(check_problem(problem));
  CHECK(problem.model_class.candidates.size() == size);
  REQUIRE(problem.model_class.truth);
  const TabularMdp& mdp = *problem.mdp;
  for (Index s = 0; s < mdp.states(); ++s) {  // the known reward says nothing about actions
    const Vector r = mdp.reward().segment(s * mdp.actions(), mdp.actions());
    CHECK(r.maxCoeff() == r.minCoeff());
  }
}

}  // namespace

TEST_CASE("make_chain: every other action loses exactly the gap, and so does every rival",
          "[experiments][instances]") {
  for (const double gamma : {0.6, 0.9}) {
    const ChainSpec spec{.actions = 4, .gamma = gamma, .gap = 0.11, .class_size = 13};
    const LearnProblem problem = make_chain(spec, SeedTree(5));
    check_common(problem, 13);
    TruthEvaluator truth(problem.mdp);
    int best = 0;
    for (std::int32_t a = 0; a < 4; ++a) {
      const double lost = truth.optimal_value() - truth.at(constant_policy(*problem.mdp, a)).value;
      best += std::abs(lost) < tol::kAgreement ? 1 : 0;
      if (std::abs(lost) > tol::kAgreement) CHECK(lost == Approx(spec.gap).epsilon(1e-9));
    }
    CHECK(best == 1);
    for (Index c = 0; c < 13; ++c) {
      const double expected = c == *problem.model_class.truth ? 0 : spec.gap;
      CHECK_THAT(loss_of(problem, truth, c), WithinAbs(expected, 1e-9));
    }
  }
  CHECK_THROWS_AS(make_chain({.gap = 1e3}, SeedTree(1)), InputError);
}

TEST_CASE("make_tree: leaf 0 loses exactly the gap; V* = γ^{depth+1} p / (1 − γ^{depth+2})",
          "[experiments][instances]") {
  for (const int depth : {1, 2, 3}) {
    const TreeSpec spec{.depth = depth, .gamma = 0.9, .gap = 0.2, .class_size = 10};
    const LearnProblem problem = make_tree(spec, SeedTree(7));
    check_common(problem, 10);
    CHECK(problem.mdp->rank() == (Index{1} << (depth + 1)) + 2);
    TruthEvaluator truth(problem.mdp);
    const double leftmost = truth.at(constant_policy(*problem.mdp, 0)).value;
    CHECK(truth.optimal_value() - leftmost == Approx(spec.gap).epsilon(1e-9));
    CHECK(leftmost == Approx(std::pow(0.9, depth + 1) * 0.5 / (1 - std::pow(0.9, depth + 2))));
  }
  TruthEvaluator plain(make_tree({.gap = 0.2, .has_needle = false}, SeedTree(7)).mdp);
  CHECK(plain.optimal_value() == Approx(plain.at(constant_policy(plain.mdp(), 0)).value));
  CHECK_NOTHROW(make_tree({.gap = largest_tree_gap(2, 0.9)}, SeedTree(1)));
  CHECK_THROWS_AS(make_tree({.gap = 1.01 * largest_tree_gap(2, 0.9)}, SeedTree(1)), InputError);
}

TEST_CASE("make_code: the right word earns ½ + Δ a step, its complement ½ − Δ",
          "[experiments][instances]") {
  const CodeSpec spec{.half = 8, .gamma = 0.5, .lead = 0.2, .class_size = 32};
  const LearnProblem problem = make_code(spec, SeedTree(3));
  check_common(problem, 32);
  CHECK(problem.mdp->rank() == 3);
  TruthEvaluator truth(problem.mdp);
  // The start is a good context; every later step is one with probability ½ ± Δ.
  const auto value = [&](double p) { return 1 + p * spec.gamma / (1 - spec.gamma); };
  CHECK(truth.optimal_value() == Approx(value(0.7)));
  std::vector<std::int32_t> wrong = truth.optimal().policy;
  for (std::int32_t& a : wrong) a = 1 - a;
  CHECK(truth.at(Policy::deterministic(wrong, 2)).value == Approx(value(0.3)));
  double mean = 0;
  for (Index c = 0; c < 32; ++c) mean += loss_of(problem, truth, c) / 31;
  // 31 random words of 16 bits: the mean share of wrong bits is ½ ± 0.022; ±5 deviations.
  const double random = spec.lead * spec.gamma / (1 - spec.gamma);
  CHECK(mean == Approx(random).epsilon(5 * 0.045));
}

TEST_CASE("make_lock_problem: V* = γ^depth / (1 − γ^{depth+1}), and few candidates open",
          "[experiments][instances]") {
  const LockSpec spec{.depth = 5, .actions = 3, .gamma = 0.9, .class_size = 65};
  const LearnProblem problem = make_lock_problem(spec, SeedTree(9));
  check_common(problem, 65);
  TruthEvaluator truth(problem.mdp);
  CHECK(truth.optimal_value() == Approx(std::pow(0.9, 5) / (1 - std::pow(0.9, 6))));
  int opens = 0;
  const TabularMdp& mdp = *problem.mdp;
  for (Index c = 0; c < 65; ++c) {
    const Kernel model = problem.model_class.candidates.kernel(c);
    double prize = 0;
    for (Index x = 0; x < mdp.pairs(); ++x) prize += model.dense_row(x)[spec.depth];
    opens += prize > 0.5 ? 1 : 0;
  }
  CHECK(opens == 1 + 8);  // the truth, and one rival in eight
}

}  // namespace instances_test

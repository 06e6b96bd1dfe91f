#include <cmath>

#include "speder/core/check.hpp"
#include "speder/core/parallel.hpp"
#include "speder/core/tolerance.hpp"
#include "speder/experiments/learn/session.hpp"
#include "speder/oracle/exact.hpp"
#include "speder/oracle/model_error.hpp"
#include "tests/catch.hpp"
#include "tests/support/random_mdp.hpp"

using namespace speder;
using Catch::Matchers::Contains;

namespace learn_test {
namespace {

const SeedTree kSeeds(43);
constexpr test::Shape kShape{10, 3, 3};

std::shared_ptr<const TabularMdp> make_mdp(double gamma = 0.85) {
  Rng rng = kSeeds.stream("mdp");
  return std::make_shared<const TabularMdp>(test::random_mdp(kShape, gamma, rng));
}

LearnProblem problem_of_size(Index size) {
  ClassSpec spec;
  spec.size = size;
  return make_problem(make_mdp(), spec, kSeeds);
}

OnlineRun online_run(const std::string& algorithm, Index episodes) {
  OnlineRun run;
  run.algorithm = algorithm;
  run.options.episodes = episodes;
  run.options.bonus = bonus_constants("tuned");
  return run;
}

// All columns but the wall clock, NaN as a text so that equal rows compare equal.
std::string digits(const std::vector<LearnRow>& rows) {
  std::string text;
  for (const LearnRow& row : rows) {
    for (const auto& [name, value] : columns(row)) {
      if (name != "seconds") text += fmt::format("{}={:a} ", name, value);
    }
    text += '\n';
  }
  return text;
}

}  // namespace

TEST_CASE("TruthEvaluator: values and occupancies are the oracle's", "[experiments][learn]") {
  const auto mdp = make_mdp();
  TruthEvaluator truth(mdp);
  Rng rng = kSeeds.stream("policies");
  CHECK_THAT(truth.optimal_value(),
             WithinAbs(mdp->rho().dot(exact_optimum(*mdp).value), tol::kAgreement));
  for (int i = 0; i < 20; ++i) {
    const Policy policy = i % 2 == 0 ? test::random_policy(kShape, rng)
                                     : test::random_deterministic_policy(kShape, rng);
    for (int again = 0; again < 2; ++again) {  // the second time from memory
      CHECK_THAT(truth.at(policy).value, WithinAbs(exact_return(*mdp, policy), tol::kAgreement));
      CHECK((truth.at(policy).mass - exact_occupancy(*mdp, policy).state_mass).cwiseAbs().sum() <=
            tol::kAgreement);
    }
  }
}

TEST_CASE("online rows: every truth column recomputed from the reports", "[experiments][learn]") {
  const std::string name = GENERATE("speder", "uniform");
  const LearnProblem problem = problem_of_size(30);
  const TabularMdp& mdp = *problem.mdp;
  TruthEvaluator truth(problem.mdp);
  OnlineRun run = online_run(name, 40);
  run.options.replan = GENERATE(Replan::kEvery, Replan::kDoubling);
  run.grid = {1, 7, 40};
  const LearnOutcome out = run_online(problem, truth, run);
  REQUIRE(out.rows.size() == 3);
  // The same run seen from outside.
  const Simulator env(problem.mdp);
  const double best = exact_return(mdp, Policy::deterministic(exact_optimum(mdp).policy, 3));
  double regret = 0;
  Policy data_policy = Policy::uniform(kShape.states, kShape.actions);
  Vector data_mass = Vector::Zero(kShape.states);
  std::size_t at = 0;
  const auto observe = [&](const LearnerReport& r) {
    data_mass += exact_occupancy(mdp, data_policy).state_mass;
    const double value = exact_return(mdp, r.policy);
    regret += best - value;
    if (name == "speder") data_policy = r.policy;
    if (r.n != run.grid[at]) return true;
    const LearnRow& row = out.rows[at++];
    const auto n = static_cast<double>(r.n);
    CHECK(row.n == r.n);
    CHECK_THAT(row.value_last, WithinAbs(value, tol::kAgreement));
    CHECK_THAT(row.gap_last, WithinAbs(best - value, tol::kAgreement));
    CHECK_THAT(row.regret, WithinAbs(regret, n * tol::kAgreement));
    CHECK_THAT(row.gap_mixture, WithinAbs(regret / n, tol::kAgreement));
    CHECK_THAT(row.value_mixture, WithinAbs(best - regret / n, tol::kAgreement));
    CHECK(row.candidate == r.candidate);
    CHECK(row.env_steps == r.env_steps);
    CHECK_THAT(row.bonus_sup, WithinAbs(r.bonus.maxCoeff(), 0));
    CHECK_THAT(row.optimism, WithinAbs(mdp.rho().dot(r.value) - best, tol::kAgreement));
    const Policy uniform = Policy::uniform(kShape.states, kShape.actions);
    const Vector x = uniform.joint(data_mass / n);
    const Vector next = mdp.kernel().dense().transpose() * x;
    const Kernel model = problem.model_class.candidates.kernel(r.candidate);
    CHECK_THAT(row.error_rho,
               WithinAbs(row_errors(mdp.kernel(), model, x).l2_squared, tol::kAgreement));
    CHECK_THAT(row.error_rho_next,
               WithinAbs(row_errors(mdp.kernel(), model, uniform.joint(next)).l2_squared,
                         tol::kAgreement));
    double squares = 0;
    for (Index s = 0; s < kShape.states; ++s) {
      squares += std::pow(r.bonus.segment(3 * s, 3).sum(), 2) * mdp.kernel().nu()[s];
    }
    CHECK_THAT(row.bonus_l2, WithinAbs(std::sqrt(squares), tol::kAgreement));
    return true;
  };
  const OnlineAlgorithm& algorithm = online_algorithm(name);
  CHECK(algorithm.run(problem, env, run.options, SeedTree(run.seed), observe).n == 40);
  CHECK(at == 3);
}

TEST_CASE("every online learner runs on one interface; the true model has no regret",
          "[experiments][learn]") {
  const LearnProblem problem = problem_of_size(30);
  TruthEvaluator truth(problem.mdp);
  for (const OnlineAlgorithm& algorithm : online_algorithms()) {
    CAPTURE(algorithm.name);
    const LearnOutcome out =
        run_online(problem, truth, online_run(std::string(algorithm.name), 200));
    CHECK(out.rows.back().n == 200);
    CHECK(out.rows.back().gap_last >= -tol::kAgreement);
    CHECK(out.rows.back().regret >= -200 * tol::kAgreement);
    const bool has_model = algorithm.has_class || algorithm.name == "spectral";
    CHECK(std::isnan(out.rows.back().error_rho) == !has_model);
    if (algorithm.name == "true-model") CHECK(out.rows.back().regret <= 200 * tol::kAgreement);
  }
  CHECK_THROWS_WITH(run_online(problem, truth, online_run("best", 5)),
                    Contains("no algorithm 'best'") && Contains("tabular-ucb"));
}

TEST_CASE("every offline learner runs on one interface", "[experiments][learn]") {
  const LearnProblem problem = problem_of_size(30);
  TruthEvaluator truth(problem.mdp);
  for (const OfflineAlgorithm& algorithm : offline_algorithms()) {
    CAPTURE(algorithm.name);
    OfflineRun run;
    run.algorithm = algorithm.name;
    run.transitions = 300;
    run.options.bonus = bonus_constants("tuned");
    run.behaviour.kind = "epsilon";
    const LearnOutcome out = run_offline(problem, truth, run);
    CHECK(out.rows.back().n == 300);
    CHECK(out.rows.back().gap_last >= -tol::kAgreement);
    CHECK(std::isnan(out.rows.back().regret));
    CHECK(out.result.env_steps >= 300);
    if (algorithm.name == "true-model") CHECK(out.rows.back().gap_last <= tol::kAgreement);
    if (!algorithm.has_class) continue;
    // (s,a) ~ d^{π_b} π_b
    const Vector x = exact_occupancy(*problem.mdp, out.behaviour.policy).pair_mass;
    const Kernel model = problem.model_class.candidates.kernel(out.result.candidate);
    CHECK_THAT(out.rows.back().error_rho,
               WithinAbs(row_errors(problem.mdp->kernel(), model, x).l2_squared, tol::kAgreement));
  }
}

TEST_CASE("same seed, any number of threads: identical rows", "[experiments][learn]") {
  const LearnProblem problem = problem_of_size(200);
  const auto sweep = [&](int jobs) {
    std::vector<std::string> rows(4);
    parallel_for(4, jobs, [&](Index i) {
      TruthEvaluator truth(problem.mdp);
      OnlineRun run = online_run(i % 2 == 0 ? "speder" : "rep-ucb", 300);
      run.seed = static_cast<std::uint64_t>(i / 2);
      rows[static_cast<std::size_t>(i)] = digits(run_online(problem, truth, run).rows);
    });
    return rows;
  };
  const auto one = sweep(1);
  CHECK(one == sweep(2));
  CHECK(one[0] != one[2]);
}

TEST_CASE("estimate: the errors of the estimate are the oracle's", "[experiments][learn]") {
  const LearnProblem problem = problem_of_size(200);
  TruthEvaluator truth(problem.mdp);
  EstimateRun run;
  run.transitions = 20'000;
  run.criterion = GENERATE(Criterion::kLeastSquares, Criterion::kLikelihood);
  run.trajectory = GENERATE(false, true);
  const EstimateOutcome out = run_estimate(problem, truth, run);
  CHECK(out.rows.back().n == 20'000);
  CHECK(out.profile.size() == 200);
  const EstimateRow& last = out.rows.back();
  CHECK(out.profile.minCoeff() == last.loss);
  const Vector x = exact_occupancy(*problem.mdp, Policy::uniform(10, 3)).pair_mass;
  const RowErrors errors =
      row_errors(problem.mdp->kernel(), problem.model_class.candidates.kernel(last.candidate), x);
  CHECK_THAT(last.l2_squared, WithinAbs(errors.l2_squared, tol::kSimplex));
  CHECK_THAT(last.l1, WithinAbs(errors.l1, tol::kSimplex));
  CHECK_THAT(last.kl, WithinAbs(errors.kl, tol::kSimplex));
  CHECK_THAT(last.zeta, WithinRel(std::log(200 / 0.1) / 20'000, 1e-12));
}

TEST_CASE("behaviour: ω and C* move independently", "[experiments][learn]") {
  const LearnProblem problem = problem_of_size(5);
  TruthEvaluator truth(problem.mdp);
  const auto made = [&](double omega, double mix, double c_star) {
    BehaviourSpec spec;
    spec.kind = "coverage";
    spec.omega = omega;
    spec.mix = mix;
    spec.c_star = c_star;
    return make_behaviour(truth, spec);
  };
  const Behaviour near = made(30, 1, 0);
  const Behaviour far = made(30, 0, 0);
  CHECK_THAT(near.omega, WithinRel(30, 1e-9));
  CHECK_THAT(far.omega, WithinRel(30, 1e-9));
  CHECK(near.c_star < far.c_star);
  const double wanted = (near.c_star + far.c_star) / 2;
  const Behaviour at30 = made(30, 0, wanted);
  CHECK_THAT(at30.c_star, WithinRel(wanted, 1e-6));
  CHECK_THAT(at30.omega, WithinRel(30, 1e-9));
  const Behaviour at60 = made(60, 0, wanted);
  CHECK_THAT(at60.c_star, WithinRel(wanted, 1e-6));
  CHECK_THAT(at60.omega, WithinRel(60, 1e-9));
  CHECK_THROWS_WITH(made(30, 0, 1e9), Contains("can be"));
  CHECK_THROWS_WITH(made(2, 0, 0), Contains("at least |A|"));
}

TEST_CASE("behaviour: the simple kinds", "[experiments][learn]") {
  const LearnProblem problem = problem_of_size(5);
  TruthEvaluator truth(problem.mdp);
  BehaviourSpec spec;
  CHECK(make_behaviour(truth, spec).omega == 3);
  spec.kind = "epsilon";
  spec.epsilon = 0.3;
  const Behaviour eps = make_behaviour(truth, spec);
  CHECK_THAT(eps.omega, WithinRel(10, 1e-12));
  CHECK_THAT(eps.policy.probability(0, truth.optimal().policy[0]), WithinAbs(0.8, 1e-12));
  spec.kind = "softmax";
  spec.temperature = 1e9;
  CHECK_THAT(make_behaviour(truth, spec).omega, WithinRel(3, 1e-6));
  spec.temperature = 1e-5;
  CHECK_THROWS_WITH(make_behaviour(truth, spec), Contains("temperature too low"));
  spec.kind = "epsilon";
  spec.epsilon = 0;
  CHECK_THROWS_WITH(make_behaviour(truth, spec), Contains("omega is infinite"));
  spec.kind = "expert";
  CHECK_THROWS_WITH(make_behaviour(truth, spec), Contains("unknown behaviour"));
}

TEST_CASE("a class without P*, or for another MDP, is refused", "[experiments][learn]") {
  LearnProblem problem = problem_of_size(12);
  CHECK_NOTHROW(check_problem(problem));
  TruthEvaluator truth(problem.mdp);
  const Index right = *problem.model_class.truth;
  problem.model_class.truth = right == 0 ? 1 : 0;
  CHECK_THROWS_WITH(run_online(problem, truth, online_run("speder", 5)),
                    Contains("does not hold P*") && Contains("misspecified"));
  problem.model_class.truth = std::nullopt;  // says that it does not hold it
  CHECK(run_online(problem, truth, online_run("speder", 5)).rows.size() == 5);
  Rng rng = kSeeds.stream("other");
  problem.mdp = std::make_shared<const TabularMdp>(test::random_mdp({9, 3, 3}, 0.85, rng));
  CHECK_THROWS_WITH(check_problem(problem), Contains("|S|=10") && Contains("|S|=9"));
  problem.mdp = std::make_shared<const TabularMdp>(test::random_mdp(kShape, 0.85, rng));
  CHECK_THROWS_WITH(check_problem(problem), Contains("base measures"));
}

TEST_CASE("geometric_grid: quarter powers of two and the end", "[experiments][learn]") {
  CHECK(geometric_grid(1) == std::vector<Index>{1});
  CHECK(geometric_grid(12) == std::vector<Index>{1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12});
  CHECK(geometric_grid(16).back() == 16);
}

TEST_CASE("a hook ends the run and keeps the rows", "[experiments][learn]") {
  const LearnProblem problem = problem_of_size(12);
  TruthEvaluator truth(problem.mdp);
  LearnHooks hooks;
  hooks.on_episode = [](const LearnRow& row) { return row.n < 9; };
  const LearnOutcome out = run_online(problem, truth, online_run("speder", 1000), hooks);
  CHECK(out.result.interrupted);
  CHECK(out.rows.back().n == 9);  // not a point of the grid, but where it ended
}

}  // namespace learn_test

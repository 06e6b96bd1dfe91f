// On combination locks the bonus decides, at every size: with it the lock is opened in every run,
// without it the learner settles for the decoy.
#include <memory>

#include "speder/experiments/learn/session.hpp"
#include "speder/mdp/families/families.hpp"
#include "tests/catch.hpp"

using namespace speder;

namespace lock_exploration_test {
namespace {

// Runs out of `count` whose last policy is optimal.
int opened(Index levels, Index actions, double c_alpha, int count) {
  int out = 0;
  for (int i = 1; i <= count; ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    InstanceSpec spec{.family = "comblock", .actions = actions, .rank = 2 * levels + 3};
    spec.gamma = 0.9;
    spec.seed = seed;
    ClassSpec own;
    own.kind = "own";
    own.size = 50 * levels;
    const LearnProblem problem =
        make_problem(std::make_shared<TabularMdp>(generate(spec)), own, SeedTree(seed));
    TruthEvaluator truth(problem.mdp);
    OnlineRun run;
    run.options.episodes = 500;
    run.options.bonus = {.alpha = c_alpha, .lambda = 0.01};
    run.seed = seed;
    run.grid = {500};
    const LearnOutcome outcome = run_online(problem, truth, run);
    out += outcome.rows.back().gap_last <= 1e-6 * truth.optimal_value() ? 1 : 0;
  }
  return out;
}

}  // namespace

TEST_CASE("comblock: none fails where the bonus succeeds, at every size", "[experiments][lock]") {
  constexpr std::pair<Index, Index> kSizes[] = {{3, 3}, {4, 2}, {4, 4}, {5, 3}, {6, 2}};
  constexpr int kRuns = 8;
  for (const auto& [levels, actions] : kSizes) {
    CAPTURE(levels, actions);
    CHECK(opened(levels, actions, 0.002, kRuns) == kRuns);
    CHECK(opened(levels, actions, 0, kRuns) <= kRuns / 2);
  }
}

}  // namespace lock_exploration_test

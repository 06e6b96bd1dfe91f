// On combination locks and chains the bonus decides, at every size: with it the lock is opened and the
// chain climbed in every run, without it the learner settles for the decoy or the safe bet.
#include <memory>

#include "speder/experiments/learn/session.hpp"
#include "speder/mdp/families/families.hpp"
#include "speder/mdp/families/own_class.hpp"
#include "tests/catch.hpp"

using namespace speder;

namespace lock_exploration_test {
namespace {

struct Solving {
  InstanceSpec spec;
  Index class_size, episodes;
  double c_alpha;
  std::function<bool(const LearnRow&, double best)> done;  // by the last row and V*
};

// Runs out of `count` that are done at their end.
int solved(Solving at, int count) {
  int out = 0;
  for (int i = 1; i <= count; ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    at.spec.gamma = 0.9;
    at.spec.seed = seed;
    ClassSpec own;
    own.kind = "own";
    own.size = at.class_size;
    const LearnProblem problem =
        make_problem(std::make_shared<TabularMdp>(generate(at.spec)), own, SeedTree(seed));
    TruthEvaluator truth(problem.mdp);
    OnlineRun run;
    run.options.episodes = at.episodes;
    run.options.bonus = {.alpha = at.c_alpha, .lambda = 0.01};
    run.seed = seed;
    run.grid = {at.episodes};
    const LearnOutcome outcome = run_online(problem, truth, run);
    out += at.done(outcome.rows.back(), truth.optimal_value()) ? 1 : 0;
  }
  return out;
}

}  // namespace

TEST_CASE("comblock: none fails where the bonus succeeds, at every size", "[experiments][lock]") {
  constexpr std::pair<Index, Index> kSizes[] = {{3, 3}, {4, 2}, {4, 4}, {5, 3}, {6, 2}};
  constexpr int kRuns = 8;
  for (const auto& [levels, actions] : kSizes) {
    CAPTURE(levels, actions);
    const InstanceSpec lock{.family = "comblock", .actions = actions, .rank = 2 * levels + 3};
    const auto opened = [](const LearnRow& row, double best) {
      return row.gap_last <= 1e-6 * best;
    };
    CHECK(solved({lock, 50 * levels, 500, 0.002, opened}, kRuns) == kRuns);
    CHECK(solved({lock, 50 * levels, 500, 0, opened}, kRuns) <= kRuns / 2);
  }
}

TEST_CASE("chain: none fails where the bonus succeeds, at every size", "[experiments][chain]") {
  constexpr std::pair<Index, Index> kSizes[] = {{2, 3}, {3, 3}, {4, 2}, {4, 4}};
  constexpr int kRuns = 8;
  for (const auto& [levels, actions] : kSizes) {
    CAPTURE(levels, actions);
    InstanceSpec chain{.family = "chain", .actions = actions, .rank = levels + 5};
    chain.gamma = 0.9;
    chain.knobs["lead"] = 0.4;
    const ChainValues values = chain_values(chain_shape(resolve(chain)));
    // The mixture of all policies is nearer to V* than to refusing.
    const auto climbed = [&](const LearnRow& row, double) {
      return row.gap_mixture <= (values.best - values.refusal) / 2;
    };
    CHECK(solved({chain, 200, 3000, 0.01, climbed}, kRuns) == kRuns);
    CHECK(solved({chain, 200, 3000, 0, climbed}, kRuns) <= kRuns / 2);
  }
}

}  // namespace lock_exploration_test

// pac-d, pac-A, pac-gamma, pac-eps, pac-F: the gap of the mixture of π₁ … π_n, exactly, on a grid
// of n. The instance's own gap is twice the target ε, so that ε-optimal means: right most of the
// time. N(ε, δ) is read off by the report. [thm:pac_online]
#include "speder/experiments/rates/experiment.hpp"

#include <cmath>

#include "speder/experiments/instances/instances.hpp"
#include "speder/experiments/learn/session.hpp"
#include "speder/oracle/bounds/pac.hpp"
#include "speder/stats/isotonic.hpp"

namespace speder {
namespace {

struct PacConfig {
  std::vector<double> values;  // of the axis
  std::vector<int> budget;     // episodes, for each value
  int octaves = 6;             // the grid of n ends at the budget and is this long
  double epsilon = 0.1;
  double gamma = 0.8;
  int actions = 2;
  int class_size = 64;
  double delta = 0.1;
  double c_alpha = 0.02;
  double c_lambda = 1;
  int doubling = 0;  // 1: plan only when a pair's visits have doubled
};

struct PacInstance {
  LearnProblem problem;
  double epsilon;
};

using PacMaker = PacInstance (*)(const PacConfig&, double value, const SeedTree&);

PacInstance chain(ChainSpec spec, const PacConfig& c, const SeedTree& seeds) {
  const double epsilon = spec.gap / 2;
  spec.class_size = c.class_size;
  return {make_chain(spec, seeds), epsilon};
}

PacInstance by_actions(const PacConfig& c, double value, const SeedTree& seeds) {
  return chain({.actions = static_cast<Index>(value), .gamma = c.gamma, .gap = 2 * c.epsilon}, c,
               seeds);
}
// Both of the chain's time scales are the horizon.
PacInstance by_horizon(const PacConfig& c, double value, const SeedTree& seeds) {
  return chain({.actions = c.actions,
                .gamma = 1 - 1 / value,
                .gap = 2 * c.epsilon,
                .climb = 1 / value,
                .stay = 1 - 1 / value},
               c, seeds);
}
PacInstance by_epsilon(const PacConfig& c, double value, const SeedTree& seeds) {
  return chain({.actions = c.actions, .gamma = c.gamma, .gap = 2 / value}, c, seeds);
}
PacInstance by_depth(const PacConfig& c, double value, const SeedTree& seeds) {
  return {make_tree({.depth = static_cast<int>(value),
                     .gamma = c.gamma,
                     .gap = 2 * c.epsilon,
                     .class_size = c.class_size},
                    seeds),
          c.epsilon};
}
constexpr Index kContexts = 64;  // half of them; log|F| must stay far below the words' length

PacInstance by_size(const PacConfig& c, double value, const SeedTree& seeds) {
  CodeSpec spec{.half = kContexts, .gamma = c.gamma, .class_size = static_cast<Index>(value)};
  spec.lead = 2 * c.epsilon * (1 - c.gamma) / c.gamma;  // a random word is worse by Δγ/(1−γ)
  return {make_code(spec, seeds), c.epsilon};
}

std::vector<Measure> run(const PacConfig& c, const RunContext& context, PacMaker make) {
  const double value = context.cell.number("value");
  const SeedTree seeds = context.seeds.child(context.cell.key());
  const PacInstance instance = make(c, value, seeds.child("instance"));
  const auto budget = static_cast<int>(context.cell.number("budget"));
  OnlineRun online;
  online.options.episodes = budget;
  online.options.bonus = {.alpha = c.c_alpha, .lambda = c.c_lambda};
  online.options.delta = c.delta;
  if (c.doubling == 1) online.options.replan = Replan::kDoubling;
  online.seed = seeds.seed("learner");
  for (const int n : quarter_octaves(std::max(1, budget >> c.octaves), budget))
    online.grid.push_back(n);
  TruthEvaluator truth(instance.problem.mdp);
  const LearnOutcome outcome = run_online(instance.problem, truth, online);
  const TabularMdp& mdp = *instance.problem.mdp;
  const auto number = [](Index i) { return static_cast<double>(i); };
  const bounds::RateInputs<double> sizes{number(mdp.rank()),
                                         number(mdp.actions()),
                                         mdp.gamma(),
                                         0,
                                         number(instance.problem.model_class.candidates.size()),
                                         c.delta};
  std::vector<Measure> out = {{"epsilon", 0, instance.epsilon},
                              {"rank", 0, sizes.d},
                              {"theorem", 0, bounds::online_episodes(sizes, instance.epsilon)}};
  for (const LearnRow& row : outcome.rows) out.push_back({"gap", row.n, row.gap_mixture});
  return out;
}

SweepPlan plan_pac(const ConfigTable& table, Limits values, PacMaker make) {
  PacConfig c;
  Settings settings(table);
  if (!table.has("values")) table.fail("values", "the key is missing");
  if (!table.has("budget")) table.fail("budget", "the key is missing");
  settings.read("values", c.values, values).read("budget", c.budget).read("octaves", c.octaves);
  settings.read("epsilon", c.epsilon, kScale).read("gamma", c.gamma, kDiscount);
  settings.read("actions", c.actions).read("class_size", c.class_size, kClassSize);
  settings.read("delta", c.delta, kFailure).read("c_alpha", c.c_alpha, {0, 1e6});
  settings.read("c_lambda", c.c_lambda, kScale).read("doubling", c.doubling, {0, 1});
  if (c.values.size() != c.budget.size()) table.fail("budget", "needs one number for each value");
  SweepPlan plan;
  for (std::size_t i = 0; i < c.values.size(); ++i) {
    plan.cells.push_back(GridCell().set("budget", c.budget[i]).set("value", c.values[i]));
  }
  plan.config = settings.text();
  plan.run = [c, make](const RunContext& context) { return run(c, context, make); };
  return plan;
}

}  // namespace

SweepPlan plan_pac_d(const ConfigTable& settings) { return plan_pac(settings, {2, 10}, by_depth); }
SweepPlan plan_pac_actions(const ConfigTable& settings) {
  return plan_pac(settings, {2, 1e4}, by_actions);
}
SweepPlan plan_pac_gamma(const ConfigTable& settings) {
  return plan_pac(settings, {1.1, 1e4}, by_horizon);
}
SweepPlan plan_pac_epsilon(const ConfigTable& settings) {
  return plan_pac(settings, kScale, by_epsilon);
}
SweepPlan plan_pac_size(const ConfigTable& settings) {
  return plan_pac(settings, kClassSize, by_size);
}

}  // namespace speder

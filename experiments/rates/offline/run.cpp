// off-n, off-omega, off-C: the gap V* − V^π̂ of the pessimistic policy, for a ladder of instances
// whose own gaps differ; the worst one counts. [thm:pac_offline]
//   off-n      two-state chains, uniform behaviour
//   off-omega  two-state chains, the action that is not best is taken with probability 1/ω, so that
//              C*, which is about π* alone, stays
//   off-C      needle trees, behaviour with the wanted C* at a fixed ω
#include "speder/experiments/rates/experiment.hpp"

#include "speder/experiments/instances/instances.hpp"
#include "speder/experiments/learn/session.hpp"
#include "speder/oracle/bounds/pac.hpp"
#include "speder/oracle/coverage.hpp"

namespace speder {
namespace {

struct OfflineConfig {
  std::vector<double> gaps = {0.64, 0.45,   0.32, 0.226,  0.16, 0.113,
                              0.08, 0.0566, 0.04, 0.0283, 0.02, 0.0141};
  std::vector<double> values = {0};  // of ω or C*; off-n has none
  int first = 16384, last = 16384;   // n
  double gamma = 0.8;
  int class_size = 16;
  int depth = 3;     // of the tree
  double omega = 8;  // of off-C
  double delta = 0.1;
  double c_alpha = 0.0025;
  double c_lambda = 0.01;
};

struct OfflineInstance {
  LearnProblem problem;
  Policy behaviour;
};

using OfflineMaker = OfflineInstance (*)(const OfflineConfig&, const GridCell&, const SeedTree&);

LearnProblem chain(const OfflineConfig& c, const GridCell& cell, const SeedTree& seeds) {
  return make_chain(
      {.actions = 2, .gamma = c.gamma, .gap = cell.number("gap"), .class_size = c.class_size},
      seeds);
}

OfflineInstance uniform_chain(const OfflineConfig& c, const GridCell& cell, const SeedTree& seeds) {
  return {chain(c, cell, seeds), Policy::uniform(2, 2)};
}

OfflineInstance rare_action_chain(const OfflineConfig& c, const GridCell& cell,
                                  const SeedTree& seeds) {
  LearnProblem problem = chain(c, cell, seeds);
  const TruthEvaluator truth(problem.mdp);
  const Index best = truth.optimal().policy.front();  // in the bad state
  const double rare = 1 / cell.number("value");
  Matrix table(2, 2);
  for (Index s = 0; s < 2; ++s) {
    table(s, best) = 1 - rare;
    table(s, 1 - best) = rare;
  }
  return {std::move(problem), Policy::stochastic(std::move(table))};
}

OfflineInstance covered_tree(const OfflineConfig& c, const GridCell& cell, const SeedTree& seeds) {
  LearnProblem problem = make_tree(
      {.depth = c.depth, .gamma = c.gamma, .gap = cell.number("gap"), .class_size = c.class_size},
      seeds);
  TruthEvaluator truth(problem.mdp);
  BehaviourSpec spec;
  spec.kind = "coverage";
  spec.omega = c.omega;
  spec.c_star = cell.number("value");
  return {std::move(problem), make_behaviour(truth, spec).policy};
}

double coverage_of(TruthEvaluator& truth, const Policy& behaviour) {
  const TabularMdp& mdp = truth.mdp();
  const Policy best = Policy::deterministic(truth.optimal().policy, mdp.actions());
  const Vector target = best.joint(truth.at(best).mass);
  const Vector data = behaviour.joint(truth.at(behaviour).mass);
  return relative_condition(mdp.kernel().phi(), target, data).value;
}

std::vector<Measure> run(const OfflineConfig& c, const RunContext& context, OfflineMaker make) {
  const SeedTree seeds = context.seeds.child(context.cell.key());
  const OfflineInstance instance = make(c, context.cell, seeds.child("instance"));
  const TabularMdp& mdp = *instance.problem.mdp;
  TruthEvaluator truth(instance.problem.mdp);
  OfflineOptions options;
  options.bonus = {.alpha = c.c_alpha, .lambda = c.c_lambda};
  options.delta = c.delta;
  options.omega = behaviour_concentration(instance.behaviour).max_inverse;
  for (Index n = c.first; n <= c.last; n *= 2) options.checkpoints.push_back(n);
  Rng rng = seeds.stream("data");
  const Dataset data =
      collect_from_occupancy(Simulator(instance.problem.mdp), instance.behaviour, c.last, rng);
  const double c_star = coverage_of(truth, instance.behaviour);
  const auto number = [](Index i) { return static_cast<double>(i); };
  std::vector<Measure> out = {{"omega", 0, options.omega}, {"c_star", 0, c_star}};
  const auto observe = [&](const LearnerReport& report) {
    out.push_back({"gap", report.n, truth.optimal_value() - truth.at(report.policy).value});
    out.push_back(
        {"theorem", report.n,
         bounds::offline_gap<double>({number(mdp.rank()), number(mdp.actions()), mdp.gamma(),
                                      number(report.n), number(c.class_size), c.delta},
                                     options.omega, c_star)});
    return true;
  };
  (void)offline_speder(data, instance.problem.model_class.candidates, {mdp.reward(), mdp.gamma()},
                       options, observe);
  return out;
}

SweepPlan plan_offline(const ConfigTable& table, OfflineMaker make, bool has_values) {
  OfflineConfig c;
  Settings settings(table);
  if (has_values && !table.has("values")) table.fail("values", "the key is missing");
  if (has_values) settings.read("values", c.values, {1, 1e6});
  settings.read("gaps", c.gaps, kScale).read("first", c.first).read("last", c.last);
  settings.read("gamma", c.gamma, kDiscount).read("class_size", c.class_size, kClassSize);
  settings.read("depth", c.depth, {1, 10}).read("omega", c.omega, {2, 1e6});
  settings.read("delta", c.delta, kFailure);
  settings.read("c_alpha", c.c_alpha, {0, 1e6}).read("c_lambda", c.c_lambda, kScale);
  if (c.last < c.first) table.fail("last", "the grid of n ends before it begins");
  SweepPlan plan;
  for (const double value : c.values) {
    for (const double gap : c.gaps) {
      plan.cells.push_back(GridCell().set("gap", gap).set("value", value));
    }
  }
  plan.config = settings.text();
  plan.run = [c, make](const RunContext& context) { return run(c, context, make); };
  return plan;
}

}  // namespace

SweepPlan plan_off_n(const ConfigTable& settings) {
  return plan_offline(settings, uniform_chain, false);
}
SweepPlan plan_off_omega(const ConfigTable& settings) {
  return plan_offline(settings, rare_action_chain, true);
}
SweepPlan plan_off_coverage(const ConfigTable& settings) {
  return plan_offline(settings, covered_tree, true);
}

}  // namespace speder

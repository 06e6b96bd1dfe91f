// regret: ∑_{i≤N} V* − V^{π_i} on needle trees, for a ladder of gaps. The theorem holds for every
// instance, so the worst gap counts at each N: a large gap is found soon, a small one costs little.
// DEVIATION-10. Mutation: the same without bonus. [lem:regret]
#include "speder/experiments/rates/experiment.hpp"

#include "speder/experiments/instances/instances.hpp"
#include "speder/experiments/learn/session.hpp"
#include "speder/oracle/bounds/pac.hpp"

namespace speder {
namespace {

struct RegretConfig {
  int depth = 2;
  double gamma = 0.9;
  int class_size = 16;
  std::vector<double> gaps = {1, 0.7, 0.5, 0.35, 0.25, 0.18, 0.125, 0.09, 0.0625};
  int first = 128, last = 16384;  // N
  double delta = 0.1;
  double c_alpha = 0.0025;
  double c_lambda = 0.01;
};

std::vector<Measure> run(const RegretConfig& c, const RunContext& context) {
  const SeedTree seeds = context.seeds.child(context.cell.key());
  const LearnProblem problem = make_tree({.depth = c.depth,
                                          .gamma = c.gamma,
                                          .gap = context.cell.number("gap"),
                                          .class_size = c.class_size},
                                         seeds.child("instance"));
  const bool bonus = context.cell.text("variant") == "speder";
  OnlineRun online;
  online.options.episodes = c.last;
  online.options.delta = c.delta;
  online.options.bonus = {.alpha = bonus ? c.c_alpha : 0, .lambda = c.c_lambda};
  online.seed = seeds.seed("learner");
  for (Index n = c.first; n <= c.last; n *= 2) online.grid.push_back(n);
  TruthEvaluator truth(problem.mdp);
  const auto number = [](Index i) { return static_cast<double>(i); };
  std::vector<Measure> out;
  for (const LearnRow& row : run_online(problem, truth, online).rows) {
    out.push_back({"regret", row.n, row.regret});
    out.push_back(
        {"theorem", row.n,
         bounds::regret_rate<double>({number(problem.mdp->rank()), number(problem.mdp->actions()),
                                      c.gamma, number(row.n), number(c.class_size), c.delta})});
  }
  return out;
}

}  // namespace

SweepPlan plan_regret(const ConfigTable& table) {
  RegretConfig c;
  Settings settings(table);
  settings.read("depth", c.depth, {1, 10}).read("gamma", c.gamma, kDiscount);
  settings.read("class_size", c.class_size, kClassSize).read("gaps", c.gaps, kScale);
  settings.read("first", c.first).read("last", c.last).read("delta", c.delta, kFailure);
  settings.read("c_alpha", c.c_alpha, kScale).read("c_lambda", c.c_lambda, kScale);
  if (c.last < c.first) table.fail("last", "the grid of N ends before it begins");
  SweepPlan plan;
  for (const char* variant : {"speder", "no-bonus"}) {
    for (const double gap : c.gaps) {
      plan.cells.push_back(GridCell().set("gap", gap).set("variant", variant));
    }
  }
  plan.config = settings.text();
  plan.run = [c](const RunContext& context) { return run(c, context); };
  return plan;
}

}  // namespace speder

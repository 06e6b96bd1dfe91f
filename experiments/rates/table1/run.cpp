// table1: each representation of the paper's table is built under one policy and asked for Q of
// another, π' = (1−κ) π + κ π°, as κ moves from 0 to 1. Error: the share of the target's standard
// deviation that the best linear fit misses. [table:spectral_connections]
#include "speder/experiments/rates/experiment.hpp"

#include "speder/mdp/families/families.hpp"
#include "speder/oracle/exact.hpp"
#include "speder/oracle/representation_gap.hpp"

namespace speder {
namespace {

struct Table1Config {
  int states = 40, actions = 3, rank = 6;
  double gamma = 0.9;
  double concentration = 0.2;  // of the rows of φ: policies differ more when it is small
  std::vector<double> distances = {0, 0.125, 0.25, 0.5, 0.75, 1};  // κ
};

// Deterministic, drawn: the optimal policy of one reward says little about another.
Policy random_policy(Index states, Index actions, Rng& rng) {
  std::vector<std::int32_t> choice;
  for (Index s = 0; s < states; ++s)
    choice.push_back(static_cast<std::int32_t>(rng.index(actions)));
  return Policy::deterministic(std::move(choice), actions);
}

std::vector<Measure> run(const Table1Config& c, const RunContext& context) {
  InstanceSpec spec{.family = "simplex",
                    .states = c.states,
                    .actions = c.actions,
                    .rank = c.rank,
                    .gamma = c.gamma};
  spec.knobs["concentration"] = c.concentration;
  const TabularMdp mdp = generate(spec, context.seeds.child("mdp"));
  Rng rng = context.seeds.stream("policies");
  const Policy behaviour = random_policy(c.states, c.actions, rng);
  const Policy other = random_policy(c.states, c.actions, rng);
  const double kappa = context.cell.number("distance");
  const Policy target = Policy::stochastic((1 - kappa) * behaviour.table() + kappa * other.table());
  const Vector pairs = Vector::Constant(mdp.pairs(), 1.0 / static_cast<double>(mdp.pairs()));
  const RepresentationGaps gaps =
      representation_gaps({mdp, behaviour, target, pairs, Vector::Ones(mdp.states()), mdp.rank()});
  std::vector<Measure> out;
  for (const RepresentationGap& row : gaps.rows) {
    out.push_back({"q_equal " + row.name, 0, row.q_equal});
    out.push_back({"q_generous " + row.name, 0, row.q_generous});
    out.push_back({"v " + row.name, 0, row.v});
  }
  return out;
}

}  // namespace

SweepPlan plan_table1(const ConfigTable& table) {
  Table1Config c;
  Settings settings(table);
  settings.read("states", c.states).read("actions", c.actions).read("rank", c.rank);
  settings.read("gamma", c.gamma, kDiscount).read("concentration", c.concentration, {0.05, 1e6});
  settings.read("distances", c.distances, {0, 1});
  if (c.rank > c.states) table.fail("rank", "must be at most states");
  SweepPlan plan;
  for (const double kappa : c.distances) plan.cells.push_back(GridCell().set("distance", kappa));
  plan.config = settings.text();
  plan.run = [c](const RunContext& context) { return run(c, context); };
  return plan;
}

}  // namespace speder

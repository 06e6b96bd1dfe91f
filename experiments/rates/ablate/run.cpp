// ablate: the same learner with and without its bonus on combination locks, with and without its
// penalty on data that hardly cover the leaves a needle is wrongly believed to be in.
#include "speder/experiments/rates/experiment.hpp"

#include "speder/experiments/instances/instances.hpp"
#include "speder/experiments/learn/session.hpp"
#include "speder/oracle/coverage.hpp"

namespace speder {
namespace {

struct AblateConfig {
  std::vector<int> depths = {2, 3, 4, 6, 8};  // of the lock
  int actions = 3;
  int episodes = 4096;
  std::vector<double> omegas = {4, 16, 64, 256};  // poorer and poorer coverage
  int transitions = 2048;
  double gap = 0.5;  // offline, between leaf 0 and the others
  double gamma = 0.9;
  int class_size = 64;
  double c_alpha = 0.02;
  double c_lambda = 0.01;
};

// Share of what can be gained that is lost: 0 for an optimal policy, 1 for the fallback.
Measure lost(TruthEvaluator& truth, const Policy& policy, double gain) {
  return {"lost", 0, (truth.optimal_value() - truth.at(policy).value) / gain};
}

std::vector<Measure> online(const AblateConfig& c, const GridCell& cell, const SeedTree& seeds) {
  const auto depth = static_cast<int>(cell.number("depth"));
  const LearnProblem problem = make_lock_problem(
      {.depth = depth, .actions = c.actions, .gamma = c.gamma, .class_size = c.class_size},
      seeds.child("instance"));
  TruthEvaluator truth(problem.mdp);
  OnlineOptions options;
  options.episodes = c.episodes;
  options.bonus = {.alpha = cell.text("variant") == "bonus" ? c.c_alpha : 0, .lambda = c.c_lambda};
  const LearnerResult result = online_speder(Simulator(problem.mdp), problem.model_class.candidates,
                                             options, seeds.child("learner"));
  // The fallback: the decoy every other step, V = γ decoy / (1 − γ²).
  const double decoy = problem.mdp->reward()[pair_index(depth + 1, 0, c.actions)];
  const double fallback = c.gamma * decoy / (1 - c.gamma * c.gamma);
  return {lost(truth, result.policy, truth.optimal_value() - fallback)};
}

// Leaf 0 is best and well covered; the way to the others is taken with probability 1/ω.
std::vector<Measure> offline(const AblateConfig& c, const GridCell& cell, const SeedTree& seeds) {
  const LearnProblem problem = make_tree(
      {.depth = 2, .gamma = c.gamma, .gap = c.gap, .class_size = c.class_size, .has_needle = false},
      seeds.child("instance"));
  TruthEvaluator truth(problem.mdp);
  const double rare = 1 / cell.number("omega");
  Matrix table(problem.mdp->states(), 2);
  table.col(0).setConstant(1 - rare);
  table.col(1).setConstant(rare);
  const Policy behaviour = Policy::stochastic(std::move(table));
  Rng rng = seeds.stream("data");
  const Dataset data =
      collect_from_occupancy(Simulator(problem.mdp), behaviour, c.transitions, rng);
  OfflineOptions options;
  options.bonus = {.alpha = cell.text("variant") == "penalty" ? c.c_alpha : 0,
                   .lambda = c.c_lambda};
  options.omega = behaviour_concentration(behaviour).max_inverse;
  const LearnerResult result = offline_speder(
      data, problem.model_class.candidates, {problem.mdp->reward(), problem.mdp->gamma()}, options);
  return {lost(truth, result.policy, c.gap)};
}

}  // namespace

SweepPlan plan_ablate(const ConfigTable& table) {
  AblateConfig c;
  Settings settings(table);
  settings.read("depths", c.depths, {2, 100}).read("actions", c.actions, {2, 1000});
  settings.read("episodes", c.episodes).read("omegas", c.omegas, {2, 1e6});
  settings.read("transitions", c.transitions).read("gap", c.gap, kScale);
  settings.read("gamma", c.gamma, kDiscount).read("class_size", c.class_size, kClassSize);
  settings.read("c_alpha", c.c_alpha, kScale).read("c_lambda", c.c_lambda, kScale);
  SweepPlan plan;
  for (const char* variant : {"bonus", "no-bonus"}) {
    for (const int depth : c.depths)
      plan.cells.push_back(
          GridCell().set("depth", depth).set("mode", "online").set("variant", variant));
  }
  for (const char* variant : {"penalty", "no-penalty"}) {
    for (const double omega : c.omegas)
      plan.cells.push_back(
          GridCell().set("mode", "offline").set("omega", omega).set("variant", variant));
  }
  plan.config = settings.text();
  plan.run = [c](const RunContext& context) {
    // Both variants of a setting see the same instance and the same data.
    const GridCell& cell = context.cell;
    const std::string setting =
        cell.has("depth") ? "depth " + cell.text("depth") : "omega " + cell.text("omega");
    const SeedTree seeds = context.seeds.child(setting);
    return cell.text("mode") == "online" ? online(c, cell, seeds) : offline(c, cell, seeds);
  };
  return plan;
}

}  // namespace speder

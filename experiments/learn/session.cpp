#include "speder/experiments/learn/session.hpp"

#include <chrono>
#include <cmath>

#include "speder/core/check.hpp"
#include "speder/oracle/model_error.hpp"

namespace speder {
namespace {

const FeatureClass* class_or_null(const LearnProblem& problem, bool has_class) {
  return has_class ? &problem.model_class.candidates : nullptr;
}

void require_same_mdp(const Dataset& data, const TabularMdp& mdp) {
  if (data.states == mdp.states() && data.actions == mdp.actions() && data.gamma == mdp.gamma())
    return;
  throw InputError(
      fmt::format("the data are for |S|={}, |A|={}, gamma={}, the MDP has |S|={}, |A|={}, gamma={}",
                  data.states, data.actions, data.gamma, mdp.states(), mdp.actions(), mdp.gamma()));
}

// Errors of the estimate against the truth; the same candidate as before has the same ones.
EstimateRow measure(const LearnProblem& problem, const Estimate& best, const Vector& weights,
                    const std::vector<EstimateRow>& before) {
  EstimateRow row;
  if (!before.empty() && before.back().candidate == best.candidate) {
    row = before.back();
  } else {
    const RowErrors errors = row_errors(
        problem.mdp->kernel(), problem.model_class.candidates.kernel(best.candidate), weights);
    row.candidate = best.candidate;
    row.l2_squared = errors.l2_squared;
    row.l1 = errors.l1;
    row.kl = errors.kl;
  }
  row.loss = best.loss;
  return row;
}

}  // namespace

LearnOutcome run_online(const LearnProblem& problem, TruthEvaluator& truth, const OnlineRun& run,
                        const LearnHooks& hooks) {
  check_problem(problem);
  require_valid(run.options);
  const OnlineAlgorithm& algorithm = online_algorithm(run.algorithm);
  const Simulator env(problem.mdp);
  const Policy uniform = Policy::uniform(env.states(), env.actions());
  LearnRecorder recorder(
      truth, class_or_null(problem, algorithm.has_class),
      {.grid = run.grid.empty() ? geometric_grid(run.options.episodes) : run.grid,
       .online = true,
       .data_policy = uniform,
       .follow_plan = algorithm.follow_plan,
       .on_row = hooks.on_row,
       .on_episode = hooks.on_episode});
  LearnerResult result =
      algorithm.run(problem, env, run.options, SeedTree(run.seed), std::ref(recorder));
  return {recorder.rows(), std::move(result), {uniform, static_cast<double>(env.actions())}};
}

StoredData offline_data(const LearnProblem& problem, TruthEvaluator& truth, const OfflineRun& run) {
  Behaviour behaviour = make_behaviour(truth, run.behaviour);
  const Simulator env(problem.mdp);
  Rng rng = SeedTree(run.seed).stream("offline-data");
  Dataset data = collect_from_occupancy(env, behaviour.policy, run.transitions, rng);
  return {std::move(data), std::move(behaviour.policy)};
}

LearnOutcome run_offline(const LearnProblem& problem, TruthEvaluator& truth, const OfflineRun& run,
                         const LearnHooks& hooks) {
  check_problem(problem);
  const OfflineAlgorithm& algorithm = offline_algorithm(run.algorithm);
  const StoredData stored = run.stored != nullptr ? *run.stored : offline_data(problem, truth, run);
  const Dataset& data = stored.data;
  require_same_mdp(data, *problem.mdp);
  Behaviour behaviour = behaviour_of(truth, stored.behaviour);
  OfflineOptions options = run.options;
  options.omega = behaviour.omega;
  if (options.checkpoints.empty()) {
    options.checkpoints = geometric_grid(static_cast<Index>(data.steps.size()));
  }
  LearnRecorder recorder(truth, class_or_null(problem, algorithm.has_class),
                         {.grid = options.checkpoints,
                          .online = false,
                          .data_policy = behaviour.policy,
                          .follow_plan = false,
                          .on_row = hooks.on_row,
                          .on_episode = hooks.on_episode});
  LearnerResult result = algorithm.run(problem, data, options, std::ref(recorder));
  result.env_steps = data.env_steps;
  return {recorder.rows(), std::move(result), std::move(behaviour)};
}

std::vector<std::pair<std::string_view, double>> columns(const EstimateRow& row) {
  return {{"n", static_cast<double>(row.n)},
          {"candidate", static_cast<double>(row.candidate)},
          {"loss", row.loss},
          {"l2_squared", row.l2_squared},
          {"l1", row.l1},
          {"kl", row.kl},
          {"zeta", row.zeta},
          {"seconds", row.seconds}};
}

EstimateOutcome run_estimate(const LearnProblem& problem, TruthEvaluator& truth,
                             const EstimateRun& run,
                             const std::function<bool(const EstimateRow&)>& on_row) {
  check_problem(problem);
  require(0 < run.delta && run.delta < 1, "delta must lie in (0,1)", run.delta);
  const auto start = std::chrono::steady_clock::now();
  const FeatureClass& F = problem.model_class.candidates;
  EstimateOutcome out{{}, {}, make_behaviour(truth, run.behaviour)};
  const Policy& policy = out.behaviour.policy;
  const Vector weights = policy.joint(truth.at(policy).mass);
  const Simulator env(problem.mdp);
  Rng rng = SeedTree(run.seed).stream("estimate-data");
  const Dataset data = run.trajectory ? collect_trajectory(env, policy, run.transitions, rng)
                                      : collect_from_occupancy(env, policy, run.transitions, rng);
  Estimator estimator(F, run.criterion);
  Index used = 0;
  for (const Index n : run.grid.empty() ? geometric_grid(run.transitions) : run.grid) {
    estimator.add(tally(data.steps, used, n));
    used = n;
    EstimateRow row = measure(problem, estimator.best(), weights, out.rows);
    row.n = n;
    row.zeta = std::log(static_cast<double>(F.size()) / run.delta) / static_cast<double>(n);
    row.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    out.rows.push_back(row);
    if (on_row && !on_row(row)) {
      out.interrupted = true;
      break;
    }
  }
  out.profile = estimator.profile();
  return out;
}

}  // namespace speder

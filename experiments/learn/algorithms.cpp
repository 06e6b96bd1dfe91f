#include "speder/experiments/learn/algorithms.hpp"

#include <algorithm>

#include "speder/core/check.hpp"
#include "speder/core/names.hpp"
#include "speder/learning/clone.hpp"
#include "speder/learning/known_features.hpp"
#include "speder/learning/spectral_learner.hpp"
#include "speder/learning/tabular.hpp"

namespace speder {
namespace {

OfflineTask task_of(const LearnProblem& problem) {
  return {problem.mdp->reward(), problem.mdp->gamma()};
}

FeatureClass truth_alone(const LearnProblem& problem) {
  return FeatureClass::of({&problem.mdp->kernel(), 1});
}

LearnerResult speder_online(const LearnProblem& problem, const Simulator& env,
                            const OnlineOptions& options, const SeedTree& seeds,
                            const LearnerObserver& observe) {
  return online_speder(env, problem.model_class.candidates, options, seeds, observe);
}

LearnerResult rep_ucb(const LearnProblem& problem, const Simulator& env, const OnlineOptions& given,
                      const SeedTree& seeds, const LearnerObserver& observe) {
  OnlineOptions options = given;
  options.criterion = Criterion::kLikelihood;
  return online_speder(env, problem.model_class.candidates, options, seeds, observe);
}

LearnerResult greedy_online(const LearnProblem& problem, const Simulator& env,
                            const OnlineOptions& given, const SeedTree& seeds,
                            const LearnerObserver& observe) {
  OnlineOptions options = given;
  options.bonus.alpha = 0;
  return online_speder(env, problem.model_class.candidates, options, seeds, observe);
}

LearnerResult uniform_online(const LearnProblem& problem, const Simulator& env,
                             const OnlineOptions& given, const SeedTree& seeds,
                             const LearnerObserver& observe) {
  OnlineOptions options = given;
  options.bonus.alpha = 0;
  options.follow_plan = false;
  return online_speder(env, problem.model_class.candidates, options, seeds, observe);
}

LearnerResult true_model_online(const LearnProblem& problem, const Simulator& env,
                                const OnlineOptions& given, const SeedTree& seeds,
                                const LearnerObserver& observe) {
  OnlineOptions options = given;
  options.bonus.alpha = 0;
  const FeatureClass alone = truth_alone(problem);
  return online_speder(env, alone, options, seeds, observe);
}

LearnerResult known_phi_online(const LearnProblem& problem, const Simulator& env,
                               const OnlineOptions& options, const SeedTree& seeds,
                               const LearnerObserver& observe) {
  KnownFeaturesModel model(problem.mdp->kernel().phi().to_dense(), env.actions(), task_of(problem),
                           {Attitude::kOptimistic, options.bonus, options.delta});
  return explore(env, model, options, seeds, observe);
}

// d and ν are what the shape of a class would tell.
SpectralShape shape_of(const LearnProblem& problem) {
  const Kernel& kernel = problem.mdp->kernel();
  return {kernel.actions(), kernel.rank(), kernel.nu()};
}

LearnerResult spectral_online(const LearnProblem& problem, const Simulator& env,
                              const OnlineOptions& options, const SeedTree& seeds,
                              const LearnerObserver& observe) {
  SpectralModel model(shape_of(problem), task_of(problem),
                      {Attitude::kOptimistic, options.bonus, options.delta},
                      static_cast<double>(env.actions()));
  return explore(env, model, options, seeds, observe);
}

LearnerResult tabular_online(const LearnProblem& problem, const Simulator& env,
                             const OnlineOptions& options, const SeedTree& seeds,
                             const LearnerObserver& observe) {
  TabularModel model(env.actions(), task_of(problem),
                     {Attitude::kOptimistic, options.bonus, options.delta});
  return explore(env, model, options, seeds, observe);
}

LearnerResult speder_offline(const LearnProblem& problem, const Dataset& data,
                             const OfflineOptions& options, const LearnerObserver& observe) {
  return offline_speder(data, problem.model_class.candidates, task_of(problem), options, observe);
}

LearnerResult rep_lcb(const LearnProblem& problem, const Dataset& data, const OfflineOptions& given,
                      const LearnerObserver& observe) {
  OfflineOptions options = given;
  options.criterion = Criterion::kLikelihood;
  return offline_speder(data, problem.model_class.candidates, task_of(problem), options, observe);
}

LearnerResult greedy_offline(const LearnProblem& problem, const Dataset& data,
                             const OfflineOptions& given, const LearnerObserver& observe) {
  OfflineOptions options = given;
  options.bonus.alpha = 0;
  return offline_speder(data, problem.model_class.candidates, task_of(problem), options, observe);
}

LearnerResult true_model_offline(const LearnProblem& problem, const Dataset& data,
                                 const OfflineOptions& given, const LearnerObserver& observe) {
  OfflineOptions options = given;
  options.bonus.alpha = 0;
  return offline_speder(data, truth_alone(problem), task_of(problem), options, observe);
}

LearnerResult known_phi_offline(const LearnProblem& problem, const Dataset& data,
                                const OfflineOptions& options, const LearnerObserver& observe) {
  KnownFeaturesModel model(problem.mdp->kernel().phi().to_dense(), data.actions, task_of(problem),
                           {Attitude::kPessimistic, options.bonus, options.delta});
  return exploit(data, model, task_of(problem), options, observe);
}

LearnerResult spectral_offline(const LearnProblem& problem, const Dataset& data,
                               const OfflineOptions& options, const LearnerObserver& observe) {
  SpectralModel model(shape_of(problem), task_of(problem),
                      {Attitude::kPessimistic, options.bonus, options.delta}, options.omega);
  return exploit(data, model, task_of(problem), options, observe);
}

LearnerResult tabular_offline(const LearnProblem& problem, const Dataset& data,
                              const OfflineOptions& options, const LearnerObserver& observe) {
  TabularModel model(data.actions, task_of(problem),
                     {Attitude::kPessimistic, options.bonus, options.delta});
  return exploit(data, model, task_of(problem), options, observe);
}

LearnerResult clone_offline(const LearnProblem& problem, const Dataset& data,
                            const OfflineOptions& options, const LearnerObserver& observe) {
  return offline_clone(data, task_of(problem), options, observe);
}

template <class Algorithm>
const Algorithm& find(const std::vector<Algorithm>& table, std::string_view name) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const Algorithm& entry) { return entry.name == name; });
  if (found != table.end()) return *found;
  std::vector<std::string> names;
  for (const Algorithm& entry : table) names.emplace_back(entry.name);
  refuse_name("algorithm", name, names);
}

}  // namespace

const std::vector<OnlineAlgorithm>& online_algorithms() {
  static const std::vector<OnlineAlgorithm> table = {
      {"speder", "least squares over F, UCB bonus (Algorithm 1)", true, true, speder_online},
      {"rep-ucb", "maximum likelihood over F, the same bonus", true, true, rep_ucb},
      {"spectral", "least squares over all functions of rank d: SVD of the counts", false, true,
       spectral_online},
      {"known-phi", "LSVI-UCB with the true features", false, true, known_phi_online},
      {"tabular-ucb", "UCBVI on counts, no features", false, true, tabular_online},
      {"greedy", "least squares over F, no bonus", true, true, greedy_online},
      {"uniform", "data under uniform actions only, greedy plan", true, false, uniform_online},
      {"true-model", "plans in P* itself", false, true, true_model_online}};
  return table;
}

const std::vector<OfflineAlgorithm>& offline_algorithms() {
  static const std::vector<OfflineAlgorithm> table = {
      {"speder", "least squares over F, LCB penalty (Algorithm 2)", true, speder_offline},
      {"rep-lcb", "maximum likelihood over F, the same penalty", true, rep_lcb},
      {"spectral", "least squares over all functions of rank d: SVD of the counts", false,
       spectral_offline},
      {"known-phi", "pessimistic LSVI with the true features", false, known_phi_offline},
      {"tabular-lcb", "pessimistic value iteration on counts", false, tabular_offline},
      {"greedy", "least squares over F, no penalty", true, greedy_offline},
      {"clone", "behaviour cloning", false, clone_offline},
      {"true-model", "plans in P* itself", false, true_model_offline}};
  return table;
}

const OnlineAlgorithm& online_algorithm(std::string_view name) {
  return find(online_algorithms(), name);
}

const OfflineAlgorithm& offline_algorithm(std::string_view name) {
  return find(offline_algorithms(), name);
}

}  // namespace speder

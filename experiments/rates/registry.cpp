#include "speder/experiments/rates/registry.hpp"

#include <algorithm>

#include "speder/core/check.hpp"
#include "speder/core/names.hpp"

namespace speder {

// Each pair is defined in the experiment's folder: run.cpp and judge.cpp.
SweepPlan plan_horizon(const ConfigTable&);
ExperimentReport judge_horizon(const ExperimentData&);
SweepPlan plan_gen_n(const ConfigTable&);
ExperimentReport judge_gen_n(const ExperimentData&);
SweepPlan plan_gen_mle(const ConfigTable&);
ExperimentReport judge_gen_mle(const ExperimentData&);
SweepPlan plan_calibrate(const ConfigTable&);
ExperimentReport judge_calibrate(const ExperimentData&);
SweepPlan plan_map(const ConfigTable&);
ExperimentReport judge_map(const ExperimentData&);
SweepPlan plan_pac_d(const ConfigTable&);
ExperimentReport judge_pac_d(const ExperimentData&);
SweepPlan plan_pac_actions(const ConfigTable&);
ExperimentReport judge_pac_actions(const ExperimentData&);
SweepPlan plan_pac_gamma(const ConfigTable&);
ExperimentReport judge_pac_gamma(const ExperimentData&);
SweepPlan plan_pac_epsilon(const ConfigTable&);
ExperimentReport judge_pac_epsilon(const ExperimentData&);
SweepPlan plan_pac_size(const ConfigTable&);
ExperimentReport judge_pac_size(const ExperimentData&);
SweepPlan plan_regret(const ConfigTable&);
ExperimentReport judge_regret(const ExperimentData&);
SweepPlan plan_off_n(const ConfigTable&);
ExperimentReport judge_off_n(const ExperimentData&);
SweepPlan plan_off_omega(const ConfigTable&);
ExperimentReport judge_off_omega(const ExperimentData&);
SweepPlan plan_off_coverage(const ConfigTable&);
ExperimentReport judge_off_coverage(const ExperimentData&);
SweepPlan plan_off_calibrate(const ConfigTable&);
ExperimentReport judge_off_calibrate(const ExperimentData&);
SweepPlan plan_table1(const ConfigTable&);
ExperimentReport judge_table1(const ExperimentData&);
SweepPlan plan_ablate(const ConfigTable&);
ExperimentReport judge_ablate(const ExperimentData&);
SweepPlan plan_learn(const ConfigTable&);
ExperimentReport judge_learn(const ExperimentData&);
SweepPlan plan_planted(const ConfigTable&);
ExperimentReport judge_planted(const ExperimentData&);

const std::vector<RateExperiment>& rate_experiments() {
  static const std::vector<RateExperiment> table = {
      {"map",
       "How many episodes until the mixture of all policies so far is ε-optimal, over d and |A| "
       "together: at most d⁴|A|²?",
       true, plan_map, judge_map},
      {"pac-d",
       "Do the episodes until the mixture of all policies so far is ε-optimal grow at most like "
       "d⁴?",
       true, plan_pac_d, judge_pac_d},
      {"pac-A",
       "Do the episodes until the mixture of all policies so far is ε-optimal grow at most like "
       "|A|²?",
       true, plan_pac_actions, judge_pac_actions},
      {"pac-gamma",
       "Do the episodes until the mixture of all policies so far is ε-optimal grow at most like "
       "1/(1−γ)⁶?",
       true, plan_pac_gamma, judge_pac_gamma},
      {"pac-eps",
       "Do the episodes until the mixture of all policies so far is ε-optimal grow at most like "
       "1/ε²?",
       true, plan_pac_epsilon, judge_pac_epsilon},
      {"pac-F",
       "Do the episodes until the mixture of all policies so far is ε-optimal grow at most like "
       "log|F|?",
       true, plan_pac_size, judge_pac_size},
      {"off-n",
       "Do the transitions until pessimistic SPEDER is ε-optimal grow at most like 1/ε², so that "
       "its "
       "gap falls like 1/√n, where a learner without the penalty is fooled?",
       true, plan_off_n, judge_off_n},
      {"off-omega",
       "Do the transitions until pessimistic SPEDER is ε-optimal grow at most like ω², ω = max "
       "1/π_b, "
       "where a learner without the penalty is fooled?",
       true, plan_off_omega, judge_off_omega},
      {"off-C",
       "Do the transitions until pessimistic SPEDER is ε-optimal grow at most like the coverage "
       "number C*, where a learner without the penalty is fooled?",
       true, plan_off_coverage, judge_off_coverage},
      {"off-calibrate",
       "Which is the least c_α at which offline SPEDER is pessimistic in every cell of the off "
       "suites?",
       false, plan_off_calibrate, judge_off_calibrate},
      {"regret",
       "Does the regret of optimistic SPEDER grow at most like √N up to logarithms, on the worst "
       "of a family of instances?",
       true, plan_regret, judge_regret},
      {"gen-n",
       "Does the squared L₂ error of the learned kernel fall like 1/n, grow no faster than log|F| "
       "and C, and stay below the theorem's explicit bound?",
       true, plan_gen_n, judge_gen_n},
      {"gen-mle",
       "Least squares has a guarantee in L₂, maximum likelihood in L₁: how do both fare in both "
       "norms on the same class and the same data?",
       true, plan_gen_mle, judge_gen_mle},
      {"horizon",
       "Does a sample of d^π, taken by stopping with probability 1−γ after each step, cost 1/(1−γ) "
       "steps on average, and is it a sample of d^π?",
       true, plan_horizon, judge_horizon},
      {"table1",
       "Do the features of P(s'|s,a) represent the values of every policy, and those made from P^π "
       "only the values near π?",
       true, plan_table1, judge_table1},
      {"ablate", "Does the bonus open the lock, and does the penalty help under poor coverage?",
       true, plan_ablate, judge_ablate},
      {"learn",
       "How do learners of your choice fare on families and sizes of your choice, and how does "
       "what "
       "they need grow?",
       false, plan_learn, judge_learn},
      {"calibrate",
       "What is the smallest constant of the bonus at which every plan is optimistic in a share 1 "
       "− δ "
       "of the runs?",
       false, plan_calibrate, judge_calibrate},
      {"planted", "Does the way from sweep to verdict recover a power law of known exponent?",
       false, plan_planted, judge_planted},
  };
  return table;
}

const RateExperiment& rate_experiment(std::string_view id) {
  const auto& table = rate_experiments();
  const auto it =
      std::find_if(table.begin(), table.end(), [=](const auto& e) { return e.id == id; });
  if (it != table.end()) return *it;
  std::vector<std::string> names;
  for (const RateExperiment& e : table) names.emplace_back(e.id);
  refuse_name("experiment", id, names);
}

ReportSection judge(const ExperimentData& data) {
  const RateExperiment& experiment = rate_experiment(data.record.id);
  ExperimentReport report = experiment.judge(data);
  report.question = experiment.question;
  ReportSection section = section_of(data, std::move(report));
  leave_open(section);
  return section;
}

std::vector<ReportSection> judge(const ResultStore& store) {
  std::vector<ReportSection> out;
  for (const ExperimentRecord& record : store.experiments()) {
    out.push_back(judge(ExperimentData{record, store.runs(record.id)}));
  }
  return out;
}

}  // namespace speder

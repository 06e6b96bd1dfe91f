#pragma once

#include <string_view>
#include <vector>

#include "speder/experiments/rates/experiment.hpp"
#include "speder/plots/report/report.hpp"

namespace speder {

/// One experiment: its folder under experiments/rates/ holds the suite, run.cpp (plan) and judge.cpp (judge).
struct RateExperiment {
  std::string_view id;
  std::string_view question;  // in one sentence; the list of experiments and the report print it
  bool validated;             // part of `speder validate`
  SweepPlan (*plan)(const ConfigTable& settings);
  ExperimentReport (*judge)(const ExperimentData& data);
};

/// All experiments, in the order of the report's reader: does the estimator learn, does the learner,
/// what is it worth.
[[nodiscard]] const std::vector<RateExperiment>& rate_experiments();
/// InputError that lists the ids when there is none of that id.
[[nodiscard]] const RateExperiment& rate_experiment(std::string_view id);

/// Stored runs, judged: the experiment's own analysis below its question. Runs nothing.
[[nodiscard]] ReportSection judge(const ExperimentData& data);
[[nodiscard]] std::vector<ReportSection> judge(const ResultStore& store);

}  // namespace speder

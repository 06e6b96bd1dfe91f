#pragma once

#include <functional>

#include "speder/experiments/cli/learn_options.hpp"
#include "speder/experiments/cli/learn_output.hpp"
#include "speder/experiments/learn/session.hpp"

namespace speder::cli {

/// What `learn online` and `learn offline` are made of.
struct Learner {
  std::function<void(const LearnOptions&, LearnRecord&)> settings;
  std::function<void(const LearnOptions&, const LearnProblem&, TruthEvaluator&, const LearnHooks&,
                     LearnRecord&)>
      run;
};

/// Every learner with every seed on one problem: medians and bands as a table, a picture, JSON; all runs
/// into --out. Each run is the one that --seed alone would make. `base` has what they share. Returns the
/// exit code; interrupted, the runs that were finished are kept.
int learn_several(const LearnOptions& options, const LearnProblem& problem, const LearnRecord& base,
                  const Learner& learner);

}  // namespace speder::cli

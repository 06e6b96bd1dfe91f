#pragma once

#include <cstdint>
#include <vector>

#include "speder/learning/dataset.hpp"
#include "speder/learning/offline.hpp"
#include "speder/learning/online.hpp"

namespace speder {

enum class Attitude { kOptimistic, kPessimistic };  // r + b, r − b

struct ModelOptions {
  Attitude attitude = Attitude::kOptimistic;
  BonusConstants bonus;
  double delta = 0.1;
};

/// V(s) = clip(max_a q(s,a), 0, ceiling) and the lowest maximising action. Returns the largest
/// change |V_new(s) − V_old(s)|.
double greedy_backup(const Vector& q, Index actions, double ceiling, Vector& value,
                     std::vector<std::int32_t>& policy);

/// What a comparator's model makes of its data.
struct ModelPlan {
  std::vector<std::int32_t> policy;  // (S)
  Vector value;                      // (S)
  Vector bonus;                      // (SA)
  double alpha = 0;
  double lambda = 0;
};

/// Comparators that hold no feature class: statistics of steps, and a plan from them.
template <class Model>
concept PlanningModel = requires(Model model, const Step& step, double n) {
  model.add(step, n);
  { model.visits() } -> std::same_as<const Vector&>;    // (SA)
  { model.plan(n) } -> std::same_as<const ModelPlan&>;  // after n episodes or transitions
};

/// A model that learns its features from D ∪ D' and sums Σ̂ over D alone: D' comes through add_next.
template <class Model>
concept TwoSampleModel = requires(Model model, const Step& step) {
  model.add_next(step);
};
/// A model whose P̂ (SA × S) is no member of a class.
template <class Model>
concept OwnKernelModel = requires(const Model model) {
  { model.kernel() } -> std::same_as<const Matrix&>;
};

/// What the observer sees of P̂.
template <class Model>
const Matrix* kernel_of(const Model& model) {
  if constexpr (OwnKernelModel<Model>) {
    return &model.kernel();
  } else {
    return nullptr;
  }
}

/// Algorithm 1's loop (lines 2–5 and the replanning rule) around another model.
template <PlanningModel Model>
LearnerResult explore(const Simulator& env, Model& model, const OnlineOptions& options,
                      const SeedTree& seeds, const LearnerObserver& observe) {
  require_valid(options);
  Rng rng = seeds.stream("rollout");
  const Policy uniform = Policy::uniform(env.states(), env.actions());
  ReplanRule rule(options.replan, env.states() * env.actions());
  LearnerResult out{uniform};
  ModelPlan planned;
  for (Index n = 1; n <= options.episodes; ++n) {
    const Episode e = collect_episode(env, options.follow_plan ? out.policy : uniform, rng);
    out.env_steps += e.steps;
    model.add(e.first, 1);
    if constexpr (TwoSampleModel<Model>) {
      model.add_next(e.second);
    } else {
      model.add(e.second, 1);
    }
    const bool replan = rule.due(e.first.pair, model.visits()[e.first.pair]);
    if (replan) {
      planned = model.plan(static_cast<double>(n));
      out.policy = Policy::deterministic(planned.policy, env.actions());
      rule.planned(model.visits());
      ++out.replans;
    }
    out.n = n;
    const LearnerReport report{n,
                               out.policy,
                               replan,
                               -1,
                               planned.bonus,
                               planned.value,
                               0,
                               planned.lambda,
                               planned.alpha,
                               out.env_steps,
                               kernel_of(model)};
    if (observe && !observe(report)) {
      out.interrupted = true;
      return out;
    }
  }
  return out;
}

/// Algorithm 2's loop over checkpoints around another model.
template <PlanningModel Model>
LearnerResult exploit(const Dataset& data, Model& model, const OfflineTask& task,
                      const OfflineOptions& options, const LearnerObserver& observe) {
  LearnerResult out{Policy::uniform(data.states, data.actions)};
  for (const Index n : require_valid(options, data, task)) {
    for (const CountedStep& cell : tally(data.steps, out.n, n)) model.add(cell.step, cell.count);
    const ModelPlan& planned = model.plan(static_cast<double>(n));
    out.n = n;
    out.policy = Policy::deterministic(planned.policy, data.actions);
    ++out.replans;
    const LearnerReport report{n, out.policy,     true,          -1, planned.bonus,   planned.value,
                               0, planned.lambda, planned.alpha, n,  kernel_of(model)};
    if (observe && !observe(report)) {
      out.interrupted = true;
      return out;
    }
  }
  return out;
}

}  // namespace speder

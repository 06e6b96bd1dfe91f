#include "speder/learning/offline.hpp"

#include "speder/core/check.hpp"
#include "speder/learning/plan.hpp"

namespace speder {

std::vector<Index> require_valid(const OfflineOptions& options, const Dataset& data,
                                 const OfflineTask& task) {
  const auto n = static_cast<Index>(data.steps.size());
  require(n >= 1, "the dataset is empty: offline learning needs n ≥ 1 transitions", n);
  require(0 < options.delta && options.delta < 1, "delta must lie in (0,1)", options.delta);
  require(options.bonus.alpha >= 0, "c_alpha must not be negative", options.bonus.alpha);
  require(options.bonus.lambda > 0, "c_lambda must be positive", options.bonus.lambda);
  require(std::isfinite(options.omega) && options.omega >= 1,
          "omega = max 1/pi_b(a|s) must be finite and at least 1: the behaviour policy must give "
          "every action a positive probability",
          options.omega);
  require(task.reward.size() == data.states * data.actions, "the reward must have |S||A| entries",
          task.reward.size());
  if (task.gamma != data.gamma) {
    throw std::invalid_argument(
        fmt::format("discount mismatch: the data were drawn with gamma = {}, the task has {}",
                    data.gamma, task.gamma));
  }
  if (options.checkpoints.empty()) return {n};
  Index last = 0;
  for (const Index at : options.checkpoints) {
    require(last < at && at <= n, "checkpoints must increase within 1 … n", at);
    last = at;
  }
  return options.checkpoints;
}

LearnerResult offline_speder(const Dataset& data, const FeatureClass& F, const OfflineTask& task,
                             const OfflineOptions& options, const LearnerObserver& observe) {
  const std::vector<Index> checkpoints = require_valid(options, data, task);
  require(F.states() == data.states && F.actions() == data.actions,
          "the class and the data are for different MDPs: states × actions of the class",
          fmt::format("{} × {}", F.states(), F.actions()));
  // Line 1: λ, α, F, D.
  const BonusSchedule schedule{options.bonus, F.rank(),   static_cast<double>(F.size()),
                               options.delta, task.gamma, options.omega};
  Estimator estimator(F, options.criterion);
  EllipticalBonus covariance(F.pairs(), F.rank());
  LearnedModel model(F);
  LearnerResult out{Policy::uniform(data.states, data.actions)};
  for (const Index n : checkpoints) {
    const std::vector<CountedStep> fresh = tally(data.steps, out.n, n);
    out.n = n;
    // Line 2: φ̂ from D.
    estimator.add(fresh);
    // Line 3: Σ̂ = ∑_{(s,a) ∈ D} φ̂ φ̂ᵀ + λI.
    for (const CountedStep& cell : fresh) covariance.visit(cell.step.pair, cell.count);
    if (model.select(estimator.best().candidate)) covariance.set_features(model.Phi());
    // Line 4: b̂(s,a) = α √(φ̂ᵀ Σ̂⁻¹ φ̂).
    const double lambda = schedule.lambda(static_cast<double>(n));
    const double alpha = schedule.alpha(static_cast<double>(n));
    const Vector& penalty = covariance.bonus(alpha, lambda);
    // Line 5: π̂ = argmax_π V^π_{P̂, r − b̂}.
    const PlanResult& planned = model.plan(task.reward - penalty, task.gamma);
    out.policy = Policy::deterministic(planned.policy, data.actions);
    out.candidate = model.candidate();
    ++out.replans;
    const LearnerReport report{n,
                               out.policy,
                               true,
                               out.candidate,
                               penalty,
                               planned.value,
                               schedule.zeta(static_cast<double>(n)),
                               lambda,
                               alpha,
                               n};
    if (observe && !observe(report)) {
      out.interrupted = true;
      return out;
    }
  }
  return out;  // Line 6
}

}  // namespace speder

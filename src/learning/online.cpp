#include "speder/learning/online.hpp"

#include "speder/core/check.hpp"
#include "speder/learning/dataset.hpp"
#include "speder/learning/plan.hpp"

namespace speder {
namespace {

void require_same_shape(const Simulator& env, const FeatureClass& F) {
  if (env.states() == F.states() && env.actions() == F.actions()) return;
  throw std::invalid_argument(
      fmt::format("the class is for {} states and {} actions, the environment has {} and {}",
                  F.states(), F.actions(), env.states(), env.actions()));
}

}  // namespace

void require_valid(const OnlineOptions& options) {
  require(options.episodes >= 1, "the number of episodes must be at least 1", options.episodes);
  require(0 < options.delta && options.delta < 1, "delta must lie in (0,1)", options.delta);
  require(options.bonus.alpha >= 0, "c_alpha must not be negative", options.bonus.alpha);
  require(options.bonus.lambda > 0, "c_lambda must be positive", options.bonus.lambda);
}

LearnerResult online_speder(const Simulator& env, const FeatureClass& F,
                            const OnlineOptions& options, const SeedTree& seeds,
                            const LearnerObserver& observe) {
  require_valid(options);
  require_same_shape(env, F);
  Rng rng = seeds.stream("rollout");
  // Line 1: λ_n, α_n, F, N.
  const BonusSchedule schedule{options.bonus, F.rank(),    static_cast<double>(F.size()),
                               options.delta, env.gamma(), static_cast<double>(env.actions())};
  Estimator estimator(F, options.criterion);
  EllipticalBonus covariance(F.pairs(), F.rank());
  LearnedModel model(F);
  ReplanRule rule(options.replan, F.pairs());
  // Line 2: π₀(·|s) = U(A), D₀ = D'₀ = ∅.
  const Policy uniform = Policy::uniform(env.states(), env.actions());
  LearnerResult out{uniform};
  for (Index n = 1; n <= options.episodes; ++n) {  // Line 3
    const auto count = static_cast<double>(n);
    // Line 4: (s,a,s',a',s̃) with s ~ d^{π_{n−1}}.
    const Episode e = collect_episode(env, options.follow_plan ? out.policy : uniform, rng);
    out.env_steps += e.steps;
    // Line 5: D_n = D_{n−1} ∪ {(s,a,s')}, D'_n = D'_{n−1} ∪ {(s',a',s̃)}.
    estimator.add(e.first);
    estimator.add(e.second);
    covariance.visit(e.first.pair);
    const bool replan = rule.due(e.first.pair, covariance.counts()[e.first.pair]);
    const double lambda = schedule.lambda(count);
    const double alpha = schedule.alpha(count);
    if (replan) {
      // Line 6: φ̂_n from D_n ∪ D'_n.
      // Line 7: Σ̂_n = ∑_{(s,a) ∈ D_n} φ̂_n φ̂_nᵀ + λ_n I.
      if (model.select(estimator.best().candidate)) covariance.set_features(model.Phi());
      // Line 8: b̂_n(s,a) = α_n √(φ̂_nᵀ Σ̂_n⁻¹ φ̂_n).
      const Vector& bonus = covariance.bonus(alpha, lambda);
      // Line 9: π_n = argmax_π V^π_{P̂_n, r + b̂_n}.
      const PlanResult& planned = model.plan(env.reward() + bonus, env.gamma());
      out.policy = Policy::deterministic(planned.policy, env.actions());
      out.candidate = model.candidate();
      rule.planned(covariance.counts());
      ++out.replans;
    }
    out.n = n;
    const LearnerReport report{n,
                               out.policy,
                               replan,
                               out.candidate,
                               covariance.last(),
                               model.result().value,
                               schedule.zeta(count),
                               lambda,
                               alpha,
                               out.env_steps};
    if (observe && !observe(report)) {
      out.interrupted = true;
      return out;
    }
  }
  return out;  // Line 11: the observer has seen π₁, …, π_N.
}

}  // namespace speder

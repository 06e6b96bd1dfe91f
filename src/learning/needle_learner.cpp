#include "speder/learning/needle_learner.hpp"

#include <cmath>

#include "speder/core/check.hpp"
#include "speder/learning/needle_estimator.hpp"
#include "speder/learning/needle_planner.hpp"

namespace speder {
namespace {

bool same_pair(const NeedleMember& one, const NeedleMember& other, Index pair) {
  const auto i = static_cast<std::size_t>(pair);
  return one.swapped[i] == other.swapped[i] && one.needle[2 * i] == other.needle[2 * i] &&
         one.needle[2 * i + 1] == other.needle[2 * i + 1];
}

}  // namespace

Index needle_speder(const Simulator& env, const NeedleClass& F, const NeedleOptions& options,
                    const SeedTree& seeds, const NeedleObserver& observe) {
  require_valid(
      OnlineOptions{.episodes = options.episodes, .bonus = options.bonus, .delta = options.delta});
  const NeedleShape& shape = F.shape();
  const Index A = shape.actions;
  require(env.states() == shape.states() && env.actions() == A && env.gamma() == shape.gamma,
          "the class is for another environment");
  Rng rng = seeds.stream("rollout");
  const double size = std::exp(options.log_class > 0 ? options.log_class : F.log_size());
  const BonusSchedule schedule{options.bonus, shape.rank(), size,
                               options.delta, shape.gamma,  static_cast<double>(A)};
  BonusSchedule for_alpha = schedule;
  if (options.alpha_rank > 0)
    for_alpha.constants.alpha *= options.alpha_rank / static_cast<double>(shape.rank());
  if (options.alpha_actions > 0) for_alpha.concentrability = options.alpha_actions;
  if (options.alpha_horizon > 0) for_alpha.gamma = 1 - 1 / options.alpha_horizon;
  NeedleEstimator estimator(F);
  NeedlePlanner planner(F);
  for (Index pair = 0; 2 * pair < shape.doors; ++pair) planner.set_member(estimator.best(), pair);
  const Policy uniform = Policy::uniform(env.states(), A);
  std::vector<std::int32_t> group(static_cast<std::size_t>(shape.states()));
  for (Index s = 0; s < shape.states(); ++s)
    group[static_cast<std::size_t>(s)] = static_cast<std::int32_t>(shape.group_of(s));
  const auto group_of = [&](StateId s) { return group[static_cast<std::size_t>(index(s))]; };

  Index env_steps = 0;
  NeedleMember planned = estimator.best();
  double value = 0;
  for (Index n = 1; n <= options.episodes; ++n) {
    // Lines 4 and 5, as in collect_episode.
    const bool random = n == 1 || !options.follow_plan;
    const Index length = geometric_length(shape.gamma, rng);
    StateId s = env.reset(rng);
    for (Index t = 0; t < length; ++t) {
      const ActionId a = random ? uniform.sample(s, rng)
                                : action(planner.policy()[static_cast<std::size_t>(group_of(s))]);
      s = env.step(s, a, rng).next;
    }
    env_steps += length + 2;
    const auto record = [&](const Transition& t, bool joins_sigma) {
      if (joins_sigma) planner.visit(group_of(t.state), index(t.action));
      const Index pair = estimator.add({pair_index(t.state, t.action, A), index(t.next)});
      return pair;
    };
    const auto choose = [&](StateId at) {
      return options.policy_actions && !random
                 ? action(planner.policy()[static_cast<std::size_t>(group_of(at))])
                 : action(rng.index(A));
    };
    const Transition first = env.step(s, choose(s), rng);
    const Transition second = env.step(first.next, choose(first.next), rng);
    const Index one = record(first, true);
    const Index two = options.drop_second ? -1 : record(second, options.sigma_of_both);
    // Lines 6 and 7: only what the two steps speak of can have changed.
    const auto now = static_cast<double>(n);
    const double alpha = for_alpha.alpha(now);
    const double lambda = schedule.lambda(now);
    bool moved = n == 1 || alpha > 0;  // without a bonus the same member has the same plan
    for (const Index pair : {one, two == one ? Index{-1} : two}) {
      if (pair < 0 || (alpha == 0 && same_pair(planned, estimator.best(), pair))) continue;
      planner.set_member(estimator.best(), pair);
      if (alpha == 0) planned = estimator.best();
      moved = true;
    }
    bool changed = false;
    if (moved) value = planner.plan(options.subtract ? -alpha : alpha, lambda, changed);
    const NeedleReport report{n,     planner.policy(), changed || n == 1, estimator.best(), value,
                              alpha, lambda,           env_steps};
    if (observe && !observe(report)) return n;
  }
  return options.episodes;
}

}  // namespace speder

#include "speder/learning/tabular.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "speder/core/check.hpp"
#include "speder/core/tolerance.hpp"

namespace speder {

TabularModel::TabularModel(Index actions, const OfflineTask& task, const ModelOptions& options)
    : actions_(actions),
      reward_(task.reward),
      gamma_(task.gamma),
      options_(options),
      visits_(Vector::Zero(reward_.size())),
      successors_(static_cast<std::size_t>(reward_.size())),
      q_(reward_.size()) {
  const Index states = reward_.size() / actions;
  plan_.value = Vector::Zero(states);
  plan_.policy.resize(static_cast<std::size_t>(states));
}

void TabularModel::add(const Step& step, double count) {
  visits_[step.pair] += count;
  auto& row = successors_[static_cast<std::size_t>(step.pair)];
  const auto at = std::lower_bound(
      row.begin(), row.end(), step.next,
      [](const std::pair<Index, double>& entry, Index y) { return entry.first < y; });
  if (at != row.end() && at->first == step.next) {
    at->second += count;
  } else {
    row.insert(at, {step.next, count});
  }
}

const ModelPlan& TabularModel::plan(double n) {
  const double ceiling = 1 / (1 - gamma_);
  const double sign = options_.attitude == Attitude::kOptimistic ? 1 : -1;
  const double log_term =
      std::log(2 * static_cast<double>(reward_.size()) * n * n / options_.delta);
  plan_.alpha = options_.bonus.alpha * std::sqrt(log_term / 2) * ceiling;
  plan_.bonus = (plan_.alpha / visits_.array().max(1).sqrt()).matrix();
  const double unvisited = sign > 0 && options_.bonus.alpha > 0 ? ceiling : 0;
  const double cap = std::ceil(std::log(tol::kBellman * (1 - gamma_)) / std::log(gamma_));
  double change = ceiling;
  for (double sweep = 0; sweep <= cap && change > tol::kBellman; ++sweep) {
    for (Index x = 0; x < q_.size(); ++x) {
      double next = 0;  // ∑_y N(x,y) V(y)
      for (const auto& [y, count] : successors_[static_cast<std::size_t>(x)]) {
        next += count * plan_.value[y];
      }
      q_[x] = visits_[x] == 0 ? unvisited
                              : reward_[x] + sign * plan_.bonus[x] + gamma_ * next / visits_[x];
    }
    change = greedy_backup(q_, actions_, ceiling, plan_.value, plan_.policy);
  }
  return plan_;
}

}  // namespace speder

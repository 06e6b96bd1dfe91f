#include "speder/experiments/learn/behaviour.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "speder/core/check.hpp"
#include "speder/oracle/coverage.hpp"

namespace speder {
namespace {

constexpr int kHalvings = 60;  // of [0,1]: down to the last bits of a double

// C*_{π*} under data from `policy`.
double coverage_of(TruthEvaluator& truth, const Policy& policy) {
  const Policy best = Policy::deterministic(truth.optimal().policy, truth.mdp().actions());
  const Vector target = best.joint(truth.at(best).mass);
  const Vector data = policy.joint(truth.at(policy).mass);
  return relative_condition(truth.mdp().kernel().phi(), target, data).value;
}

Policy optimal_policy(const TruthEvaluator& truth) {
  return Policy::deterministic(truth.optimal().policy, truth.mdp().actions());
}

Policy worst_policy(const TruthEvaluator& truth) {
  const TabularMdp& mdp = truth.mdp();
  const Vector loss = -mdp.reward();
  return Policy::deterministic(plan({mdp.kernel(), loss, mdp.gamma()}).policy, mdp.actions());
}

Policy uniform(const TruthEvaluator& truth, const BehaviourSpec&) {
  return Policy::uniform(truth.mdp().states(), truth.mdp().actions());
}

Policy epsilon_greedy(const TruthEvaluator& truth, const BehaviourSpec& spec) {
  if (!(spec.epsilon > 0 && spec.epsilon <= 1)) {
    throw InputError(
        fmt::format("behaviour epsilon must lie in (0,1] (got {}): at 0 some actions "
                    "are never taken and omega is infinite",
                    spec.epsilon));
  }
  Matrix table = (1 - spec.epsilon) * optimal_policy(truth).table();
  table.array() += spec.epsilon / static_cast<double>(truth.mdp().actions());
  return Policy::stochastic(std::move(table));
}

Policy softmax(const TruthEvaluator& truth, const BehaviourSpec& spec) {
  if (!(spec.temperature > 0)) {
    throw InputError(
        fmt::format("softmax temperature must be positive (got {})", spec.temperature));
  }
  const Index A = truth.mdp().actions();
  Matrix table(truth.mdp().states(), A);
  for (Index s = 0; s < table.rows(); ++s) {
    const Vector q = truth.optimal().q.segment(s * A, A);
    const Vector w = ((q.array() - q.maxCoeff()) / spec.temperature).exp();
    table.row(s) = (w / w.sum()).transpose();
  }
  if (table.minCoeff() <= 0) {
    throw InputError("softmax temperature too low: some action has probability 0");
  }
  return Policy::stochastic(std::move(table));
}

Policy blend(const TruthEvaluator& truth, double omega, double kappa) {
  const auto A = static_cast<double>(truth.mdp().actions());
  Matrix table = kappa * optimal_policy(truth).table() + (1 - kappa) * worst_policy(truth).table();
  table *= 1 - A / omega;
  table.array() += 1 / omega;
  return Policy::stochastic(std::move(table));
}

Policy coverage(const TruthEvaluator& truth, const BehaviourSpec& spec) {
  const auto A = static_cast<double>(truth.mdp().actions());
  const double omega = spec.omega > 0 ? spec.omega : 4 * A;
  if (!(omega >= A)) {
    throw InputError(fmt::format("omega must be at least |A| = {} (got {})", A, omega));
  }
  if (!(spec.mix >= 0 && spec.mix <= 1)) {
    throw InputError(fmt::format("behaviour mix must lie in [0,1] (got {})", spec.mix));
  }
  if (spec.c_star <= 0) return blend(truth, omega, spec.mix);
  TruthEvaluator asked = truth;
  const auto c_star = [&](double kappa) { return coverage_of(asked, blend(truth, omega, kappa)); };
  double low = 0;  // C*(low) ≥ wanted ≥ C*(high)
  double high = 1;
  if (c_star(low) < spec.c_star || c_star(high) > spec.c_star) {
    throw InputError(fmt::format("at omega = {} the coverage C* can be {:.6g} … {:.6g}, not {}",
                                 omega, c_star(high), c_star(low), spec.c_star));
  }
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (c_star(middle) >= spec.c_star ? low : high) = middle;
  }
  return blend(truth, omega, high);
}

using Maker = Policy (*)(const TruthEvaluator&, const BehaviourSpec&);
const std::map<std::string_view, Maker> kMakers = {{"coverage", coverage},
                                                   {"epsilon", epsilon_greedy},
                                                   {"softmax", softmax},
                                                   {"uniform", uniform}};

}  // namespace

Behaviour make_behaviour(TruthEvaluator& truth, const BehaviourSpec& spec) {
  const auto maker = kMakers.find(spec.kind);
  if (maker == kMakers.end()) {
    throw InputError(fmt::format(
        "unknown behaviour '{}': use uniform, epsilon, softmax or coverage", spec.kind));
  }
  return behaviour_of(truth, maker->second(truth, spec));
}

Behaviour behaviour_of(TruthEvaluator& truth, Policy policy) {
  Behaviour made{std::move(policy)};
  made.omega = behaviour_concentration(made.policy).max_inverse;
  made.c_star = coverage_of(truth, made.policy);
  return made;
}

}  // namespace speder

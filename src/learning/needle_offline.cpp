#include "speder/learning/needle_offline.hpp"

#include <cmath>
#include <map>
#include <tuple>

#include "speder/core/check.hpp"

namespace speder {

std::vector<NeedleCount> needle_counts(const NeedleShape& shape, std::span<const Step> steps) {
  std::map<std::tuple<Index, Index, Index>, double> seen;
  for (const Step& step : steps) {
    require(0 <= step.pair && step.pair < shape.states() * shape.actions, "no such pair (s,a)",
            step.pair);
    require(0 <= step.next && step.next < shape.states(), "no such state", step.next);
    seen[{shape.group_of(step.pair / shape.actions), step.pair % shape.actions,
          shape.group_of(step.next)}] += 1;
  }
  std::vector<NeedleCount> out;
  for (const auto& [kind, count] : seen)
    out.push_back({std::get<0>(kind), std::get<1>(kind), std::get<2>(kind), count});
  return out;
}

NeedleOffline::NeedleOffline(const NeedleClass& F)
    : pairs_(F.shape().doors / 2), estimator_(F), planner_(F) {}

void NeedleOffline::add(std::span<const NeedleCount> fresh) {
  for (const NeedleCount& c : fresh) {
    estimator_.add(c.group, c.action, c.next, c.count);
    planner_.visit(c.group, c.action, c.count);
  }
  for (Index pair = 0; pair < pairs_; ++pair) planner_.set_member(estimator_.best(), pair);
}

NeedleOffline::Plan NeedleOffline::plan(double alpha, double lambda) {
  require(lambda > 0, "the regulariser λ must be positive", lambda);
  bool changed = false;
  const double value = planner_.plan(-alpha, lambda, changed);
  return {planner_.policy(), value};
}

BonusSchedule offline_schedule(const NeedleClass& F, BonusConstants constants, double delta,
                               double omega) {
  require(std::isfinite(omega) && omega >= 1,
          "omega = max 1/pi_b(a|s) must be finite and at least 1", omega);
  return {constants, F.shape().rank(), std::exp(F.log_size()), delta, F.shape().gamma, omega};
}

}  // namespace speder

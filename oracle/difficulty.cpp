#include "oracle/difficulty.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check.hpp"
#include "mdp/model/rounding.hpp"

namespace speder {
namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
}

Gaps suboptimality_gaps(const Vector& q, Index actions, double tie) {
  require(actions >= 1 && q.size() % actions == 0, "gaps: q must have |S||A| entries", q.size());
  require(tie >= 0, "gaps: the tie width must not be negative", tie);
  const Index S = q.size() / actions;
  Gaps gaps{Vector::Constant(S, kInfinity), kInfinity, StateId{0}, 0};
  for (Index s = 0; s < S; ++s) {
    const auto row = q.segment(s * actions, actions);
    const double best = row.maxCoeff();
    for (const double value : row) {
      const double gap = best - value;
      if (gap <= tie) continue;
      gaps.per_state[s] = std::min(gaps.per_state[s], gap);
      gaps.largest = std::max(gaps.largest, gap);
    }
    if (gaps.per_state[s] >= gaps.smallest) continue;
    gaps.smallest = gaps.per_state[s];
    gaps.state = state(s);
  }
  return gaps;
}

Gaps suboptimality_gaps(const PlanResult& optimum, Index actions, double gamma) {
  const double residual = attainable(optimum.residual, optimum.value);
  return suboptimality_gaps(optimum.q, actions, 2 * residual / (1 - gamma));
}

double value_spread(const Vector& value) { return value.maxCoeff() - value.minCoeff(); }

double effective_horizon(double gamma) {
  require(0 < gamma && gamma < 1, "discount must lie in (0,1)", gamma);
  return 1 / (1 - gamma);
}

Index truncation_horizon(double gamma, double epsilon) {
  require(0 < gamma && gamma < 1, "discount must lie in (0,1)", gamma);
  require(epsilon > 0, "epsilon must be positive", epsilon);
  const double steps = std::log(epsilon * (1 - gamma)) / std::log(gamma);
  return std::max<Index>(0, static_cast<Index>(std::ceil(steps)));
}

Reachability reachability(const TabularMdp& mdp, const Vector& f) {
  require(f.size() == mdp.pairs(), "reachability: one value per pair", f.size());
  PlanResult best = plan({mdp.kernel(), f, mdp.gamma()});
  // E_{d^π} f = (1 − γ) ρᵀV^π, and ‖V − V*‖∞ ≤ residual / (1 − γ).
  return {(1 - mdp.gamma()) * mdp.rho().dot(best.value), best.residual, std::move(best.policy)};
}

Reachability state_reachability(const TabularMdp& mdp, StateId s) {
  require(0 <= index(s) && index(s) < mdp.states(), "no such state", index(s));
  Vector f = Vector::Zero(mdp.pairs());
  f.segment(index(s) * mdp.actions(), mdp.actions()).setOnes();
  return reachability(mdp, f);
}

Reachability direction_reachability(const TabularMdp& mdp, const Vector& x) {
  require(x.size() == mdp.rank(), "direction: d entries", x.size());
  return reachability(mdp, mdp.kernel().phi().times(x).cwiseAbs2());
}

}  // namespace speder

#include "speder/mdp/model/tabular_mdp.hpp"

#include <cmath>

#include "speder/core/check.hpp"
#include "speder/core/tolerance.hpp"

namespace speder {
namespace {

void require_rewards(const Kernel& kernel, const Rewards& rewards) {
  const Vector& r = rewards.table;
  require(r.size() == kernel.pairs(), "reward must have |S||A| entries", r.size());
  for (Index i = 0; i < r.size(); ++i) {
    if (r[i] >= -tol::kSimplex && r[i] <= 1 + tol::kSimplex) continue;  // also false for NaN
    throw std::invalid_argument(fmt::format("reward at (s={}, a={}) must lie in [0,1] (got {})",
                                            i / kernel.actions(), i % kernel.actions(), r[i]));
  }
  if (rewards.theta.size() == 0) return;
  require(rewards.theta.size() == kernel.rank(), "theta_r must have d entries",
          rewards.theta.size());
  Index worst = 0;
  const double off = (kernel.phi().times(rewards.theta) - r).cwiseAbs().maxCoeff(&worst);
  if (off <= tol::kAgreement) return;
  throw std::invalid_argument(
      fmt::format("reward at (s={}, a={}) differs from <phi, theta_r> by {}",
                  worst / kernel.actions(), worst % kernel.actions(), off));
}

}  // namespace

TabularMdp::TabularMdp(Kernel kernel, Rewards rewards, Vector rho, double gamma,
                       Provenance provenance)
    : kernel_(std::move(kernel)),
      rewards_(std::move(rewards)),
      rho_(std::move(rho)),
      gamma_(gamma),
      provenance_(std::move(provenance)) {
  require(0 < gamma_ && gamma_ < 1, "discount must lie in (0,1)", gamma_);
  require_rewards(kernel_, rewards_);
  require(rho_.size() == states(), "rho must have |S| entries", rho_.size());
  require(rho_.allFinite(), "rho must be finite");
  Index worst = 0;
  const double least = rho_.minCoeff(&worst);
  require(least >= 0, fmt::format("rho must be non-negative, state {}", worst), least);
  long double total = 0;  // extended: over a million states a plain sum drifts past kSimplex
  for (const double p : rho_) total += p;
  require(std::abs(static_cast<double>(total - 1)) <= tol::kSimplex, "rho must sum to 1",
          static_cast<double>(total));
}

}  // namespace speder

#include "speder/oracle/exact_occupancy.hpp"

#include <algorithm>

#include "speder/mdp/planners/planning.hpp"

namespace speder {

Occupancy exact_occupancy(const TabularMdp& mdp, const Policy& policy) {
  Visitation d = visitation({mdp.kernel(), mdp.reward(), mdp.gamma()}, mdp.rho(), policy);
  return {policy.joint(d.mass), std::move(d.mass), d.residual};
}

Occupancy exact_occupancy(const TabularMdp& mdp, const MixturePolicy& mixture) {
  require_mixture(mixture);
  Occupancy mean{Vector::Zero(mdp.pairs()), Vector::Zero(mdp.states()), 0};
  for (std::size_t i = 0; i < mixture.members.size(); ++i) {
    const Occupancy d = exact_occupancy(mdp, mixture.members[i]);
    const double w = mixture.weights[static_cast<Index>(i)];
    mean.pair_mass += w * d.pair_mass;
    mean.state_mass += w * d.state_mass;
    mean.residual = std::max(mean.residual, d.residual);
  }
  return mean;
}

}  // namespace speder

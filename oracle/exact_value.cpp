#include "speder/oracle/exact_value.hpp"

#include <algorithm>
#include <cmath>

#include "speder/core/check.hpp"

namespace speder {

Evaluation exact_value(const TabularMdp& mdp, const Policy& policy) {
  return evaluate({mdp.kernel(), mdp.reward(), mdp.gamma()}, policy);
}

Evaluation exact_value(const TabularMdp& mdp, const MixturePolicy& mixture) {
  require_mixture(mixture);
  Evaluation mean{Vector::Zero(mdp.states()), Vector::Zero(mdp.pairs()), 0};
  for (std::size_t i = 0; i < mixture.members.size(); ++i) {
    const Evaluation e = exact_value(mdp, mixture.members[i]);
    const double w = mixture.weights[static_cast<Index>(i)];
    mean.value += w * e.value;
    mean.q += w * e.q;
    mean.residual = std::max(mean.residual, e.residual);
  }
  return mean;
}

double exact_return(const TabularMdp& mdp, const Policy& policy) {
  return mdp.rho().dot(exact_value(mdp, policy).value);
}
double exact_return(const TabularMdp& mdp, const MixturePolicy& mixture) {
  return mdp.rho().dot(exact_value(mdp, mixture).value);
}

PlanResult exact_optimum(const TabularMdp& mdp, const PlanOptions& options) {
  return plan({mdp.kernel(), mdp.reward(), mdp.gamma()}, options);
}

}  // namespace speder

#include "speder/oracle/exact.hpp"

namespace speder {
namespace {

PlanProblem truth_of(const TabularMdp& mdp) { return {mdp.kernel(), mdp.reward(), mdp.gamma()}; }

}  // namespace

Evaluation exact_value(const TabularMdp& mdp, const Policy& policy) {
  return evaluate(truth_of(mdp), policy);
}

double exact_return(const TabularMdp& mdp, const Policy& policy) {
  return mdp.rho().dot(exact_value(mdp, policy).value);
}

PlanResult exact_optimum(const TabularMdp& mdp, const PlanOptions& options) {
  return plan(truth_of(mdp), options);
}

Occupancy exact_occupancy(const TabularMdp& mdp, const Policy& policy) {
  Visitation d = visitation(truth_of(mdp), mdp.rho(), policy);
  return {policy.joint(d.mass), std::move(d.mass), d.residual};
}

}  // namespace speder

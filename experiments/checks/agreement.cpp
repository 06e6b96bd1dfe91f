#include "speder/experiments/checks/agreement.hpp"

#include <algorithm>
#include <cmath>
#include <new>

#include "speder/core/tolerance.hpp"
#include "speder/mdp/conditions/conditions.hpp"
#include "speder/mdp/families/families.hpp"

namespace speder {
namespace {

void solve_all_ways(const TabularMdp& mdp, Agreement& out) {
  const PlanProblem problem{mdp.kernel(), mdp.reward(), mdp.gamma()};
  const double scale = 1 - mdp.gamma();
  const PlanResult reference = plan(problem, {.method = PlanMethod::kDense});
  out.value = mdp.rho().dot(reference.value);
  out.residual = reference.residual * scale;
  for (const PlanMethod method : {PlanMethod::kFactored, PlanMethod::kSparse, PlanMethod::kValue}) {
    const PlanResult result = plan(problem, {.method = method});
    const double off = (result.value - reference.value).cwiseAbs().maxCoeff() * scale;
    out.disagreement = std::max(out.disagreement, off);
    out.residual = std::max(out.residual, result.residual * scale);
  }
  const Policy best = Policy::deterministic(reference.policy, mdp.actions());
  const Visitation d = visitation(problem, mdp.rho(), best);
  // J* = ⟨d^π*, r⟩ / (1−γ)                                                  [sec:online]
  out.visitation_error = std::abs(out.value * scale - best.joint(d.mass).dot(mdp.reward()));
}

Agreement check_family(const Family& family, double gamma, std::uint64_t seed) {
  Agreement out;
  out.family = family.name;
  out.gamma = gamma;
  try {
    const TabularMdp mdp =
        generate({.family = std::string(family.name), .gamma = gamma, .seed = seed});
    out.states = mdp.states();
    out.actions = mdp.actions();
    out.rank = mdp.rank();
    for (const Condition& condition : conditions(mdp)) {
      ++out.conditions;
      if (condition.holds == Holds::kYes) {
        ++out.conditions_held;
      } else {
        out.conditions_failed += (out.conditions_failed.empty() ? "" : ", ") + condition.name;
      }
    }
    solve_all_ways(mdp, out);
  } catch (const std::bad_alloc&) {  // a shortage, not a disagreement
    throw;
  } catch (const std::exception& e) {
    out.error = e.what();
  }
  return out;
}

}  // namespace

bool Agreement::agrees() const {
  return error.empty() && disagreement <= tol::kAgreement && residual <= tol::kAgreement &&
         visitation_error <= tol::kAgreement;
}

std::vector<Agreement> check_agreement(std::uint64_t seed) {
  std::vector<Agreement> table;
  for (const Family& family : families()) {
    if (family.name == "file") continue;  // has no instance of its own
    for (const double gamma : {0.95, 0.9999}) table.push_back(check_family(family, gamma, seed));
  }
  return table;
}

}  // namespace speder

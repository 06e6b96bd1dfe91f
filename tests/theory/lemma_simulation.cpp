#include "speder/core/tolerance.hpp"
#include "speder/mdp/planners/planning.hpp"
#include "tests/catch.hpp"
#include "tests/support/random_mdp.hpp"

namespace speder::lemma_simulation {
namespace {

using test::Shape;
const SeedTree kSeeds(1205);

struct Instance {
  Kernel truth;
  Kernel model;
  Vector reward;
  Vector bonus;
  Vector rho;
  Policy policy;
  double gamma;
};

Instance make(int index) {
  Rng rng = kSeeds.stream("lem:simulation", static_cast<std::uint64_t>(index));
  const Shape shape{2 + rng.index(20), 1 + rng.index(4), 1 + rng.index(6)};
  const double gamma = index % 5 == 0 ? 0.999 : rng.uniform(0.1, 0.99);
  Kernel truth =
      index % 3 == 0 ? test::signed_kernel(shape, rng) : test::simplex_kernel(shape, rng);
  Kernel model = test::simplex_kernel(shape, rng);
  Vector reward(shape.states * shape.actions);
  Vector bonus(shape.states * shape.actions);
  for (double& x : reward) x = rng.uniform();
  for (double& x : bonus) x = rng.uniform(-1, 1);
  Policy policy = index % 2 == 0 ? test::random_policy(shape, rng)
                                 : test::random_deterministic_policy(shape, rng);
  Vector rho = dirichlet(shape.states, 1, rng);
  return {std::move(truth),
          std::move(model),
          std::move(reward),
          std::move(bonus),
          std::move(rho),
          std::move(policy),
          gamma};
}

}  // namespace

TEST_CASE("Lemma (simulation): both forms of the value gap", "[theory][identity][lem:simulation]") {
  const int index = GENERATE(range(0, 60));
  const Instance x = make(index);
  const Vector optimistic = x.reward + x.bonus;
  const PlanProblem in_model{x.model, optimistic, x.gamma};
  const PlanProblem in_truth{x.truth, x.reward, x.gamma};
  const Vector V_hat = evaluate(in_model, x.policy).value;
  const Vector V = evaluate(in_truth, x.policy).value;
  const Vector d = x.policy.joint(visitation(in_truth, x.rho, x.policy).mass);
  const Vector d_hat = x.policy.joint(visitation(in_model, x.rho, x.policy).mass);
  const double gap = x.rho.dot(V_hat - V);
  // V̂ − V = 1/(1−γ) E_{d_P}[b + γ(E_P̂ V̂ − E_P V̂)] = 1/(1−γ) E_{d_P̂}[b + γ(E_P̂ V − E_P V)]
  const auto rhs = [&](const Vector& mass, const Vector& f) {
    return mass.dot(x.bonus + x.gamma * (x.model.expectation(f) - x.truth.expectation(f))) /
           (1 - x.gamma);
  };
  const double allowed = tol::kLinearSolve / ((1 - x.gamma) * (1 - x.gamma));
  CAPTURE(index, x.gamma);
  CHECK_THAT(rhs(d, V_hat), WithinAbs(gap, allowed));
  CHECK_THAT(rhs(d_hat, V), WithinAbs(gap, allowed));
}

TEST_CASE("Lemma (simulation), planted fault: the two occupancies may not be exchanged",
          "[theory][identity][lem:simulation]") {
  const Instance x = make(1);
  const Vector optimistic = x.reward + x.bonus;
  const PlanProblem in_model{x.model, optimistic, x.gamma};
  const PlanProblem in_truth{x.truth, x.reward, x.gamma};
  const Vector V_hat = evaluate(in_model, x.policy).value;
  const Vector V = evaluate(in_truth, x.policy).value;
  const Vector d_hat = x.policy.joint(visitation(in_model, x.rho, x.policy).mass);
  const double gap = x.rho.dot(V_hat - V);
  const double wrong =
      d_hat.dot(x.bonus + x.gamma * (x.model.expectation(V_hat) - x.truth.expectation(V_hat))) /
      (1 - x.gamma);
  CHECK(std::abs(wrong - gap) > 1e-4);
}

}  // namespace speder::lemma_simulation

#include "speder/mdp/planners/planning.hpp"

#include <rapidcheck.h>

#include "speder/mdp/planners/certificate.hpp"
#include "speder/mdp/planners/factored_planner.hpp"
#include "tests/catch.hpp"
#include "tests/support/random_mdp.hpp"

using namespace speder;
using namespace speder::test;

namespace planning_test {
namespace {

constexpr PlanMethod kMethods[] = {PlanMethod::kFactored, PlanMethod::kSparse, PlanMethod::kValue,
                                   PlanMethod::kDense};

PlanProblem problem_of(const TabularMdp& mdp) { return {mdp.kernel(), mdp.reward(), mdp.gamma()}; }

// A kernel given by its probabilities, as sparse rows with μ = I.
Kernel from_rows(const Matrix& P, Index actions) {
  SparseMatrix identity(P.cols(), P.cols());
  identity.setIdentity();
  return {actions, SparseMatrix(P.sparseView()), identity, Vector::Ones(P.cols())};
}

// The plainest planner there is: value iteration on the dense kernel, no shared code.
Vector brute_force_value(const TabularMdp& mdp) {
  const Matrix P = mdp.kernel().dense();
  Vector V = Vector::Zero(mdp.states());
  for (int sweep = 0; sweep < 4000; ++sweep) {
    const Vector q = mdp.reward() + mdp.gamma() * (P * V);
    for (Index s = 0; s < mdp.states(); ++s)
      V[s] = q.segment(s * mdp.actions(), mdp.actions()).maxCoeff();
  }
  return V;
}

}  // namespace

TEST_CASE("plan: two-state chain has the value worked out by hand", "[mdp][planning]") {
  // From state 0 action 1 reaches state 1 (reward 1 a step, for ever) with probability p:
  // V(1) = 1/(1−γ), V(0) = γ(p V(1) + (1−p) V(0)) = γp / ((1−γ)(1−γ(1−p))).
  const double p = GENERATE(0.05, 0.5, 1.0);
  const double gamma = GENERATE(0.1, 0.9, 0.9999);
  const TabularMdp mdp = two_state(p, gamma);
  for (const PlanMethod method : kMethods) {
    const PlanResult result = plan(problem_of(mdp), {.method = method});
    CAPTURE(p, gamma, to_string(method));
    CHECK(result.termination == Termination::kConverged);
    const double scale = 1 / (1 - gamma);
    CHECK_THAT(result.value[1], WithinAbs(scale, tol::kAgreement * scale));
    CHECK_THAT(result.value[0],
               WithinAbs(gamma * p * scale / (1 - gamma * (1 - p)), tol::kAgreement * scale));
    CHECK(result.policy == std::vector<std::int32_t>{1, 0});
  }
}

TEST_CASE("plan: a bandit, an absorbing state and rank one have closed forms", "[mdp][planning]") {
  const double gamma = 0.95;
  for (const PlanMethod method : kMethods) {
    CAPTURE(to_string(method));
    // One state, three arms: V = max r / (1 − γ).
    const Kernel bandit(3, Matrix(Matrix::Ones(3, 1)), Matrix(Matrix::Ones(1, 1)), Vector::Ones(1));
    const Vector arms = (Vector(3) << 0.2, 0.7, 0.4).finished();
    const PlanResult b = plan({bandit, arms, gamma}, {.method = method});
    CHECK_THAT(b.value[0], WithinAbs(0.7 / (1 - gamma), tol::kAgreement / (1 - gamma)));
    CHECK(b.policy[0] == 1);
    // State 1 absorbs and pays nothing; state 0 pays 0.3 to stay or 1 to leave: stay for ever.
    const Kernel absorbing = from_rows((Matrix(4, 2) << 1, 0, 0, 1, 0, 1, 0, 1).finished(), 2);
    const Vector pay = (Vector(4) << 0.3, 1, 0, 0).finished();
    const PlanResult a = plan({absorbing, pay, gamma}, {.method = method});
    CHECK_THAT(a.value[0], WithinAbs(0.3 / (1 - gamma), tol::kAgreement / (1 - gamma)));
    CHECK_THAT(a.value[1], WithinAbs(0, tol::kAgreement));
    // d = 1: the next state forgets everything, V(s) = max_a r(s,a) + γ/(1−γ) E_μ max_a r.
    const Vector mu = (Vector(3) << 0.5, 0.3, 0.2).finished();
    const Kernel forget(2, Matrix(Matrix::Ones(6, 1)), Matrix(mu), Vector::Ones(3));
    const Vector r = (Vector(6) << 0.1, 0.9, 0.5, 0.4, 0.0, 0.2).finished();
    const double mean = 0.5 * 0.9 + 0.3 * 0.5 + 0.2 * 0.2;
    const PlanResult f = plan({forget, r, gamma}, {.method = method});
    CHECK_THAT(f.value[0],
               WithinAbs(0.9 + gamma / (1 - gamma) * mean, tol::kAgreement / (1 - gamma)));
    CHECK(f.policy == std::vector<std::int32_t>{1, 0, 1});
  }
}

TEST_CASE("plan: all four planners agree with plain value iteration", "[mdp][planning]") {
  const int instance = GENERATE(range(0, 20));
  Rng rng = SeedTree(11).stream("agree", static_cast<std::uint64_t>(instance));
  const Shape shape{
      .states = 3 + rng.index(20), .actions = 1 + rng.index(4), .rank = 1 + rng.index(5)};
  const double gamma = 0.3 + 0.69 * rng.uniform();
  Kernel kernel = instance % 3 == 0   ? simplex_kernel(shape, rng)
                  : instance % 3 == 1 ? sparse_kernel(shape, 3, rng)
                                      : signed_kernel(shape, rng);
  const TabularMdp mdp = with_random_reward(std::move(kernel), gamma, rng);
  const Vector reference = brute_force_value(mdp);
  for (const PlanMethod method : kMethods) {
    const PlanResult result = plan(problem_of(mdp), {.method = method});
    CAPTURE(instance, to_string(method), gamma);
    CHECK((result.value - reference).cwiseAbs().maxCoeff() <= tol::kAgreement / (1 - gamma));
    CHECK(result.residual <= tol::kBellman);
    // The certificate is what it says: ‖max_a q − V‖∞ with q from V.
    const Vector q = mdp.reward() + gamma * (mdp.kernel().dense() * result.value);
    CHECK((q - result.q).cwiseAbs().maxCoeff() <= tol::kLinearSolve / (1 - gamma));
  }
}

TEST_CASE("plan: a chain of 300 locked levels at γ = 0.9999", "[mdp][planning]") {
  // Action 1 goes up, action 0 pays 10⁻⁴ and falls to the bottom; the top pays 1 and falls. Plain
  // policy iteration moves the frontier one level per step.
  constexpr Index kLevels = 300;
  Matrix P = Matrix::Zero(2 * kLevels, kLevels);
  Vector r = Vector::Zero(2 * kLevels);
  for (Index s = 0; s < kLevels; ++s) {
    P(2 * s, 0) = 1;
    r[2 * s] = 1e-4;
    P(2 * s + 1, (s + 1) % kLevels) = 1;
  }
  r[2 * kLevels - 1] = 1;
  const double gamma = 0.9999;
  const Kernel kernel = from_rows(P, 2);
  const PlanResult sparse = plan({kernel, r, gamma}, {.method = PlanMethod::kSparse});
  const PlanResult dense = plan({kernel, r, gamma}, {.method = PlanMethod::kDense});
  // Up all the way: V(0) = γ^(L−1) + γ^L V(0).
  const double top = std::pow(gamma, kLevels - 1) / (1 - std::pow(gamma, kLevels));
  CHECK_THAT(sparse.value[0], WithinAbs(top, tol::kAgreement / (1 - gamma)));
  CHECK((sparse.value - dense.value).cwiseAbs().maxCoeff() <= tol::kAgreement / (1 - gamma));
  CHECK(dense.iterations > 100);
  CHECK(sparse.iterations < 10);
}

TEST_CASE("plan: starts from the actions that earn most at once", "[mdp][planning]") {
  // The next state does not depend on the action, so that they are optimal: one evaluation tells.
  Rng rng = SeedTree(5).stream("greedy");
  const Index S = 7, A = 5;
  const Kernel drawn = simplex_kernel({S, 1, 3}, rng);
  Matrix Phi(S * A, 3);
  for (Index pair = 0; pair < S * A; ++pair) Phi.row(pair) = drawn.phi().dense().row(pair / A);
  const Kernel kernel(A, Phi, drawn.mu(), drawn.nu());
  Vector reward(S * A);
  for (double& r : reward) r = rng.uniform();
  const PlanResult result = plan({kernel, reward, 0.99}, {.method = PlanMethod::kFactored});
  CHECK(result.iterations == 1);
  CHECK(result.termination == Termination::kConverged);
}

TEST_CASE("plan: factors that were lent give the same bits where they lie", "[mdp][planning]") {
  Rng rng = SeedTree(9).stream("lent");
  const TabularMdp mdp = random_mdp({.states = 30, .actions = 4, .rank = 5}, 0.97, rng);
  const Kernel& own = mdp.kernel();
  const auto lend = [](const Factor& factor) {
    const auto held = std::make_shared<const Matrix>(factor.to_dense());
    return Factor(LentTable{held->data(), held->rows(), held->cols(), held});
  };
  const Factor phi = lend(own.phi());
  const Kernel lent(4, phi, lend(own.mu()), own.nu());
  CHECK(lent.phi().dense().data() == phi.dense().data());  // no copy
  for (const PlanMethod method :
       {PlanMethod::kFactored, PlanMethod::kSparse, PlanMethod::kValue, PlanMethod::kDense}) {
    const PlanResult a = plan({own, mdp.reward(), 0.97}, {.method = method});
    const PlanResult b = plan({lent, mdp.reward(), 0.97}, {.method = method});
    CHECK(a.value == b.value);
    CHECK(a.q == b.q);
    CHECK(a.policy == b.policy);
  }
  auto wrong = std::make_shared<Matrix>(Matrix::Constant(2, 2, NAN));
  CHECK_THROWS_AS(Factor(LentTable{wrong->data(), 2, 2, wrong}), std::invalid_argument);
}

TEST_CASE("FactoredPlanner: a warm start finds what a cold start finds", "[mdp][planning]") {
  Rng rng = SeedTree(3).stream("warm");
  const Shape shape{.states = 30, .actions = 4, .rank = 5};
  const TabularMdp mdp = random_mdp(shape, 0.97, rng);
  const Kernel& kernel = mdp.kernel();
  FactoredPlanner warm(shape.states, shape.actions, shape.rank);
  Vector reward = mdp.reward();
  for (int round = 0; round < 20; ++round) {
    for (double& x : reward) x += 0.05 * rng.uniform();
    const PlanResult& hot = warm.plan({.Phi = kernel.phi().dense(),
                                       .Mu = kernel.mu().dense(),
                                       .nu = kernel.nu(),
                                       .reward = reward,
                                       .gamma = 0.97});
    const PlanResult cold = plan({kernel, reward, 0.97}, {.method = PlanMethod::kFactored});
    CHECK((hot.value - cold.value).cwiseAbs().maxCoeff() <= tol::kAgreement / 0.03);
    CHECK(hot.termination == Termination::kConverged);
  }
}

TEST_CASE("evaluate and visitation: three forms agree, d^π sums to one and V = ⟨d^π, r⟩/(1−γ)",
          "[mdp][planning]") {
  const bool holds = rc::check("policy identities over random MDPs", [](std::uint64_t seed) {
    Rng rng = SeedTree(seed).stream("identities");
    const Shape shape{
        .states = 2 + rng.index(15), .actions = 1 + rng.index(4), .rank = 1 + rng.index(4)};
    const double gamma = rng.bernoulli(0.2) ? 0.9999 : 0.05 + 0.9 * rng.uniform();
    Kernel kernel = rng.bernoulli(0.5) ? sparse_kernel(shape, 2, rng) : signed_kernel(shape, rng);
    const TabularMdp mdp = with_random_reward(std::move(kernel), gamma, rng);
    const Policy policy =
        rng.bernoulli(0.5) ? random_policy(shape, rng) : random_deterministic_policy(shape, rng);
    const double scale = 1 / (1 - gamma);
    Vector value;
    for (const PlanMethod method :
         {PlanMethod::kFactored, PlanMethod::kSparse, PlanMethod::kDense}) {
      const Evaluation e = evaluate(problem_of(mdp), policy, method);
      const Visitation d = visitation(problem_of(mdp), mdp.rho(), policy, method);
      RC_ASSERT(e.residual <= tol::kLinearSolve);
      RC_ASSERT(d.residual <= tol::kLinearSolve);
      RC_ASSERT(std::abs(d.mass.sum() - 1) <= tol::kLinearSolve);
      RC_ASSERT(d.mass.minCoeff() >= -tol::kLinearSolve);
      const double from_d = policy.joint(d.mass).dot(mdp.reward()) * scale;
      RC_ASSERT(std::abs(mdp.rho().dot(e.value) - from_d) <= tol::kLinearSolve * scale);
      if (value.size() > 0)
        RC_ASSERT((e.value - value).cwiseAbs().maxCoeff() <= tol::kAgreement * scale);
      value = e.value;
    }
  });
  CHECK(holds);
}

TEST_CASE("plan: refuses what is not a problem", "[mdp][planning]") {
  const TabularMdp mdp = two_state(0.5, 0.9);
  CHECK_THROWS_AS(plan({mdp.kernel(), mdp.reward(), 1.0}), std::invalid_argument);
  CHECK_THROWS_AS(plan({mdp.kernel(), Vector::Zero(3), 0.9}), std::invalid_argument);
  CHECK_THROWS_AS(plan({mdp.kernel(), Vector::Constant(4, NAN), 0.9}), std::invalid_argument);
  CHECK_THROWS_AS(evaluate(problem_of(mdp), Policy::uniform(3, 2)), std::invalid_argument);
}

namespace {

__extension__ typedef __float128 Quad;  // 113 bits: 10¹⁶ times finer than what is tested

Quad size_of(Quad x) { return x < 0 ? -x : x; }

// (I − γ P_π) V = r_π by Gaussian elimination with pivots.
std::vector<Quad> quad_value(const PlanProblem& p, const std::vector<std::int32_t>& policy) {
  const auto S = static_cast<std::size_t>(p.kernel.states());
  std::vector<std::vector<Quad>> M(S, std::vector<Quad>(S + 1));
  for (std::size_t s = 0; s < S; ++s) {
    const Index pair = pair_index(static_cast<Index>(s), policy[s], p.kernel.actions());
    const Vector phi = p.kernel.phi().row(pair);
    for (std::size_t t = 0; t < S; ++t) {
      const Vector mu = p.kernel.mu().row(static_cast<Index>(t));
      Quad P = 0;
      for (Index k = 0; k < phi.size(); ++k) P += static_cast<Quad>(phi[k]) * mu[k];
      P *= p.kernel.nu()[static_cast<Index>(t)];
      M[s][t] = (s == t ? 1 : 0) - static_cast<Quad>(p.gamma) * P;
    }
    M[s][S] = p.reward[pair];
  }
  for (std::size_t c = 0; c < S; ++c) {
    for (std::size_t s = c + 1; s < S; ++s) {
      if (size_of(M[s][c]) > size_of(M[c][c])) std::swap(M[s], M[c]);
    }
    for (std::size_t s = 0; s < S; ++s) {
      if (s == c) continue;
      const Quad f = M[s][c] / M[c][c];
      for (std::size_t k = c; k <= S; ++k) M[s][k] -= f * M[c][k];
    }
  }
  std::vector<Quad> V(S);
  for (std::size_t s = 0; s < S; ++s) V[s] = M[s][S] / M[s][s];
  return V;
}

// V* is the best of all deterministic policies, state by state.
std::vector<Quad> quad_optimum(const PlanProblem& p) {
  const auto S = static_cast<std::size_t>(p.kernel.states());
  std::vector<std::int32_t> policy(S, 0);
  std::vector<Quad> best = quad_value(p, policy);
  while (true) {
    std::size_t s = 0;
    while (s < S && ++policy[s] == p.kernel.actions()) policy[s++] = 0;
    if (s == S) return best;
    const std::vector<Quad> V = quad_value(p, policy);
    for (std::size_t i = 0; i < S; ++i) best[i] = std::max(best[i], V[i]);
  }
}

}  // namespace

TEST_CASE("certified_error: holds on 10,000 instances, hard discounts included",
          "[mdp][planning][certificate]") {
  constexpr double kGammas[] = {0.5, 0.9, 0.999, 1 - 1e-6, 1 - 1e-8, 1 - 1e-10};
  constexpr int kInstances = 10'000;
  const SeedTree seeds(22);
  int broken = 0, useless = 0, naive_broken = 0;
  for (int i = 0; i < kInstances; ++i) {
    Rng rng = seeds.stream("certificate", static_cast<std::uint64_t>(i));
    const Shape shape{2 + rng.index(3), 2, 1 + rng.index(3)};
    const double gamma = kGammas[i % 6];
    const TabularMdp mdp = with_random_reward(
        i % 3 == 0 ? signed_kernel(shape, rng) : simplex_kernel(shape, rng), gamma, rng);
    const PlanProblem problem = problem_of(mdp);
    const PlanResult result = plan(problem, {.method = kMethods[i / 6 % 4], .max_iterations = 500});
    const double promised = certified_error(problem, result.value);
    const std::vector<Quad> truth = quad_optimum(problem);
    Quad off = 0;
    for (Index s = 0; s < mdp.states(); ++s) {
      off = std::max(off, size_of(truth[static_cast<std::size_t>(s)] - result.value[s]));
    }
    broken += off > static_cast<Quad>(promised) ? 1 : 0;
    naive_broken += off > static_cast<Quad>(result.residual / (1 - gamma)) ? 1 : 0;
    // Useful as well: within a few hundred roundings of 1/(1−γ)² beyond the residual's share.
    const double rounding = 1e3 * tol::kUnit / ((1 - gamma) * (1 - gamma));
    useless += promised > 4 * result.residual / (1 - gamma) + rounding ? 1 : 0;
  }
  CAPTURE(naive_broken);
  CHECK(broken == 0);
  CHECK(useless == 0);
  CHECK(naive_broken > 0);  // residual / (1 − γ) alone is no certificate
}

namespace {

// (TV)(s), and what the action is worth that doubles take for the best.
std::pair<Quad, Quad> quad_backup(const PlanProblem& p, const Vector& value, Index s) {
  const Vector in_doubles = p.reward + p.gamma * p.kernel.expectation(value);
  const Index A = p.kernel.actions();
  Index chosen = 0;
  in_doubles.segment(s * A, A).maxCoeff(&chosen);
  Quad best = -1;
  Quad of_chosen = 0;
  for (Index a = 0; a < A; ++a) {
    const Vector phi = p.kernel.phi().row(pair_index(s, a, A));
    Quad q = 0;
    for (Index t = 0; t < p.kernel.states(); ++t) {
      const Vector mu = p.kernel.mu().row(t);
      for (Index k = 0; k < phi.size(); ++k)
        q += static_cast<Quad>(phi[k]) * mu[k] * p.kernel.nu()[t] * value[t];
    }
    q = p.reward[pair_index(s, a, A)] + static_cast<Quad>(p.gamma) * q;
    best = std::max(best, q);
    if (a == chosen) of_chosen = q;
  }
  return {best, of_chosen};
}

}  // namespace

TEST_CASE("certified_error: an action that is best by less than doubles tell is not passed over",
          "[mdp][planning][certificate]") {
  // All actions earn the same and lead to the same value, so that they differ by the rounding of phi alone.
  const SeedTree seeds(25);
  int broken = 0, useless = 0, missed = 0;
  for (int i = 0; i < 300; ++i) {
    Rng rng = seeds.stream("contenders", static_cast<std::uint64_t>(i));
    const Kernel kernel = simplex_kernel({1 + rng.index(3), 64, 2 + rng.index(6)}, rng);
    const double gamma = i % 2 == 0 ? 0.5 : 0.99;
    const Vector reward = Vector::Constant(kernel.pairs(), 1 - gamma);
    const Vector value = Vector::Ones(kernel.states());
    const PlanProblem problem{kernel, reward, gamma};
    Quad residual = 0;
    Quad in_doubles = 0;
    for (Index s = 0; s < kernel.states(); ++s) {
      const auto [best, chosen] = quad_backup(problem, value, s);
      residual = std::max(residual, size_of(best - value[s]));
      in_doubles = std::max(in_doubles, size_of(chosen - value[s]));
    }
    // Rows sum to one within kSimplex, so that 1 - gamma L is 1 - gamma up to that share.
    const auto promised = static_cast<Quad>(certified_error(problem, value));
    const Quad share = residual / (1 - static_cast<Quad>(gamma));
    broken += promised < share * (1 - 1e-9) ? 1 : 0;
    const double extended = 1e-17 / (1 - gamma);  // 18 roundings of 2^-64 on numbers below 2, twice
    useless += promised > share * (1 + 1e-9) + extended ? 1 : 0;
    missed += in_doubles < residual * (1 - 1e-3) ? 1 : 0;
  }
  CHECK(broken == 0);
  CHECK(useless == 0);
  CHECK(missed > 0);  // what doubles take for the best would not do
}

TEST_CASE("certified_error: rows that sum to more than one are seen, near a discount of one too",
          "[mdp][planning][certificate]") {
  // One state that pays 0 and V = 1: the error is 1 and the residual 1 - gamma L, whatever L is.
  const double heavy = 1 + 0.9 * tol::kSimplex;
  const Kernel kernel(1, Matrix(Matrix::Constant(1, 1, heavy)), Matrix(Matrix::Ones(1, 1)),
                      Vector::Ones(1));
  const Vector reward = Vector::Zero(1);
  for (const double gamma : {0.5, 0.99, 1 - 1e-6, 1 - 1e-9, 1 - 1e-11}) {
    CAPTURE(gamma);
    const double promised = certified_error({kernel, reward, gamma}, Vector::Ones(1));
    CHECK(promised >= 1);
    CHECK(promised <= 1 + 2e-6);
  }
  CHECK(certified_error({kernel, reward, 1 - 1e-13}, Vector::Ones(1)) == INFINITY);  // gamma L > 1
}

TEST_CASE("certified_error: what doubles lose below their smallest number is not lost",
          "[mdp][planning][certificate]") {
  // Action 0 goes through a column of mu that has 2^-1023 of mass. As a double its share of V lacks the last digit
  // of V, and action 0, the better one by 2^-57, would look worse by as much.
  const Matrix mu = (Matrix(1, 2) << 0x1p-1023, 1).finished();
  const Matrix phi = (Matrix(2, 2) << 0x1p1023, 0, 0, 1).finished();
  const Kernel kernel(2, phi, mu, Vector::Ones(1));
  const double V = 0x1p-30 * (1 + 0x1p-25);
  const Vector reward = (Vector(2) << V / 2 + 0x1p-57, V / 2).finished();
  CHECK(certified_error({kernel, reward, 0.5}, Vector::Constant(1, V)) >= 0x1p-56);

  // mu nu is 1.49 times the smallest double, and half as much again is lost in each of 4,000 states: for a kernel
  // this row sums to 1, in truth to 1 + 1.7e-12.
  const Index S = 4000;
  const Vector nu = Vector::Constant(S, 0x1p-537);
  const double phi0 = 0x1.fffp1023;
  Matrix mu_lost(S, 2);
  mu_lost.col(0).setConstant(1.49 * 0x1p-537);
  mu_lost.col(1).setConstant((1 - phi0 * 0x1p-1074 * S) / S * 0x1p537);
  Matrix phi_lost(S, 2);
  phi_lost.col(0).setConstant(phi0);
  phi_lost.col(1).setOnes();
  const Kernel heavy(1, phi_lost, mu_lost, nu);
  // Nothing is earned, so that V* = 0 and V = 1 is wrong by 1.
  CHECK(certified_error({heavy, Vector::Zero(S), 0.99}, Vector::Ones(S)) >= 1);
}

TEST_CASE("certified_error: a value that is not finite has no bound",
          "[mdp][planning][certificate]") {
  // No state leads to state 1, and its own value is no part of its backup.
  const Kernel kernel = from_rows((Matrix(2, 2) << 1, 0, 1, 0).finished(), 1);
  const Vector reward = Vector::Zero(2);
  CHECK(certified_error({kernel, reward, 0.9}, Vector::Zero(2)) < 1e-15);
  CHECK(certified_error({kernel, reward, 0.9}, (Vector(2) << 0, NAN).finished()) == INFINITY);
  CHECK(certified_error({kernel, reward, 0.9}, (Vector(2) << 0, INFINITY).finished()) == INFINITY);
}

TEST_CASE("smallest_gap: over all states and actions, what the noise may hide aside",
          "[mdp][planning][certificate]") {
  PlanResult result;
  result.value = (Vector(2) << 1, 2).finished();
  result.q = (Vector(6) << 0.75, 1, 0.5, 1, 1.5, 2).finished();
  CHECK(smallest_gap(result, 3, 0) == 0.25);    // action 0 of state 0
  CHECK(smallest_gap(result, 3, 0.25) == 0.5);  // action 2 of state 0 and action 1 of state 1
  CHECK(smallest_gap(result, 3, 0.75) == 1);    // action 0 of state 1
  CHECK(smallest_gap(result, 3, 1) == 0);       // nothing is known to be worse
}

TEST_CASE("Factor: every entry is looked at", "[mdp]") {
  Rng rng = SeedTree(4).stream("factor");
  for (Index n = 1; n <= 20; ++n) {
    Matrix table(n, 1);
    for (Index i = 0; i < n; ++i) table(i, 0) = rng.uniform() - 0.5;
    CHECK(Factor(table).smallest() == table.minCoeff());
    CHECK(Factor(SparseMatrix(table.sparseView())).smallest() == table.minCoeff());
    for (Index i = 0; i < n; ++i) {
      for (const double wrong : {double{NAN}, double{INFINITY}, -double{INFINITY}}) {
        Matrix changed = table;
        changed(i, 0) = wrong;
        CHECK_THROWS_AS(Factor(changed), std::invalid_argument);
      }
    }
  }
  const Matrix positive = Matrix::Identity(3, 3) * 2;
  CHECK(Factor(SparseMatrix(positive.sparseView())).smallest() == 0);  // the absent ones count
}

}  // namespace planning_test

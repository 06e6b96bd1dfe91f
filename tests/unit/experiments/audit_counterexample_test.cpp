#include "speder/experiments/audit/audit.hpp"
#include "tests/catch.hpp"

// Counterexamples small enough to check with a pencil, recomputed exactly.

using namespace speder::audit;

namespace audit_counterexample_test {
namespace {

Sides<Exact> sides_of(const char* id, const Case<Exact>& c) {
  const Entry* entry = find_entry(id);
  REQUIRE(entry != nullptr);
  const auto broken = broken_premise(c, entry->assumes);
  INFO(broken.value_or(""));
  REQUIRE_FALSE(broken.has_value());
  return entry->check.exact(c);
}
bool violates(const char* id, const Case<Exact>& c) {
  return proves_violation(find_entry(id)->relation, sides_of(id, c));
}

// One state, `actions` actions, canonical basis, r = 1, everything else trivial.
Case<Exact> one_state(int actions) {
  Case<Exact> c;
  c.S = 1, c.A = actions, c.d = actions, c.H = 1;
  c.gamma = Exact(1, 2), c.lambda = 1, c.alpha = 1;
  c.nu = Table<Exact>(1, 1, 1);
  c.phi = identity<Exact>(actions);
  c.mu = Table<Exact>(1, actions, 1);
  c.theta = Table<Exact>(actions, 1, 1);
  c.rho = Table<Exact>(1, 1, 1);
  c.pi = Table<Exact>(1, actions, Exact(1, actions));
  c.history = c.pi, c.behaviour = c.pi;
  c.g = Table<Exact>(1, actions, 1);
  c.phi_hat = c.phi, c.mu_hat = c.mu;
  c.weights = Table<Exact>(actions, 1, Exact(1, actions));
  c.counts = Table<Exact>(actions, 1, 1);
  c.base = c.nu;
  return c;
}

// f* = (1, 0), f = (1/2, 1/2) under the counting measure, C = 1.
Case<Exact> two_densities() {
  Case<Exact> c;
  c.X = 1, c.S = 2, c.F = 2, c.n = 2;
  c.nu = Table<Exact>(2, 1, 1);
  c.family = Table<Exact>(2, 2);
  c.family(0, 0) = 1;
  c.family(1, 0) = Exact(1, 2), c.family(1, 1) = Exact(1, 2);
  c.design = Table<Exact>(3, 1, 1);
  c.bound = 1, c.delta = Exact(1, 2), c.step = Exact(1, 10);
  return c;
}

// N rounds of G = 1 in dimension one.
Case<Exact> unit_matrices(int rounds, const Exact& lambda) {
  Case<Exact> c;
  c.d = 1, c.H = rounds, c.lambda = lambda, c.bound = 1;
  c.matrices = Table<Exact>(rounds, 1, 1);
  return c;
}

}  // namespace

TEST_CASE("Canonical basis, |A| = 2: (1 + 1)² = 4 > d = 2", "[audit][counterexample]") {
  const Sides<Exact> representation = sides_of("canonical-basis-representation", one_state(2));
  CHECK(to_text(representation.left) == "4");
  CHECK(to_text(representation.right) == "2");
  CHECK(violates("canonical-basis-representation", one_state(2)));
  CHECK(violates("canonical-basis-reward", one_state(2)));
  CHECK_FALSE(violates("canonical-basis-representation", one_state(1)));
  CHECK_FALSE(violates("canonical-basis-representation-corrected", one_state(2)));
}

TEST_CASE("Second moment: 3/2, not 5/4", "[audit][counterexample]") {
  // D = ½ − 1; l = (1/2, −3/2); E_{f*}l² = 1/4, E_f l² = 5/4; 4∑(f+f*)(f−f*)² = 2.
  const Sides<Exact> printed = sides_of("gen-second-moment", two_densities());
  CHECK(to_text(printed.left) == "3/2");
  CHECK(to_text(printed.right) == "5/4");
  const Sides<Exact> corrected = sides_of("gen-second-moment-corrected", two_densities());
  CHECK(surely_equal(corrected.left, corrected.right));
}

TEST_CASE("Bellman in lem:V_norm: V = 2, but r + γQ has the value 2 only by accident of r = 1",
          "[audit][counterexample]") {
  // One state, r = 1, γ = ½: V = Q = 2 and 1 + ½·2 = 2, so the printed line is true here …
  CHECK_FALSE(violates("value-norm-bellman", one_state(1)));
  // … with two states 0 → 1 → 1, r(0) = 1, r(1) = 0: V(0) = Q(0) = 1, but r + γQ = 3/2.
  Case<Exact> c = one_state(1);
  c.S = 2, c.d = 2;
  c.nu = Table<Exact>(2, 1, 1);
  c.phi = identity<Exact>(2);
  c.mu = Table<Exact>(2, 2);
  c.mu(1, 0) = 1, c.mu(1, 1) = 1;
  c.theta = Table<Exact>(2, 1);
  c.theta(0) = 1;
  c.rho = Table<Exact>(2, 1, Exact(1, 2));
  c.pi = Table<Exact>(2, 1, 1);
  c.history = c.pi, c.behaviour = c.pi;
  c.g = c.pi, c.phi_hat = c.phi, c.mu_hat = c.mu;
  c.weights = c.rho, c.counts = c.pi;
  const Sides<Exact> printed = sides_of("value-norm-bellman", c);
  CHECK(to_text(printed.left) == "1");
  CHECK(to_text(printed.right) == "9/4");
  CHECK(violates("value-norm-bellman", c));
  CHECK_FALSE(violates("value-norm-bellman-corrected", c));
}

TEST_CASE("Elliptical potential: 2d log λ fails on both sides of λ = 1",
          "[audit][counterexample]") {
  // λ = 4, N = 1: 1/5 against log 5 − 2 log 4 = log(5/16) < 0.
  CHECK(violates("potential-first", unit_matrices(1, 4)));
  CHECK_FALSE(violates("potential-first-corrected", unit_matrices(1, 4)));
  // λ = 1/4, N = 1: log(5/4) + 2 log 4 = log 20 against log(1 + 4) = log 5.
  CHECK(violates("potential-second", unit_matrices(1, Exact(1, 4))));
  CHECK_FALSE(violates("potential-second-corrected", unit_matrices(1, Exact(1, 4))));
  // Both hold at λ = 1, where 2d log λ = d log λ = 0.
  CHECK_FALSE(violates("potential-first", unit_matrices(3, 1)));
  CHECK_FALSE(violates("potential-second", unit_matrices(3, 1)));
  // Lagged: 1/λ = 1 against log 2.
  CHECK(violates("potential-lagged", unit_matrices(1, 1)));
  CHECK_FALSE(violates("potential-lagged-corrected", unit_matrices(1, 1)));
}

TEST_CASE("Softmax: with H = ∑π log π a deterministic policy beats it", "[audit][counterexample]") {
  Case<Exact> c =
      one_state(2);  // Q = 1 for both actions: softmax is uniform, ∑π log π = −log 2 < 0
  c.pi(0) = 1, c.pi(1) = 0;
  const Sides<Exact> sides = sides_of("softmax-policy", c);
  CHECK(to_text(sides.left) == "1");
  CHECK(violates("softmax-policy", c));
  CHECK_FALSE(violates("softmax-policy-corrected", c));
}

TEST_CASE("Jensen in the decoupling proof: E exp(−ℓ) > exp(−E ℓ)", "[audit][counterexample]") {
  Case<Exact> c = two_densities();
  c.family(0, 0) = Exact(1, 2), c.family(0, 1) = Exact(1, 2);
  c.n = 1;
  c.loss = Table<Exact>(2, 2);
  c.loss(0, 0) = 1, c.loss(0, 1) = -1;  // ℓ = ±1 with probability ½: cosh 1 against 1
  const Sides<Exact> sides = sides_of("decoupling-tangent-product", c);
  CHECK(surely_less(Exact(15430, 10000), sides.left));
  CHECK(surely_less(sides.left, Exact(15431, 10000)));
  CHECK(surely_equal(sides.right, Exact(1)));
}

TEST_CASE("Premises are checked: a broken one is named", "[audit][counterexample]") {
  Case<Exact> c = one_state(2);
  c.pi(0) = 1;  // rows sum to 3/2
  const auto broken = broken_premise(c, kMdpValid);
  REQUIRE(broken.has_value());
  CHECK(*broken == "policies are distributions");
  c = one_state(2);
  c.phi(0, 0) = Exact(11, 10), c.mu(0, 0) = Exact(10, 11);
  CHECK(broken_premise(c, kLowRank).value_or("") == "‖φ(s,a)‖ ≤ 1");
  c = one_state(2);
  CHECK(broken_premise(c, kReprNorm).value_or("") == "∫(∫‖φ*‖)² ≤ d");
  c.nu(0) = Exact(1, 2), c.mu = Table<Exact>(1, 2, 2), c.mu_hat = c.mu;
  CHECK_FALSE(broken_premise(c, kOnline).has_value());
}

}  // namespace audit_counterexample_test

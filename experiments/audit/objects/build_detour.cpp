#include <algorithm>

#include "speder/experiments/audit/objects/build.hpp"

namespace speder::audit {
namespace {

// Two actions: action 0 goes home (state 0) from everywhere, and so does action 1 except at home,
// where it makes a detour: to state 1 in truth, to state 1 or (with probability q) state 2 in the
// candidate. The past policies stay home, π takes the detour, and g is zero at home. Then E_P̂ g is
// 1 + q(G − 1) while the two terms under the root see 1 and q²(…) only: (x + y)² against x² + y².
template <class T>
void detour_kernels(Choices& choices, Case<T>& c) {
  c.S = 3, c.A = 2, c.d = 2;
  c.phi = Table<T>(6, 2);
  for (int i = 0; i < 6; ++i) c.phi(i, i == 1 ? 1 : 0) = T(1);  // row 1: (home, detour)
  c.phi_hat = c.phi;
  Column<T> w(3, 1);
  for (int s = 0; s < 3; ++s) w(s) = choices.unit<T>(Slot::kNu, s) + fraction<T>(1, 100);
  if (choices.integer(Slot::kKnob, 41, 0, 1) == 0) {  // ‖P̂ − P‖₂‖g‖₂ smallest at ν₁g₁ = ν₂g₂
    w(2) = w(1) * (choices.unit<T>(Slot::kG, 1) + fraction<T>(1, 100));
  }
  c.nu = scaled(w, T(1) / (T(2) * sum(w)));  // ‖φ‖ = 1, so ∫(∫‖φ‖)² = 4ν(S) = 2 = d
  const T q = choices.unit<T>(Slot::kScalar, 1);
  c.mu = Table<T>(3, 2);
  c.mu(0, 0) = T(1) / c.nu(0);
  c.mu(1, 1) = T(1) / c.nu(1);
  c.mu_hat = c.mu;
  c.mu_hat(1, 1) = (T(1) - q) / c.nu(1);
  c.mu_hat(2, 1) = q / c.nu(2);
  c.theta = Table<T>(2, 1);
  for (int k = 0; k < 2; ++k) c.theta(k) = choices.unit<T>(Slot::kTheta, k);
}

// A corridor 0 → 1 → 2 → 3 by action 1, home by action 0; reward 1 at its end. The past policies stay
// home, so uniform actions see states 0 and 1 only; the candidate differs at state 2: its error is
// invisible to both model errors, and only the bonus can make up for it.
template <class T>
void corridor_kernels(Choices& choices, Case<T>& c) {
  c.S = 4, c.A = 2, c.d = 5;
  c.phi = Table<T>(8, 5);
  for (int s = 0; s < 4; ++s) {
    c.phi(2 * s, s == 3 ? 4 : 0) = T(1);
    c.phi(2 * s + 1, s + 1) = T(1);  // feature 4: stay at the end
  }
  const T q = choices.unit<T>(Slot::kScalar, 1);
  c.phi_hat = c.phi;
  c.phi_hat(5, 3) = T(1) - q;  // row 5: (2, action 1)
  c.phi_hat(5, 0) = q;
  Column<T> w(4, 1);
  for (int s = 0; s < 4; ++s) w(s) = choices.unit<T>(Slot::kNu, s) + fraction<T>(1, 100);
  c.nu = scaled(w, fraction<T>(5, 4) / sum(w));  // ∫(∫‖φ‖)² = 4ν(S) = 5 = d
  c.mu = Table<T>(4, 5);
  for (int k = 0; k < 5; ++k) c.mu(std::min(k, 3), k) = T(1) / c.nu(std::min(k, 3));
  c.mu_hat = c.mu;
  c.theta = Table<T>(5, 1);
  c.theta(4) = T(1);
}

// π takes action 1, the past policies action 0; everything starts at home.
template <class T>
void home_policies(Choices& choices, Case<T>& c) {
  c.H = 1;
  c.pi = Table<T>(c.S, 2);
  c.history = Table<T>(c.S, 2);
  c.behaviour = Table<T>(c.S, 2);
  const bool timid = choices.integer(Slot::kKnob, 42, 0, 1) == 0;  // π_b hardly ever takes action 1
  for (int s = 0; s < c.S; ++s) {
    c.pi(s, 1) = T(1);
    c.history(s, 0) = T(1);
    const T u = timid ? T(0) : choices.unit<T>(Slot::kBehaviour, s);
    c.behaviour(s, 1) = (u + fraction<T>(1, 100)) / fraction<T>(51, 50);
    c.behaviour(s, 0) = T(1) - c.behaviour(s, 1);
  }
  c.rho = Table<T>(c.S, 1);
  c.rho(0) = T(1);
  c.g = Table<T>(c.S, 2);
  for (int s = 1; s < c.S; ++s) c.g(s, 1) = choices.unit<T>(Slot::kG, s);
  if (c.S == 3) c.g(2, 1) = T(1);  // the detour: 1 and G
}

}  // namespace

template <class T>
void build_detour(Choices& choices, Case<T>& c, bool corridor) {
  build_mdp(choices, c, true);
  if (choices.integer(Slot::kKnob, 40, 0, 1) == 0) return;
  if (corridor) {
    corridor_kernels(choices, c);
  } else {
    detour_kernels(choices, c);
    // Half of them where the factor shows most: home is seen often, the detour seldom, λ matters little.
    if (choices.integer(Slot::kKnob, 43, 0, 1) == 0) {
      c.gamma = fraction<T>(1, 100), c.lambda = fraction<T>(1, 100), c.m = 10'000;
    }
  }
  home_policies(choices, c);
  const int pairs = c.S * c.A;
  c.weights = Table<T>(pairs, 1, fraction<T>(1, pairs));
  c.counts = Table<T>(pairs, 1, T(1));
  c.base = Table<T>(c.S, 1);
  for (int s = 0; s < c.S; ++s) c.base(s) = fraction<T>(1, c.S) / c.nu(s);
}

template void build_detour(Choices&, Case<double>&, bool);
template void build_detour(Choices&, Case<Exact>&, bool);

}  // namespace speder::audit

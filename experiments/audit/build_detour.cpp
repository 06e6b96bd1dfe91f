#include "experiments/audit/build.hpp"

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

template <class T>
void detour_policies(Choices& choices, Case<T>& c) {
  c.H = 1;
  c.pi = Table<T>(3, 2);
  c.history = Table<T>(3, 2);
  c.behaviour = Table<T>(3, 2);
  for (int s = 0; s < 3; ++s) {
    c.pi(s, 1) = T(1);
    c.history(s, 0) = T(1);
    c.behaviour(s, 1) =
        (choices.unit<T>(Slot::kBehaviour, s) + fraction<T>(1, 100)) / fraction<T>(51, 50);
    c.behaviour(s, 0) = T(1) - c.behaviour(s, 1);
  }
  c.rho = Table<T>(3, 1);
  c.rho(0) = T(1);
  c.g = Table<T>(3, 2);
  c.g(1, 1) = choices.unit<T>(Slot::kG, 0);
  c.g(2, 1) = T(1);
}

}  // namespace

template <class T>
void build_detour(Choices& choices, Case<T>& c) {
  build_mdp(choices, c, true);
  if (choices.integer(Slot::kKnob, 40, 0, 1) == 0) return;
  detour_kernels(choices, c);
  detour_policies(choices, c);
  c.weights = Table<T>(6, 1, fraction<T>(1, 6));
  c.counts = Table<T>(6, 1, T(1));
  c.base = Table<T>(3, 1);
  for (int s = 0; s < 3; ++s) c.base(s) = fraction<T>(1, 3) / c.nu(s);
}

template void build_detour(Choices&, Case<double>&);
template void build_detour(Choices&, Case<Exact>&);

}  // namespace speder::audit

#pragma once

#include "speder/experiments/audit/objects/online.hpp"

namespace speder::audit {

/// The objects of the offline proofs. ρ_b is the stationary law of π_b (Algorithm 2) or its
/// discounted visitation; both are (SA) tables of masses.
template <class T>
struct Offline {
  Table<T> P, P_hat, r;
  T n;
  Column<T> states;  // (S)  state marginal of ρ_b
  Column<T> pairs;   // (SA) ρ_b(s,a) = ρ_b(s) π_b(a|s)
  T zeta;            // E_{ρ_b}‖P̂ − P‖₂²
  T omega;           // max 1/π_b(a|s)
  bool unique = true;
};

template <class T>
[[nodiscard]] T omega_max_inverse(const Case<T>& c) {
  T worst = T(0);
  for (int i = 0; i < c.behaviour.size(); ++i) worst = max(worst, T(1) / c.behaviour(i));
  return worst;
}
template <class T>
[[nodiscard]] T omega_min_inverse(const Case<T>& c) {
  T least = T(1) / c.behaviour(0);
  for (int i = 1; i < c.behaviour.size(); ++i) least = min(least, T(1) / c.behaviour(i));
  return least;
}

/// πᵀP^{π_b} = πᵀ, ∑π = 1, as the solution of (Iᵀ − P^{π_b}ᵀ + 11ᵀ)π = 1. Not unique when the chain
/// has several closed classes: then the system is singular.
template <class T>
[[nodiscard]] bool stationary(const Table<T>& P, const Table<T>& pi, Column<T>& law) {
  const Table<T> K = state_kernel(P, pi);
  const int S = K.rows();
  Table<T> M = identity<T>(S) - transposed(K) + Table<T>(S, S, T(1));
  law = Column<T>(S, 1, T(1));
  if (!eliminate(M, law)) return false;
  constexpr double kTolerance = 1e-6;
  T total = T(0);
  for (int s = 0; s < S; ++s) {
    if (!(to_double(law(s)) > -kTolerance)) return false;
    law(s) = max(law(s), T(0));
    total = total + law(s);
  }
  return std::abs(to_double(total) - 1) < kTolerance;
}

template <class T>
[[nodiscard]] Offline<T> offline(const Case<T>& c, bool discounted) {
  Offline<T> o;
  o.P = kernel(c, c.phi, c.mu);
  o.P_hat = kernel(c, c.phi_hat, c.mu_hat);
  o.r = reward(c);
  o.n = whole<T>(c.H * c.m);
  if (discounted) {
    o.states = occupancy(o.P, c.behaviour, c.rho, c.gamma);
  } else {
    o.unique = stationary(o.P, c.behaviour, o.states);
  }
  o.pairs = with_policy(o.states, c.behaviour);
  o.zeta = dot(o.pairs, squared_error(c, o.P, o.P_hat));
  o.omega = omega_max_inverse(c);
  return o;
}

/// Ingredients of the offline one-step-back inequalities; `learned` chooses (P̂, φ̂) or (P, φ*).
template <class T>
[[nodiscard]] bounds::BackupInputs<T> offline_inputs(const Case<T>& c, const Offline<T>& o,
                                                     const Column<T>& g, bool learned) {
  const Table<T>& phi = learned ? c.phi_hat : c.phi;
  const Column<T> d = with_policy(occupancy(learned ? o.P_hat : o.P, c.pi, c.rho, c.gamma), c.pi);
  bounds::BackupInputs<T> in;
  in.gamma = c.gamma, in.spread = o.omega, in.n = o.n, in.lambda = c.lambda, in.d = T(c.d);
  in.g2 = dot(o.pairs, squares(g));
  in.g2_next = in.g2;
  in.sup = max_abs(g);
  in.l2 = sqrt(l2_squared(action_sum(c, g), c.nu));
  in.zeta = o.zeta;
  in.feature_norm = dot(d, roots(squared_norms(phi, covariance(phi, o.pairs, o.n, c.lambda))));
  return in;
}
/// Σ_{ρ_b,φ*}
template <class T>
[[nodiscard]] Table<T> true_covariance(const Case<T>& c, const Offline<T>& o) {
  return covariance(c.phi, o.pairs, o.n, c.lambda);
}
template <class T>
[[nodiscard]] T occupancy_mean(const Case<T>& c, const Table<T>& P, const Column<T>& g) {
  return dot(with_policy(occupancy(P, c.pi, c.rho, c.gamma), c.pi), g);
}

}  // namespace speder::audit

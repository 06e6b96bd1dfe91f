#pragma once

#include "speder/experiments/audit/objects/model.hpp"
#include "speder/oracle/bounds/backup.hpp"

namespace speder::audit {

/// The objects of the online proofs, for one instance.
template <class T>
struct Online {
  Table<T> P, P_hat, r;
  T n;                     // H m
  Column<T> rho_n;         // (S)  mean of d^{π_i}, i = 1 … n
  Column<T> rho_pairs;     // (SA) mean of d^{π_i}(s) π_i(a|s)
  Column<T> rho_uniform;   // (SA) ρ_n × U(A)
  Column<T> next;          // (S)  ρ'_n
  Column<T> next_uniform;  // (SA) ρ'_n × U(A)
  T zeta;                  // the larger of the two model errors
};

template <class T>
[[nodiscard]] Online<T> online(const Case<T>& c) {
  Online<T> o;
  o.P = kernel(c, c.phi, c.mu);
  o.P_hat = kernel(c, c.phi_hat, c.mu_hat);
  o.r = reward(c);
  o.n = whole<T>(c.H * c.m);
  o.rho_n = Column<T>(c.S, 1);
  o.rho_pairs = Column<T>(c.S * c.A, 1);
  for (int i = 0; i < c.H; ++i) {
    const Table<T> pi = past_policy(c, i);
    const Column<T> d = scaled(occupancy(o.P, pi, c.rho, c.gamma), fraction<T>(1, c.H));
    o.rho_n = o.rho_n + d;
    o.rho_pairs = o.rho_pairs + with_policy(d, pi);
  }
  const Table<T> uniform = uniform_policy(c);
  o.rho_uniform = with_policy(o.rho_n, uniform);
  o.next = push(o.P, o.rho_uniform);
  o.next_uniform = with_policy(o.next, uniform);
  const Column<T> error = squared_error(c, o.P, o.P_hat);
  o.zeta = max(dot(o.rho_uniform, error), dot(o.next_uniform, error));
  return o;
}

/// g(s,a) = |E_P V − E_P̂ V|
template <class T>
[[nodiscard]] Column<T> model_gap(const Table<T>& P, const Table<T>& P_hat, const Column<T>& V) {
  return magnitudes((P - P_hat) * V);
}

/// Ingredients of lem:backup_learned for a test function g under policy π.
template <class T>
[[nodiscard]] bounds::BackupInputs<T> learned_inputs(const Case<T>& c, const Online<T>& o,
                                                     const Column<T>& g) {
  const Column<T> d_hat = with_policy(occupancy(o.P_hat, c.pi, c.rho, c.gamma), c.pi);
  const Table<T> Sigma = covariance(c.phi_hat, o.rho_uniform, o.n, c.lambda);
  bounds::BackupInputs<T> in;
  in.gamma = c.gamma, in.spread = T(c.A), in.n = o.n, in.lambda = c.lambda, in.d = T(c.d);
  in.g2 = dot(o.rho_uniform, squares(g));
  in.g2_next = dot(o.next_uniform, squares(g));
  in.sup = max_abs(g);
  in.l2 = sqrt(l2_squared(action_sum(c, g), c.nu));
  in.zeta = o.zeta;
  in.feature_norm = dot(d_hat, roots(squared_norms(c.phi_hat, Sigma)));
  return in;
}

/// Ingredients of lem:backup_true: π = π_n is the last past policy.
template <class T>
[[nodiscard]] bounds::BackupInputs<T> true_inputs(const Case<T>& c, const Online<T>& o,
                                                  const Column<T>& g) {
  const Table<T> pi = past_policy(c, c.H - 1);
  const Column<T> d = with_policy(occupancy(o.P, pi, c.rho, c.gamma), pi);
  const Table<T> Sigma = covariance(c.phi, o.rho_pairs, o.n, c.lambda);
  bounds::BackupInputs<T> in;
  in.gamma = c.gamma, in.spread = T(c.A), in.n = o.n, in.lambda = c.lambda, in.d = T(c.d);
  in.g2 = dot(o.rho_uniform, squares(g));
  in.g2_next = in.g2;
  in.sup = max_abs(g);
  in.l2 = T(0);
  in.zeta = T(0);
  in.feature_norm = dot(d, roots(squared_norms(c.phi, Sigma)));
  return in;
}

}  // namespace speder::audit

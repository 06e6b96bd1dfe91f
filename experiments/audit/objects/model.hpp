#pragma once

#include "speder/experiments/audit/objects/case.hpp"

namespace speder::audit {

// Exact planning on a small instance. Kernels are (SA × S) tables of masses.

template <class T>
[[nodiscard]] Table<T> kernel(const Case<T>& c, const Table<T>& phi, const Table<T>& mu) {
  Table<T> P = phi * transposed(mu);
  for (int i = 0; i < P.rows(); ++i) {
    for (int s = 0; s < c.S; ++s) P(i, s) = P(i, s) * c.nu(s);
  }
  return P;
}
template <class T>
[[nodiscard]] Table<T> reward(const Case<T>& c) {
  return c.phi * c.theta;
}
/// ∑_a π(a|s) x(s,a)
template <class T>
[[nodiscard]] Column<T> average(const Table<T>& pi, const Table<T>& x) {
  Column<T> mean(pi.rows(), 1);
  for (int s = 0; s < pi.rows(); ++s) {
    for (int a = 0; a < pi.cols(); ++a) mean(s) = mean(s) + pi(s, a) * x(s * pi.cols() + a);
  }
  return mean;
}
/// ∑_a x(s,a): ∫_A over the counting measure
template <class T>
[[nodiscard]] Column<T> action_sum(const Case<T>& c, const Table<T>& x) {
  return average(Table<T>(c.S, c.A, T(1)), x);
}
/// P^π(s'|s) = ∑_a π(a|s) P(s'|s,a)
template <class T>
[[nodiscard]] Table<T> state_kernel(const Table<T>& P, const Table<T>& pi) {
  Table<T> K(pi.rows(), P.cols());
  for (int s = 0; s < pi.rows(); ++s) {
    for (int a = 0; a < pi.cols(); ++a) {
      if (surely_zero(pi(s, a))) continue;
      for (int t = 0; t < P.cols(); ++t) {
        K(s, t) = K(s, t) + pi(s, a) * P(s * pi.cols() + a, t);
      }
    }
  }
  return K;
}
/// V = (I − γP^π)⁻¹ r^π
template <class T>
[[nodiscard]] Column<T> value(const Table<T>& P, const Table<T>& r, const Table<T>& pi,
                              const T& gamma) {
  const Table<T> K = state_kernel(P, pi);
  return solve(identity<T>(K.rows()) - scaled(K, gamma), average(pi, r));
}
/// Q = r + γPV
template <class T>
[[nodiscard]] Column<T> action_value(const Table<T>& P, const Table<T>& r, const Column<T>& V,
                                     const T& gamma) {
  return r + scaled(P * V, gamma);
}
/// d^π = (1−γ)(I − γP^πᵀ)⁻¹ρ, state masses
template <class T>
[[nodiscard]] Column<T> occupancy(const Table<T>& P, const Table<T>& pi, const Table<T>& rho,
                                  const T& gamma) {
  const Table<T> K = transposed(state_kernel(P, pi));
  return solve(identity<T>(K.rows()) - scaled(K, gamma), scaled(rho, T(1) - gamma));
}
/// d(s) π(a|s)
template <class T>
[[nodiscard]] Column<T> with_policy(const Column<T>& d, const Table<T>& pi) {
  Column<T> joint(pi.size(), 1);
  for (int s = 0; s < pi.rows(); ++s) {
    for (int a = 0; a < pi.cols(); ++a) joint(s * pi.cols() + a) = d(s) * pi(s, a);
  }
  return joint;
}
template <class T>
[[nodiscard]] Table<T> uniform_policy(const Case<T>& c) {
  return Table<T>(c.S, c.A, fraction<T>(1, c.A));
}
/// One step: masses of s' for (s,a) ~ joint
template <class T>
[[nodiscard]] Column<T> push(const Table<T>& P, const Column<T>& joint) {
  return transposed(P) * joint;
}
template <class T>
[[nodiscard]] Table<T> past_policy(const Case<T>& c, int i) {
  Table<T> pi(c.S, c.A);
  for (int s = 0; s < c.S; ++s) {
    for (int a = 0; a < c.A; ++a) pi(s, a) = c.history(i * c.S + s, a);
  }
  return pi;
}
/// ‖x‖₂² = ∑_s x(s)² ν(s)
template <class T>
[[nodiscard]] T l2_squared(const Table<T>& x, const Table<T>& nu) {
  T total = T(0);
  for (int s = 0; s < x.size(); ++s) total = total + x(s) * x(s) * nu(s);
  return total;
}
/// ‖P̂(·|s,a) − P(·|s,a)‖₂² of densities, for each (s,a), from masses
template <class T>
[[nodiscard]] Column<T> squared_error(const Case<T>& c, const Table<T>& P, const Table<T>& P_hat) {
  Column<T> error(P.rows(), 1);
  for (int i = 0; i < P.rows(); ++i) {
    for (int s = 0; s < c.S; ++s) error(i) = error(i) + square(P(i, s) - P_hat(i, s)) / c.nu(s);
  }
  return error;
}
/// n E_w[φφᵀ] + λI
template <class T>
[[nodiscard]] Table<T> covariance(const Table<T>& phi, const Column<T>& w, const T& n,
                                  const T& lambda) {
  Table<T> Sigma = identity<T>(phi.cols(), lambda);
  for (int i = 0; i < phi.rows(); ++i) {
    if (surely_zero(w(i))) continue;
    for (int j = 0; j < phi.cols(); ++j) {
      for (int k = 0; k < phi.cols(); ++k) {
        Sigma(j, k) = Sigma(j, k) + n * w(i) * phi(i, j) * phi(i, k);
      }
    }
  }
  return Sigma;
}
/// ‖φ(s,a)‖²_{Σ⁻¹} for each (s,a)
template <class T>
[[nodiscard]] Column<T> squared_norms(const Table<T>& phi, const Table<T>& Sigma) {
  const Table<T> solved = solve(Sigma, transposed(phi));  // Σ⁻¹φᵀ
  Column<T> norms(phi.rows(), 1);
  for (int i = 0; i < phi.rows(); ++i) {
    for (int k = 0; k < phi.cols(); ++k) norms(i) = norms(i) + phi(i, k) * solved(k, i);
  }
  return norms;
}
template <class T>
[[nodiscard]] Column<T> roots(Column<T> x) {
  // A quadratic form is non-negative; rounding may leave −1e-18.
  for (int i = 0; i < x.size(); ++i) x(i) = sqrt(max(x(i), T(0)));
  return x;
}
template <class T>
[[nodiscard]] Column<T> squares(Column<T> x) {
  for (int i = 0; i < x.size(); ++i) x(i) = x(i) * x(i);
  return x;
}
template <class T>
[[nodiscard]] Column<T> magnitudes(Column<T> x) {
  for (int i = 0; i < x.size(); ++i) x(i) = abs(x(i));
  return x;
}
/// ‖φ(s,a)‖₂ for each (s,a)
template <class T>
[[nodiscard]] Column<T> lengths(const Table<T>& phi) {
  Column<T> length(phi.rows(), 1);
  for (int i = 0; i < phi.rows(); ++i) {
    for (int k = 0; k < phi.cols(); ++k) length(i) = length(i) + square(phi(i, k));
  }
  return roots(length);
}
/// ∫ μ(s) h(s) ν(ds) ∈ R^d
template <class T>
[[nodiscard]] Column<T> integrate(const Case<T>& c, const Table<T>& mu, const Column<T>& h) {
  Column<T> total(mu.cols(), 1);
  for (int s = 0; s < c.S; ++s) {
    for (int k = 0; k < mu.cols(); ++k) total(k) = total(k) + mu(s, k) * h(s) * c.nu(s);
  }
  return total;
}

}  // namespace speder::audit

#pragma once

#include "speder/experiments/audit/objects/model.hpp"
#include "speder/experiments/audit/objects/spectrum.hpp"

namespace speder::audit {

/// φ with E_{ρ₀}[φφᵀ] = I/d: the raw features times L⁻ᵀ/√d, where E[φφᵀ] = LLᵀ.
/// Undefined (empty table) when E[φφᵀ] is singular.
template <class T>
[[nodiscard]] Table<T> whitened(const Case<T>& c, const Table<T>& raw) {
  Table<T> M = covariance(raw, c.weights, T(1), T(0));
  const int d = raw.cols();
  Table<T> L(d, d);
  for (int j = 0; j < d; ++j) {
    for (int i = j; i < d; ++i) {
      T rest = M(i, j);
      for (int k = 0; k < j; ++k) rest = rest - L(i, k) * L(j, k);
      if (i == j) {
        constexpr double kSingular = 1e-3;  // keeps the condition number small enough for doubles
        if (to_double(rest) < kSingular) return {};
        L(j, j) = sqrt(rest);
      } else {
        L(i, j) = rest / L(j, j);
      }
    }
  }
  Table<T> white = transposed(raw);  // L⁻¹φᵀ by forward substitution
  for (int col = 0; col < white.cols(); ++col) {
    for (int i = 0; i < d; ++i) {
      for (int k = 0; k < i; ++k) white(i, col) = white(i, col) - L(i, k) * white(k, col);
      white(i, col) = white(i, col) / L(i, i);
    }
  }
  return scaled(transposed(white), T(1) / sqrt(T(d)));
}

/// ψ(s') = E_{ρ₀}[P(s'|s,a) φ(s,a)] with densities P: (S × d)
template <class T>
[[nodiscard]] Table<T> correlation(const Case<T>& c, const Table<T>& phi) {
  const Table<T> P = kernel(c, c.phi, c.mu);
  Table<T> psi(c.S, phi.cols());
  for (int i = 0; i < phi.rows(); ++i) {
    for (int s = 0; s < c.S; ++s) {
      for (int k = 0; k < phi.cols(); ++k) {
        psi(s, k) = psi(s, k) + c.weights(i) * P(i, s) / c.nu(s) * phi(i, k);
      }
    }
  }
  return psi;
}
/// ∫ x(s)ᵀ y(s) ν(ds)
template <class T>
[[nodiscard]] T inner(const Case<T>& c, const Table<T>& x, const Table<T>& y) {
  T total = T(0);
  for (int s = 0; s < c.S; ++s) {
    for (int k = 0; k < x.cols(); ++k) total = total + x(s, k) * y(s, k) * c.nu(s);
  }
  return total;
}
/// μ(s) = p(s) μ'(s)
template <class T>
[[nodiscard]] Table<T> reparameterised(const Case<T>& c, Table<T> mu_prime) {
  for (int s = 0; s < c.S; ++s) {
    for (int k = 0; k < mu_prime.cols(); ++k) mu_prime(s, k) = mu_prime(s, k) * c.base(s);
  }
  return mu_prime;
}
/// E_p[p μ'μ'ᵀ] = ∑_s p(s)ν(s) p(s) μ'(s)μ'(s)ᵀ
template <class T>
[[nodiscard]] Table<T> weighted_gram(const Case<T>& c, const Table<T>& mu_prime) {
  Table<T> gram(mu_prime.cols(), mu_prime.cols());
  for (int s = 0; s < c.S; ++s) {
    for (int j = 0; j < gram.rows(); ++j) {
      for (int k = 0; k < gram.cols(); ++k) {
        gram(j, k) = gram(j, k) + c.base(s) * c.nu(s) * c.base(s) * mu_prime(s, j) * mu_prime(s, k);
      }
    }
  }
  return gram;
}
/// E_{ρ₀×P}[φ(s,a)ᵀ x(s')]
template <class T>
[[nodiscard]] T transition_mean(const Case<T>& c, const Table<T>& phi, const Table<T>& x) {
  const Table<T> P = kernel(c, c.phi, c.mu);
  const Table<T> scores = phi * transposed(x);
  T total = T(0);
  for (int i = 0; i < phi.rows(); ++i) {
    for (int s = 0; s < c.S; ++s) total = total + c.weights(i) * P(i, s) * scores(i, s);
  }
  return total;
}
/// E_{ρ₀} ∫ (φᵀμ)²
template <class T>
[[nodiscard]] T model_power(const Case<T>& c, const Table<T>& phi, const Table<T>& mu) {
  const Table<T> scores = phi * transposed(mu);
  T total = T(0);
  for (int i = 0; i < phi.rows(); ++i) {
    for (int s = 0; s < c.S; ++s) total = total + c.weights(i) * square(scores(i, s)) * c.nu(s);
  }
  return total;
}
/// L(φ,μ) = E_{ρ₀}‖P − φᵀμ‖₂²
template <class T>
[[nodiscard]] T model_loss(const Case<T>& c, const Table<T>& phi, const Table<T>& mu) {
  const Table<T> P = kernel(c, c.phi, c.mu);
  return dot(c.weights, squared_error(c, P, kernel(c, phi, mu)));
}
/// −E_{ρ₀×P}[φᵀμ'p] + E_p[p μ'ᵀμ']/(2d)                                  [eq:speder-objective]
template <class T>
[[nodiscard]] T speder_objective(const Case<T>& c, const Table<T>& phi, const Table<T>& mu_prime) {
  return trace(weighted_gram(c, mu_prime)) / (T(2) * T(c.d)) -
         transition_mean(c, phi, reparameterised(c, mu_prime));
}

/// (S × S) ∑_{s,a} ρ₀(s,a) p(s|·)p(t|·) √(ν(s)ν(t)): its eigenvalues are the squared singular values
template <class T>
[[nodiscard]] Table<T> density_gram(const Case<T>& c) {
  const Table<T> P = kernel(c, c.phi, c.mu);
  Table<T> gram(c.S, c.S);
  for (int s = 0; s < c.S; ++s) {
    for (int t = 0; t < c.S; ++t) {
      T total = T(0);
      for (int i = 0; i < P.rows(); ++i) total = total + c.weights(i) * P(i, s) * P(i, t);
      gram(s, t) = total / (sqrt(c.nu(s)) * sqrt(c.nu(t)));
    }
  }
  return gram;
}
/// ‖E_{ρ₀}[Pφ]‖₂² for the first k features, made orthonormal, and the sum of the `kept` largest squared
/// singular values of P.                                                              [eq:svd_form]
template <class T>
[[nodiscard]] Sides<T> features_against_singular_values(const Case<T>& c, int k, int kept) {
  Table<T> few(c.phi_hat.rows(), k);
  for (int i = 0; i < few.size(); ++i) few(i) = c.phi_hat(i / k, i % k);
  const Table<T> phi = whitened(c, few);
  if (phi.empty()) return undefined<T>();
  const Table<T> psi = correlation(c, phi);
  const Spectrum<T> squares = spectrum(density_gram(c));
  T top = T(kept) * squares.rest;
  for (int i = 0; i < std::min(kept, c.S); ++i) {
    top = top + squares.values[static_cast<std::size_t>(i)];
  }
  return {T(k) * inner(c, psi, psi), top};
}

}  // namespace speder::audit

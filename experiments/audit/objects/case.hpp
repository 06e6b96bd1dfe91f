#pragma once

#include <cstdint>

#include "speder/experiments/audit/objects/table.hpp"

namespace speder::audit {

inline constexpr int kPlainDigits = 15;  // n up to 10¹⁵ is a number in the instance (m)

/// One instance: every object a statement of the paper talks about. A builder fills the fields
/// its statements need, the others stay empty. Masses are probabilities; densities are with
/// respect to ν, so that the mass of s' under ⟨φ, μ(s')⟩ is ⟨φ, μ(s')⟩ ν(s').
template <class T>
struct Case {
  int S = 0;           // states (or |Y|)
  int A = 0;           // actions
  int d = 0;           // rank
  int H = 0;           // different past policies, each used m times (or rounds N)
  std::int64_t m = 1;  // repetitions: n = H m
  int X = 0;           // size of the instance space
  int F = 0;           // size of the class
  int n = 0;           // samples, where data are enumerated
  int digits = 0;  // n = 10^digits, for claims that need log n alone; m is then 10^min(digits,15)

  T gamma = T(0);
  T lambda = T(0);
  T alpha = T(0);
  T delta = T(0);
  T bound = T(0);  // C: sup of a density, or c: bound on an operator norm
  T step = T(0);   // ρ of the exponential-moment argument

  Table<T> nu;         // (S)       base measure
  Table<T> phi;        // (SA × d)  row s·A + a
  Table<T> mu;         // (S × d)   density factor
  Table<T> theta;      // (d)       r = ⟨φ, θ⟩
  Table<T> rho;        // (S)       initial masses
  Table<T> pi;         // (S × A)
  Table<T> history;    // (H·S × A) past policies one below another
  Table<T> behaviour;  // (S × A)   π_b
  Table<T> g;          // (S × A)   test function
  Table<T> phi_hat;    // (SA × d)
  Table<T> mu_hat;     // (S × d)
  Table<T> weights;    // (SA)      masses of ρ₀, or of a data set
  Table<T> base;       // (S)       density p of the reparameterisation
  Table<T> counts;     // (SA)      how often D_n holds (s,a)
  Table<T> matrices;   // (H·d × d) G₁ … G_N
  Table<T> family;     // (F·X × S) candidate densities f(y|x); row f·X + x, f = 0 is f*
  Table<T> loss;       // (F·X × S) ℓ(f, (x, y))
  Table<T> design;     // ((S+1) × X) law of x₁, then of x_i after y_{i−1} = 0 … S−1
};

/// Names and fields in file order: v.size(name, int&), v.number(name, T&), v.table(name, Table&).
template <class C, class V>
void visit_fields(C& c, V& v) {
  v.size("S", c.S), v.size("A", c.A), v.size("d", c.d), v.size("H", c.H), v.size("m", c.m);
  v.size("X", c.X), v.size("F", c.F), v.size("n", c.n), v.size("digits", c.digits);
  v.number("gamma", c.gamma), v.number("lambda", c.lambda), v.number("alpha", c.alpha);
  v.number("delta", c.delta), v.number("bound", c.bound), v.number("step", c.step);
  v.table("nu", c.nu), v.table("phi", c.phi), v.table("mu", c.mu), v.table("theta", c.theta);
  v.table("rho", c.rho), v.table("pi", c.pi), v.table("history", c.history);
  v.table("behaviour", c.behaviour), v.table("g", c.g), v.table("phi_hat", c.phi_hat);
  v.table("mu_hat", c.mu_hat), v.table("weights", c.weights), v.table("base", c.base);
  v.table("counts", c.counts), v.table("matrices", c.matrices), v.table("family", c.family);
  v.table("loss", c.loss), v.table("design", c.design);
}

/// log n of a statement about sizes alone
template <class T>
[[nodiscard]] T log_n(const Case<T>& c) {
  return c.digits > kPlainDigits ? T(c.digits) * log(T(10)) : log(whole<T>(c.m));
}

/// The two sides of a statement on one instance: left ≤ right, or left = right. `scale` is the
/// size of the numbers that were subtracted on the way (for the rounding allowance of an identity).
template <class T>
struct Sides {
  T left = T(0);
  T right = T(0);
  T scale = T(0);
  bool defined = true;  // false: the statement says nothing about this instance
};

template <class T>
[[nodiscard]] Sides<T> undefined() {
  Sides<T> sides;
  sides.defined = false;
  return sides;
}

/// The worst pair of a statement that holds for every (s,a), every g, ….
template <class T>
class Worst {
 public:
  void add(const T& left, const T& right) {
    const double excess = to_double(left) - to_double(right);
    if (any_ && excess <= excess_) return;
    any_ = true;
    excess_ = excess;
    sides_.left = left;
    sides_.right = right;
  }
  void equal(const T& left, const T& right) {  // for identities: the largest difference
    const double excess = std::abs(to_double(left) - to_double(right));
    if (any_ && excess <= excess_) return;
    any_ = true;
    excess_ = excess;
    sides_.left = left;
    sides_.right = right;
  }
  [[nodiscard]] Sides<T> sides() const { return sides_; }

 private:
  Sides<T> sides_;
  double excess_ = 0;
  bool any_ = false;
};

}  // namespace speder::audit

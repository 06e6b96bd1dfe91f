#include "speder/experiments/audit/objects/build.hpp"

#include <algorithm>

#include "speder/core/check.hpp"

namespace speder::audit {

Fraction simplest_between(double low, double high) {
  // Mediants between 0/1 and 1/0.
  std::int64_t a = 0, b = 1, c = 1, d = 0;
  constexpr int kSteps = 100'000;
  for (int i = 0; i < kSteps; ++i) {
    const std::int64_t p = a + c;
    const std::int64_t q = b + d;
    const double x = static_cast<double>(p) / static_cast<double>(q);
    if (x < low) {
      a = p, b = q;
    } else if (x > high) {
      c = p, d = q;
    } else {
      return {p, q};
    }
  }
  throw std::invalid_argument("simplest_between: no fraction found");
}

template <class T>
void simplex_row(Choices& choices, Slot slot, Table<T>& out, int row, const T& floor) {
  constexpr int kStride = 8;
  T total = T(0);
  for (int j = 0; j < out.cols(); ++j) {
    out(row, j) = choices.unit<T>(slot, row * kStride + j) + floor;
    total = total + out(row, j);
  }
  if (to_double(total) == 0) {  // all weights zero: the first point
    out(row, 0) = T(1);
    return;
  }
  for (int j = 0; j < out.cols(); ++j) out(row, j) = out(row, j) / total;
}

/// (1 + 9u) 10ᵏ, k ∈ {lowest, …, highest} ∋ 0, in the order 0, 1, −1, 2, −2, … (1 is simplest)
template <class T>
T scale_choice(Choices& choices, int index, int lowest, int highest) {
  const int i = choices.integer(Slot::kKnob, index, 0, highest - lowest);
  const int both = 2 * std::min(highest, -lowest);  // how many of k ≠ 0 alternate in sign
  int k = (i % 2 == 1 ? 1 : -1) * ((i + 1) / 2);
  if (i > both) k = (highest > -lowest ? 1 : -1) * (i - both / 2);
  const T size = k >= 0 ? power(T(10), k) : T(1) / power(T(10), -k);
  return size * (T(1) + T(9) * choices.unit<T>(Slot::kScalar, index));
}

namespace {

template <class T>
void build_objective(Choices& choices, Case<T>& c) {
  build_mdp(choices, c, false);
  const T two = T(2);
  for (int i = 0; i < c.phi_hat.size(); ++i) {
    c.phi_hat(i) = two * choices.unit<T>(Slot::kPhiHat, 200 + i) - T(1);
  }
  for (int i = 0; i < c.mu_hat.size(); ++i) {
    c.mu_hat(i) = two * choices.unit<T>(Slot::kMuHat, 200 + i) - T(1);
  }
}

// G_n is diagonal or v vᵀ, plus I/20 (the lemma says positive definite): its operator norm is then
// rational, and c is the largest of them.
template <class T>
void build_matrices(Choices& choices, Case<T>& c) {
  c.d = choices.integer(Slot::kSize, 0, 1, 4);
  c.H = choices.integer(Slot::kSize, 1, 1, 5);
  c.lambda = scale_choice<T>(choices, 0, -3, 3);
  const T size = scale_choice<T>(choices, 1, -3, 3);
  const T floor = fraction<T>(1, 20);
  c.matrices = Table<T>(c.H * c.d, c.d);
  for (int n = 0; n < c.H; ++n) {
    const bool diagonal = choices.integer(Slot::kKnob, 10 + n, 0, 1) == 0;
    T norm = T(0);
    Column<T> v(c.d, 1);
    for (int k = 0; k < c.d; ++k) v(k) = choices.unit<T>(Slot::kMatrix, n * kMaxRank + k);
    for (int j = 0; j < c.d; ++j) {
      for (int k = 0; k < c.d; ++k) {
        if (diagonal && j != k) continue;
        c.matrices(n * c.d + j, k) = size * (diagonal ? v(k) : v(j) * v(k));
      }
      c.matrices(n * c.d + j, j) = c.matrices(n * c.d + j, j) + size * floor;
      norm = diagonal ? max(norm, size * v(j)) : norm + size * v(j) * v(j);
    }
    c.bound = max(c.bound, norm + size * floor);
  }
}

template <class T>
void build_rates(Choices& choices, Case<T>& c) {
  c.d = choices.integer(Slot::kSize, 0, 1, 100);
  c.A = choices.integer(Slot::kSize, 1, 1, 50);
  // n = 1, 10, …, 10¹⁵, then 10^100 … 10^1,000,000: a statement for every n is a statement for these.
  const int k = choices.integer(Slot::kSize, 2, 0, kPlainDigits + 5);
  c.digits = k;
  for (int i = 0; i < std::min(k, kPlainDigits); ++i) c.m *= 10;
  for (int i = kPlainDigits; i < k; ++i) c.digits = i == kPlainDigits ? 100 : 10 * c.digits;
  c.H = 1;  // n = H m
  c.F = choices.integer(Slot::kSize, 3, 2, 1000);
  const int digits = choices.integer(Slot::kSize, 4, 0, 5);  // γ up to 1 − 10⁻⁶
  c.gamma = T(1) - (T(1) + T(8) * choices.unit<T>(Slot::kScalar, 0)) / power(T(10), digits + 1);
  c.delta = (T(1) + T(18) * choices.unit<T>(Slot::kScalar, 1)) / T(20);
  c.bound = T(1) + T(99) * choices.unit<T>(Slot::kScalar, 2);  // C*_π, ω or 1/π_b
}

}  // namespace

template <class T>
Case<T> build(Shape shape, Choices& choices) {
  Case<T> c;
  switch (shape) {
    case Shape::kMdp:
      build_mdp(choices, c, true);
      break;
    case Shape::kDetour:
    case Shape::kCorridor:
      build_detour(choices, c, shape == Shape::kCorridor);
      break;
    case Shape::kFreeMeasure:
      build_mdp(choices, c, false);
      break;
    case Shape::kObjective:
      build_objective(choices, c);
      break;
    case Shape::kMatrices:
      build_matrices(choices, c);
      break;
    case Shape::kRates:
      build_rates(choices, c);
      break;
    case Shape::kLongErm:
    case Shape::kAdversary:
    case Shape::kWalk:
      build_attack(choices, c, shape);
      break;
    default:
      build_class(choices, c, shape);
  }
  return c;
}

template Case<double> build(Shape, Choices&);
template Case<Exact> build(Shape, Choices&);
template void simplex_row(Choices&, Slot, Table<double>&, int, const double&);
template void simplex_row(Choices&, Slot, Table<Exact>&, int, const Exact&);
template double scale_choice(Choices&, int, int, int);
template Exact scale_choice(Choices&, int, int, int);

}  // namespace speder::audit

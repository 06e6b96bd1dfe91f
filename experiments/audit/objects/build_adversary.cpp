#include <algorithm>
#include <cmath>

#include "speder/experiments/audit/objects/build.hpp"
#include "speder/experiments/audit/objects/density.hpp"
#include "speder/oracle/bounds/generalization.hpp"

// Instances on which the generalisation theorem and the concentration of the bonus can fail: n is
// chosen so large that the bound says something, and an adversary may choose the data.

namespace speder::audit {
namespace {

constexpr int kLadder[] = {3, 4, 5, 6, 8, 10, 12, 14, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256};

// f* is any row; the candidates are free, or F points of the way from f* to a free row.
template <class T>
void choose_candidates(Choices& choices, Case<T>& c) {
  const bool grid = choices.integer(Slot::kKnob, 3, 0, 1) == 1;
  const T reach = (T(1) + T(7) * choices.unit<T>(Slot::kScalar, 3)) / T(8);
  c.family = Table<T>(c.F * c.X, c.S);
  const int drawn = (grid ? std::min(c.F, 2) : c.F) * c.X;
  for (int i = 0; i < drawn; ++i) simplex_row(choices, Slot::kClass, c.family, i, T(0));
  for (int k = c.F - 1; grid && k > 0; --k) {  // from the far end: row 1 is still the free one
    const T share = reach * fraction<T>(k, c.F - 1);
    for (int x = 0; x < c.X; ++x) {
      for (int y = 0; y < c.S; ++y) {
        c.family(k * c.X + x, y) = (T(1) - share) * c.family(x, y) + share * c.family(c.X + x, y);
      }
    }
  }
  for (int i = 0; i < c.family.rows(); ++i) {
    for (int y = 0; y < c.S; ++y) c.family(i, y) = c.family(i, y) / c.nu(y);
  }
  c.bound = max_abs(c.family);
}

// The first n of the ladder at which C' log(|F|/δ)/n is below the largest error, or a few steps more,
// with the printed C' or the sharp one.
template <class T>
void choose_samples(Choices& choices, Case<T>& c, double largest_error, int most) {
  const double C = to_double(c.bound);
  const double constant = most > 100 && choices.integer(Slot::kKnob, 4, 0, 1) == 1
                              ? bounds::generalization_constant(C)
                              : bounds::generalization_sharp_constant(C);
  const double bound = constant * std::log(c.F / to_double(c.delta));
  const int extra = choices.integer(Slot::kSize, 3, 0, 4);
  const int* at = std::begin(kLadder);
  while (at + 1 < std::end(kLadder) && at[1] <= most && *at * largest_error <= bound) ++at;
  for (int i = 0; i < extra && at + 1 < std::end(kLadder) && at[1] <= most; ++i) ++at;
  c.n = *at;
}

template <class T>
void build_long_erm(Choices& choices, Case<T>& c) {
  // Mostly one coin, for which the largest n is affordable; else a die, or two coins.
  const int kind = choices.integer(Slot::kSize, 0, 0, 3);
  c.X = kind == 3 ? 2 : 1;
  c.S = kind == 2 ? 3 : 2;
  const int cells = c.X * c.S;
  constexpr int kSizes[] = {2, 2, 3, 4, 8, 16, 32, 64};
  c.F = kSizes[choices.integer(Slot::kSize, 2, 0, cells == 2 ? 7 : 4)];
  choose_measure(choices, c);
  choose_candidates(choices, c);
  c.design = Table<T>(c.S + 1, c.X);
  for (int i = 0; i <= c.S; ++i) simplex_row(choices, Slot::kDesign, c.design, i, T(0));
  c.delta = (T(1) + T(18) * choices.unit<T>(Slot::kScalar, 0)) / T(20);
  double largest = 0;
  for (int f = 0; f < c.F; ++f) {
    double error = 0;
    for (int x = 0; x < c.X; ++x)
      error += to_double(c.design(0, x)) * to_double(density_error(c, f, x));
    largest = std::max(largest, error);
  }
  choose_samples(choices, c, largest, cells == 2 ? 256 : cells == 3 ? 64 : 24);
}

template <class T>
void build_adversary(Choices& choices, Case<T>& c) {
  c.X = 2, c.S = 2;
  constexpr int kSizes[] = {2, 2, 2, 3, 4, 6};
  c.F = kSizes[choices.integer(Slot::kSize, 2, 0, 5)];
  choose_measure(choices, c);
  choose_candidates(choices, c);
  c.design = Table<T>(c.S + 1, c.X);
  for (int i = 0; i <= c.S; ++i) simplex_row(choices, Slot::kDesign, c.design, i, T(0));
  c.delta = (T(1) + T(18) * choices.unit<T>(Slot::kScalar, 0)) / T(20);
  double largest = 0;
  for (int f = 0; f < c.F; ++f) {
    for (int x = 0; x < c.X; ++x) largest = std::max(largest, to_double(density_error(c, f, x)));
  }
  choose_samples(choices, c, largest, 14);
}

// Cells z < S, feature maps k < A: row z·A + k of φ; the adversary draws from ρ or from `base`.
template <class T>
void build_walk(Choices& choices, Case<T>& c) {
  constexpr int kDirections[][3] = {{1, 0, 1},   {0, 1, 1},   {3, 4, 5},  {4, 3, 5},
                                    {5, 12, 13}, {12, 5, 13}, {-3, 4, 5}, {3, -4, 5}};
  c.S = choices.integer(Slot::kSize, 0, 2, 3);
  c.A = choices.integer(Slot::kSize, 1, 1, 3);
  c.d = choices.integer(Slot::kSize, 2, 1, 2);
  constexpr int kRounds[] = {1, 2, 3, 4, 5, 6, 8, 12};
  c.H = kRounds[choices.integer(Slot::kSize, 3, 0, c.S == 2 ? 7 : 5)];
  c.phi = Table<T>(c.S * c.A, c.d);
  for (int i = 0; i < c.S * c.A; ++i) {
    const T length = choices.unit<T>(Slot::kPhi, i);
    const int* v = kDirections[c.d == 1 ? 0 : choices.integer(Slot::kMu, i, 0, 7)];
    for (int k = 0; k < c.d; ++k) c.phi(i, k) = length * fraction<T>(v[k], v[2]);
  }
  for (Table<T>* law : {&c.rho, &c.base}) {
    Table<T> row(1, c.S);
    simplex_row(choices, law == &c.rho ? Slot::kRho : Slot::kBase, row, 0, T(0));
    *law = transposed(row);
  }
  c.delta = (T(1) + T(9) * choices.unit<T>(Slot::kScalar, 0)) / T(20);
}

}  // namespace

template <class T>
void build_attack(Choices& choices, Case<T>& c, Shape shape) {
  if (shape == Shape::kLongErm) build_long_erm(choices, c);
  if (shape == Shape::kAdversary) build_adversary(choices, c);
  if (shape == Shape::kWalk) build_walk(choices, c);
}

template void build_attack(Choices&, Case<double>&, Shape);
template void build_attack(Choices&, Case<Exact>&, Shape);

}  // namespace speder::audit

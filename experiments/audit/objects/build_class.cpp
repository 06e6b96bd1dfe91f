#include <algorithm>

#include "speder/experiments/audit/objects/build.hpp"

namespace speder::audit {

template <class T>
void choose_measure(Choices& choices, Case<T>& c) {
  const int kind = choices.integer(Slot::kKnob, 0, 0, 2);
  const T size = kind == 2 ? scale_choice<T>(choices, 1, -2, 2) : T(1);
  c.nu = Table<T>(c.S, 1, T(1));
  if (kind == 0) return;  // counting measure
  for (int y = 0; y < c.S; ++y) {
    c.nu(y) = size * (choices.unit<T>(Slot::kNu, y) + fraction<T>(1, 20));
  }
}

namespace {

// Conditional densities with respect to ν: masses from the simplex, divided by ν.
template <class T>
void choose_family(Choices& choices, Case<T>& c) {
  c.family = Table<T>(c.F * c.X, c.S);
  for (int i = 0; i < c.F * c.X; ++i) {
    simplex_row(choices, Slot::kClass, c.family, i, T(0));
    for (int y = 0; y < c.S; ++y) c.family(i, y) = c.family(i, y) / c.nu(y);
  }
  c.bound = max_abs(c.family);
}

// Candidates 1, 2, … become any functions with values in [−C, C]; at some x they equal f*.
template <class T>
void free_candidates(Choices& choices, Case<T>& c) {
  T largest = T(0);
  for (int x = 0; x < c.X; ++x) {
    for (int y = 0; y < c.S; ++y) largest = max(largest, c.family(x, y));
  }
  c.bound = largest * (T(1) + T(99) * choices.unit<T>(Slot::kScalar, 3));
  for (int i = c.X; i < c.F * c.X; ++i) {
    const bool truth = choices.integer(Slot::kKnob, 30 + i, 0, 2) == 0;  // f = f* at this x
    for (int y = 0; y < c.S; ++y) {
      c.family(i, y) = truth ? c.family(i % c.X, y)
                             : c.bound * (T(2) * choices.unit<T>(Slot::kLoss, i * 8 + y) - T(1));
    }
  }
}

}  // namespace

template <class T>
void build_class(Choices& choices, Case<T>& c, Shape shape) {
  const bool density = shape == Shape::kDensity || shape == Shape::kSignedDensity;
  const bool process = shape == Shape::kProcess;
  c.X = density ? 1 : choices.integer(Slot::kSize, 0, 1, 2);
  c.S = choices.integer(Slot::kSize, 1, 1, density ? 5 : process ? 3 : 4 / c.X);
  c.F = density ? 2 : choices.integer(Slot::kSize, 2, 1, 4);
  constexpr int kSamples[] = {1, 2, 3, 4, 6, 8, 12, 20, 30};
  c.n = density   ? choices.integer(Slot::kSize, 3, 1, 5)
        : process ? choices.integer(Slot::kSize, 3, 1, 3)
                  : kSamples[choices.integer(Slot::kSize, 3, 0, 8)];
  choose_measure(choices, c);
  choose_family(choices, c);
  if (shape == Shape::kSignedDensity || shape == Shape::kSignedErm) free_candidates(choices, c);
  c.design = Table<T>(c.S + 1, c.X);
  for (int i = 0; i <= c.S; ++i) simplex_row(choices, Slot::kDesign, c.design, i, T(0));
  c.delta = (T(1) + T(18) * choices.unit<T>(Slot::kScalar, 0)) / T(20);
  c.step = (T(1) + T(99) * choices.unit<T>(Slot::kScalar, 1)) / T(200) / max(c.bound, T(1));
  if (!process) return;
  const T size = scale_choice<T>(choices, 2, -1, 0);
  c.loss = Table<T>(c.F * c.X, c.S);
  for (int i = 0; i < c.F * c.X; ++i) {
    for (int y = 0; y < c.S; ++y) {
      c.loss(i, y) = size * (T(2) * choices.unit<T>(Slot::kLoss, i * 8 + y) - T(1));
    }
  }
}

template void choose_measure(Choices&, Case<double>&);
template void choose_measure(Choices&, Case<Exact>&);
template void build_class(Choices&, Case<double>&, Shape);
template void build_class(Choices&, Case<Exact>&, Shape);

}  // namespace speder::audit

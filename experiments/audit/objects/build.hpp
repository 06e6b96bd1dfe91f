#pragma once

#include "speder/experiments/audit/objects/case.hpp"
#include "speder/experiments/audit/search/choice.hpp"

namespace speder::audit {

/// Instance shapes. Each is a function of choices, the same in double and exact arithmetic.
enum class Shape {
  kMdp,       // low-rank MDP, candidate kernel, policies, g; ν scaled so that both normalisation
              // assumptions hold for φ* and φ̂ (tight or loose)
  kDetour,    // the same, half of them near the instance that shows the lost factor 2 of
              // lem:backup_learned
  kCorridor,  // the same, half of them corridors with an error that the data cannot see
  kFreeMeasure,    // the same with ν as drawn (counting, scaled): the assumptions may fail
  kObjective,      // true kernel, arbitrary φ, μ', ρ₀ and p: the spectral objective
  kDensity,        // two conditional densities f*, f on (Y, ν)
  kSignedDensity,  // f* a density, f any function with |f| ≤ C
  kProcess,        // class of losses and a data process that depends on the past
  kErm,            // finite class, i.i.d. data, everything enumerable
  kSignedErm,      // the same with candidates that are only bounded by C
  kLongErm,        // the same with n so large that the bound can fail; |F| up to 64
  kAdversary,      // the same, and before each sample an adversary chooses between two laws of x
  kWalk,           // feature maps on a few cells; before each visit an adversary chooses a law
  kMatrices,       // G₁ … G_N positive definite
  kRates           // sizes only: d, |A|, n, |F|, γ, δ over many orders of magnitude
};

template <class T>
[[nodiscard]] Case<T> build(Shape shape, Choices& choices);

// Strides of the choice slots; also the largest sizes.
inline constexpr int kMaxActions = 4;
inline constexpr int kMaxStates = 5;
inline constexpr int kMaxRank = 6;

// Shared by the builders (instantiated for double and Exact).
template <class T>
void simplex_row(Choices& choices, Slot slot, Table<T>& out, int row, const T& floor);
template <class T>
[[nodiscard]] T scale_choice(Choices& choices, int index, int lowest, int highest);
template <class T>
void build_mdp(Choices& choices, Case<T>& c, bool normalised);
template <class T>
void build_detour(Choices& choices, Case<T>& c, bool corridor);
template <class T>
void choose_measure(Choices& choices, Case<T>& c);
template <class T>
void build_class(Choices& choices, Case<T>& c, Shape shape);
template <class T>
void build_attack(Choices& choices, Case<T>& c, Shape shape);

}  // namespace speder::audit

#include <vector>

#include "speder/experiments/audit/entry.hpp"
#include "speder/experiments/audit/objects/erm.hpp"
#include "speder/oracle/bounds/generalization.hpp"

// thm:generalization for the least-squares estimator: all data sets of n i.i.d. samples are
// enumerated by their counts, so the probability of the bad event is exact. Ties between
// minimisers go to the worst one.

namespace speder::audit {
namespace {

// (1 − δ)-quantile of n·error/log(|F|/δ), by sorting the possible errors.
template <class T>
T error_quantile(const Case<T>& c) {
  const Table<T> loss = cell_losses(c);
  const std::vector<T> errors = class_errors(c);
  std::vector<std::pair<T, T>> law;  // (error, probability)
  for (const T& e : errors) law.emplace_back(e, T(0));
  for_each_count(c, [&](const T& p, const std::vector<int>& counts) {
    const T error = worst_minimiser(loss, errors, counts);
    for (auto& [e, q] : law) {
      if (to_double(e) == to_double(error)) {
        q = q + p;
        break;
      }
    }
  });
  T quantile = T(0);
  for (const auto& [e, q] : law) {  // the largest error whose tail still exceeds δ
    T tail = T(0);
    for (const auto& [other, mass] : law) {
      if (to_double(other) >= to_double(e)) tail = tail + mass;
    }
    if (surely_less(c.delta, tail)) quantile = max(quantile, e);
  }
  return quantile;
}

const Entry kEstimatorClaims[] = {
    {.id = "erm-beats-truth",
     .source = "thm:generalization, proof (l.706)",
     .kind = Kind::kBound,
     .premises = "f* ∈ F, f̂ minimises L(·,D)",
     .statement = "L(f̂(D),D) ≤ L(f*,D) = 0 for every D",
     .shape = Shape::kErm,
     .assumes = kDensities | kProcessValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> loss = cell_losses(c);
       Worst<T> worst;
       for_each_count(c, [&](const T&, const std::vector<int>& counts) {
         T best = objective(loss, 0, counts);
         for (int f = 1; f < c.F; ++f) best = min(best, objective(loss, f, counts));
         worst.add(best - objective(loss, 0, counts), T(0));
       });
       return worst.sides();
     }},
    {.id = "objective-is-unbiased",
     .source = "eq:objective_f (l.631) against eq:population_obj_alternative",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "f* a density, f any function",
     .statement = "E_{y~f*}[−2f(x,y) + ∑f²] = ‖f − f*‖₂² − ‖f*‖₂²",
     .shape = Shape::kSignedDensity,
     .assumes = kBounded,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const T mean = over_targets<T>(c, [&](int y) -> T {
         return c.family(0, y) * (density_power(c, 1) - T(2) * c.family(1, y));
       });
       return {mean, density_error(c, 1) - density_power(c, 0), density_power(c, 1)};
     }},
    {.id = "gen-theorem-as-printed",
     .source = "thm:generalization (l.682–688), C' = 41.95 C from its proof",
     .kind = Kind::kHighProbability,
     .premises = "|F| < ∞, f* ∈ F, ‖f‖∞ ≤ C; i.i.d. data, exact probability",
     .statement = "P(∑ᵢ E‖f* − f̂‖₂² > C' log(|F|/δ)) ≤ δ",
     .shape = Shape::kSignedErm,
     .assumes = kBounded | kProcessValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return failure_probability(c, bounds::generalization_constant(c.bound));
     },
     .corrected_by = "gen-theorem",
     .note = "candidates bounded by C alone: a rarely seen x with a large ∑f² breaks any C' that "
             "depends on C only",
     .misprint = "candidates-are-densities"},
    {.id = "gen-theorem",
     .source = "thm:generalization, eq:generalization (l.391–398), C' = 41.95 C",
     .kind = Kind::kHighProbability,
     .premises = "every f ∈ F is a density bounded by C; i.i.d. data, exact probability",
     .statement = "P(E_{ρ₀}‖P − P̂‖₂² > C' log(|F|/δ)/n) ≤ δ",
     .shape = Shape::kLongErm,
     .assumes = kDensities | kProcessValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return failure_probability(c, bounds::generalization_constant(c.bound));
     },
     .twin = Twin::kPremise},
    {.id = "gen-theorem-sharp",
     .source = "eq:generalization (l.394) with C' = 4C/(2 − √e) ≈ 11.39 C (docs/theory.md)",
     .kind = Kind::kHighProbability,
     .premises = "every f ∈ F is a density bounded by C; i.i.d. data, exact probability",
     .statement = "P(E_{ρ₀}‖P − P̂‖₂² > C' log(|F|/δ)/n) ≤ δ",
     .shape = Shape::kLongErm,
     .assumes = kDensities | kProcessValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return failure_probability(c, bounds::generalization_sharp_constant(c.bound));
     },
     .twin = Twin::kDerived},
    {.id = "gen-moment-sharp",
     .source = "thm:generalization, proof (l.728–730), with the variance in place of E[l²] "
               "(docs/theory.md)",
     .kind = Kind::kBound,
     .premises = "every f ∈ F is a density bounded by C, ρ = log 2/(4C), x of any law",
     .statement = "E_{x,y}[exp(−ρl)] ≤ exp(−(2 − √e)/(4C) · E_x‖f − f*‖₂²)",
     .shape = Shape::kErm,
     .assumes = kDensities | kProcessValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const T rho = log(T(2)) / (T(4) * c.bound);
       const std::vector<T> errors = class_errors(c);
       Worst<T> worst;
       for (int f = 0; f < c.F; ++f) {
         T moment = T(0);
         for (int x = 0; x < c.X; ++x) {
           for (int y = 0; y < c.S; ++y) {
             moment = moment + c.design(0, x) * c.family(x, y) * c.nu(y) *
                                   exp(T(0) - rho * squared_loss(c, f, x, y));
           }
         }
         const T rate =
             errors[static_cast<std::size_t>(f)] / bounds::generalization_sharp_constant(c.bound);
         worst.add(moment, exp(T(0) - rate));
       }
       return worst.sides();
     },
     .twin = Twin::kDerived},
    {.id = "gen-final-display",
     .source = "thm:generalization, last display of the proof (l.735), C' = 41.95 C",
     .kind = Kind::kBound,
     .relation = Relation::kTrivial,
     .premises = "every f ∈ F is a density bounded by C; one index i, as printed; |F| ≥ 2",
     .statement = "E_{xᵢ}‖f̂(xᵢ,·) − f*(xᵢ,·)‖₂² ≤ C' log(|F|/δ), against its largest value",
     .shape = Shape::kErm,
     .assumes = kDensities | kProcessValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       if (c.F < 2) return undefined<T>();
       T largest = T(0);
       for (const T& e : class_errors(c)) largest = max(largest, e);
       return {largest, bounds::generalization_constant(c.bound) * log(T(c.F) / c.delta)};
     },
     .corrected_by = "gen-theorem",
     .note =
         "the sum over i is lost: ‖f − f*‖₂² ≤ 2C in any case, so the line says nothing, and it "
         "does not give the rate 1/n of the theorem"},
    {.id = "gen-theorem-constant",
     .source = "eq:generalization (l.394)",
     .kind = Kind::kRate,
     .relation = Relation::kConstant,
     .premises = "every f ∈ F is a density bounded by C; i.i.d. data, exact quantiles",
     .statement =
         "(1−δ)-quantile of E‖P − P̂‖₂² ≤ c · C log(|F|/δ)/n: smallest c (the proof gives 41.95)",
     .shape = Shape::kErm,
     .assumes = kDensities | kProcessValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       if (c.F < 2) return undefined<T>();
       return {T(c.n) * error_quantile(c), c.bound * log(T(c.F) / c.delta)};
     },
     .note = "the printed constant is hidden in C'; this is what the instances need"},
};

}  // namespace

std::span<const Entry> estimator_claims() { return kEstimatorClaims; }

}  // namespace speder::audit

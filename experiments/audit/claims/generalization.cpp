#include "speder/experiments/audit/entry.hpp"
#include "speder/experiments/audit/objects/density.hpp"

// Appendix "Non-asymptotic Generalization Bound": the steps about one pair f*, f at one x.

namespace speder::audit {
namespace {

// 4∑(f + f*)(f − f*)² − k (∑(f*² − f²))²
template <class T>
T second_moment_formula(const Case<T>& c, int k) {
  const T cubic = over_targets<T>(c, [&](int y) -> T {
    return (c.family(1, y) + c.family(0, y)) * square(c.family(1, y) - c.family(0, y));
  });
  return T(4) * cubic - T(k) * square(density_power(c, 0) - density_power(c, 1));
}
template <class T>
T sum_squared(const Case<T>& c) {  // ∑(f + f*)²
  return over_targets<T>(c, [&](int y) -> T { return square(c.family(0, y) + c.family(1, y)); });
}
// log E_{f*} exp(−ρ l)
template <class T>
T log_moment(const Case<T>& c) {
  return log(over_targets<T>(
      c, [&](int y) -> T { return c.family(0, y) * exp(-(c.step * squared_loss(c, 1, 0, y))); }));
}

const Entry kGeneralizationClaims[] = {
    {.id = "gen-sum-of-squares",
     .source = "thm:generalization, proof, Hölder step (l.713)",
     .kind = Kind::kBound,
     .premises = "as the theorem states: f* ∈ F, ‖f‖∞ ≤ C",
     .statement = "∑_y f(x,y)² ≤ C",
     .shape = Shape::kSignedDensity,
     .assumes = kBounded,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {density_power(c, 1), c.bound};
     },
     .corrected_by = "gen-sum-of-squares-with-premise",
     .note =
         "the proof notes ∑f = 1, but the theorem does not assume it and the objective does not "
         "enforce it (l.338); non-negativity is needed too",
     .misprint = "candidates-are-densities"},
    {.id = "gen-sum-of-squares-with-premise",
     .source = "thm:generalization, proof (l.713)",
     .kind = Kind::kBound,
     .premises = "every f is a density: f ≥ 0, ∑_y f = 1, f ≤ C",
     .statement = "∑_y f(x,y)² ≤ C",
     .shape = Shape::kDensity,
     .assumes = kDensities,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {density_power(c, 1), c.bound};
     },
     .twin = Twin::kPremise},
    {.id = "gen-second-moment",
     .source = "thm:generalization, proof, first equality (l.715–716)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "f, f* densities",
     .statement = "E_{f*}[l²] + E_f[l²] = 4∑(f+f*)(f−f*)² − 3(∑(f*²−f²))²",
     .shape = Shape::kDensity,
     .assumes = kDensities,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {loss_moment(c, 0, 2) + loss_moment(c, 1, 2), second_moment_formula(c, 3)};
     },
     .corrected_by = "gen-second-moment-corrected",
     .note = "the coefficient is 2: −4D² + 2D² with D = ∑(f²−f*²)"},
    {.id = "gen-second-moment-corrected",
     .source = "thm:generalization, proof (l.716)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "f, f* densities",
     .statement = "E_{f*}[l²] + E_f[l²] = 4∑(f+f*)(f−f*)² − 2(∑(f*²−f²))²",
     .shape = Shape::kDensity,
     .assumes = kDensities,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {loss_moment(c, 0, 2) + loss_moment(c, 1, 2), second_moment_formula(c, 2), c.bound};
     },
     .twin = Twin::kCorrection},
    {.id = "gen-second-moment-bound",
     .source = "thm:generalization, proof (l.717)",
     .kind = Kind::kBound,
     .premises = "f, f* densities ≤ C",
     .statement = "4∑(f+f*)(f−f*)² − 3(∑(f*²−f²))² ≤ ∑(f−f*)² (8C + 3∑(f+f*)²)",
     .shape = Shape::kDensity,
     .assumes = kDensities,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {second_moment_formula(c, 3),
               density_error(c, 1) * (T(8) * c.bound + T(3) * sum_squared(c))};
     },
     .note = "the negative term may simply be dropped: 8C∑(f−f*)² suffices"},
    {.id = "gen-twenty-c",
     .source = "thm:generalization, proof (l.718)",
     .kind = Kind::kBound,
     .premises = "f, f* densities ≤ C",
     .statement = "∑(f−f*)² (8C + 3∑(f+f*)²) ≤ 20C ∑(f−f*)²",
     .shape = Shape::kDensity,
     .assumes = kDensities,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {density_error(c, 1) * (T(8) * c.bound + T(3) * sum_squared(c)),
               T(20) * c.bound * density_error(c, 1)};
     }},
    {.id = "gen-loss-mean",
     .source = "thm:generalization, proof (l.719)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "f* a density, f any function",
     .statement = "E_{y~f*}[l(f,(x,y))] = ∑(f−f*)²",
     .shape = Shape::kSignedDensity,
     .assumes = kBounded,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {loss_moment(c, 0, 1), density_error(c, 1),
               density_power(c, 0) + density_power(c, 1)};
     }},
    {.id = "gen-variance",
     .source = "thm:generalization, proof (l.723)",
     .kind = Kind::kBound,
     .premises = "f, f* densities ≤ C",
     .statement = "E_{f*}[l²] ≤ 20C E_{f*}[l]",
     .shape = Shape::kDensity,
     .assumes = kDensities,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {loss_moment(c, 0, 2), T(20) * c.bound * loss_moment(c, 0, 1)};
     }},
    {.id = "gen-variance-constant",
     .source = "thm:generalization, proof (l.723)",
     .kind = Kind::kRate,
     .relation = Relation::kConstant,
     .premises = "f, f* densities ≤ C",
     .statement = "E_{f*}[l²] ≤ c · C E_{f*}[l]: smallest c (the proof uses 20)",
     .shape = Shape::kDensity,
     .assumes = kDensities,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       constexpr double kSame = 1e-9;  // f = f*: 0 ≤ 0 says nothing about the constant
       if (to_double(density_error(c, 1)) < kSame) return undefined<T>();
       return {loss_moment(c, 0, 2), c.bound * loss_moment(c, 0, 1)};
     },
     .note = "the printed constant is an upper bound; this is what the instances need"},
    {.id = "gen-loss-bound",
     .source = "thm:generalization, proof (l.725)",
     .kind = Kind::kBound,
     .premises = "f, f* densities ≤ C",
     .statement = "|l(f,(x,y))| ≤ 3C",
     .shape = Shape::kDensity,
     .assumes = kDensities,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       Worst<T> worst;
       for (int y = 0; y < c.S; ++y) worst.add(abs(squared_loss(c, 1, 0, y)), T(3) * c.bound);
       return worst.sides();
     }},
    {.id = "gen-moment-generating",
     .source = "thm:generalization, proof (l.728–729)",
     .kind = Kind::kBound,
     .premises = "f, f* densities ≤ C, ρ > 0, n samples with the same x",
     .statement =
         "∑ᵢ log E[exp(−ρl)] ≤ −ρ ∑ᵢ E[l] + (e^{3ρC}−3ρC−1)/(9C²) · E[l²] (second term without ∑ᵢ)",
     .shape = Shape::kDensity,
     .assumes = kDensities,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {T(c.n) * log_moment(c), moment_coefficient(c) * loss_moment(c, 0, 2) -
                                           T(c.n) * c.step * loss_moment(c, 0, 1)};
     },
     .corrected_by = "gen-moment-generating-corrected",
     .note = "the sum over i must cover both terms"},
    {.id = "gen-moment-generating-corrected",
     .source = "thm:generalization, proof (l.728–729)",
     .kind = Kind::kBound,
     .premises = "f, f* densities ≤ C, ρ > 0",
     .statement = "∑ᵢ log E[exp(−ρl)] ≤ ∑ᵢ (−ρE[l] + (e^{3ρC}−3ρC−1)/(9C²) E[l²])",
     .shape = Shape::kDensity,
     .assumes = kDensities,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {T(c.n) * log_moment(c), T(c.n) * (moment_coefficient(c) * loss_moment(c, 0, 2) -
                                                 c.step * loss_moment(c, 0, 1))};
     },
     .twin = Twin::kCorrection},
    {.id = "gen-moment-final",
     .source = "thm:generalization, proof (l.730)",
     .kind = Kind::kBound,
     .premises = "f, f* densities ≤ C, ρ > 0",
     .statement = "∑ᵢ log E[exp(−ρl)] ≤ −(ρ − 20(e^{3ρC}−3ρC−1)/(9C)) ∑ᵢ ‖f−f*‖₂²",
     .shape = Shape::kDensity,
     .assumes = kDensities,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const T slope = T(20) * c.bound * moment_coefficient(c) - c.step;
       return {T(c.n) * log_moment(c), T(c.n) * slope * density_error(c, 1)};
     }},
    {.id = "gen-step-exists",
     .source = "thm:generalization, proof (l.732)",
     .kind = Kind::kBound,
     .premises = "3ρC = log(23/20), the best choice",
     .statement = "20(e^{3ρC} − 3ρC − 1) ≤ 9ρC: a ρ that depends on C alone exists",
     .shape = Shape::kDensity,
     .assumes = kDensities,
     .check = []<class T>(const Case<T>&) -> Sides<T> {
       const T x = log(T(23) / T(20));
       return {T(20) * (exp(x) - x - T(1)), T(3) * x};
     },
     .note = "gives C' = 9C/(23 log(23/20) − 3) ≈ 41.95 C"},
    {.id = "l2-below-l1",
     .source = "Compared with the MLE guarantee (l.738)",
     .kind = Kind::kBound,
     .premises = "discrete domain with base measure ν",
     .statement = "‖f − f*‖₂ ≤ ‖f − f*‖₁",
     .shape = Shape::kDensity,
     .assumes = kDensities,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {sqrt(density_error(c, 1)), over_targets<T>(c, [&](int y) -> T {
                 return abs(c.family(1, y) - c.family(0, y));
               })};
     },
     .corrected_by = "l2-below-l1-with-premise",
     .note = "true for the counting measure; a weight ν(y) < 1 breaks it"},
    {.id = "l2-below-l1-with-premise",
     .source = "Compared with the MLE guarantee (l.738)",
     .kind = Kind::kBound,
     .premises =
         "discrete domain with the counting measure (here: ν divided by its smallest weight)",
     .statement = "‖f − f*‖₂ ≤ ‖f − f*‖₁ when ν(y) ≥ 1 for every y",
     .shape = Shape::kDensity,
     .assumes = kDensities,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       T least = c.nu(0);
       for (int y = 1; y < c.S; ++y) least = min(least, c.nu(y));
       const T l1 =
           over_targets<T>(c, [&](int y) -> T { return abs(c.family(1, y) - c.family(0, y)); });
       return {sqrt(density_error(c, 1) / least), l1 / least};
     },
     .twin = Twin::kPremise},
};

}  // namespace

std::span<const Entry> generalization_claims() { return kGeneralizationClaims; }

}  // namespace speder::audit

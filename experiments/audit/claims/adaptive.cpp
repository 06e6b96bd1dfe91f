#include "speder/experiments/audit/entry.hpp"
#include "speder/experiments/audit/objects/adversary.hpp"
#include "speder/oracle/bounds/generalization.hpp"

// thm:generalization and lem:bonus_concentration with data that depend on the past.

namespace speder::audit {
namespace {

const Entry kAdaptiveClaims[] = {
    {.id = "gen-theorem-adaptive",
     .source =
         "'the i.i.d. data assumption can be relaxed' (l.399), thm:generalization (l.682–688)",
     .kind = Kind::kHighProbability,
     .premises = "every f ∈ F is a density bounded by C, C' = 4C/(2 − √e); before each sample an "
                 "adversary that sees the past chooses the law D_i of x; exact probability",
     .statement = "P(∑ᵢ E_{x~D_i}‖f̂(x,·) − f*(x,·)‖₂² > C' log(|F|/δ)) ≤ δ for every adversary",
     .shape = Shape::kAdversary,
     .assumes = kDensities | kProcessValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return adaptive_failure(c, bounds::generalization_sharp_constant(c.bound));
     },
     .twin = Twin::kDerived,
     .note = "the sharp constant; the printed 41.95 C is weaker"},
    {.id = "bonus-concentration",
     .source = "lem:bonus_concentration (l.846–855)",
     .kind = Kind::kHighProbability,
     .relation = Relation::kConstant,
     .premises = "λ_n = d log(n|Φ|/δ), every n ≤ N ≤ 12 and every φ ∈ Φ at once, |Φ| ≤ 3, d ≤ 2, "
                 "up to three pairs; an adversary chooses the law of each visit; exact quantiles",
     .statement =
         "with probability 1−δ both ratios of ‖φ‖_{Σ̂⁻¹} and ‖φ‖_{Σ⁻¹} are at most c: smallest c",
     .shape = Shape::kWalk,
     .assumes = kWalkValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {concentration_constant(c), T(1)};
     },
     .note = "hidden constants c₁, c₂ and λ; the covariance must use the law of the data "
             "(rho-n-is-the-data)"},
    {.id = "bonus-concentration-explicit",
     .source = "lem:bonus_concentration (l.846–855) with explicit constants (docs/theory.md)",
     .kind = Kind::kHighProbability,
     .premises =
         "‖φ‖ ≤ 1, λ_n ≥ log(4dn²|Φ|/δ), every n and φ at once; an adversary chooses the law "
         "of each visit; exact probability",
     .statement = "P(some n ≤ N, some φ: Σ ⋠ 2.19 Σ̂ or Σ̂ ⋠ 1.88 Σ) ≤ δ",
     .shape = Shape::kWalk,
     .assumes = kWalkValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return explicit_concentration(c, fraction<T>(219, 100), fraction<T>(188, 100));
     },
     .twin = Twin::kDerived,
     .note = "so c₁ ≥ 0.729 and c₂ ≤ 1.48 for every vector, and λ_n needs no factor d"},
};

}  // namespace

std::span<const Entry> adaptive_claims() { return kAdaptiveClaims; }

}  // namespace speder::audit

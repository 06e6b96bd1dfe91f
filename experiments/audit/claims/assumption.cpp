#include "speder/core/tolerance.hpp"
#include "speder/experiments/audit/entry.hpp"
#include "speder/experiments/audit/objects/model.hpp"
#include "speder/oracle/bounds/pac.hpp"

// Section "Theoretical Analysis": the two normalisation assumptions and their examples, sampling
// from d^π by random stopping.

namespace speder::audit {
namespace {

// ∑_s (∑_a x(s,a))² under the counting measure.
template <class T>
T counting_norm(const Case<T>& c, const Table<T>& x) {
  return l2_squared(action_sum(c, x), Column<T>(c.S, 1, T(1)));
}
// The same under ν scaled to a total volume.
template <class T>
T volume_norm(const Case<T>& c, const Table<T>& x, const T& volume) {
  return l2_squared(action_sum(c, x), scaled(c.nu, volume / sum(c.nu)));
}

constexpr unsigned kBasic = kMdpValid | kLowRank;

// The sup of the density, over what carries mass.
template <class T>
T largest_density(const Case<T>& c) {
  const Table<T> P = kernel(c, c.phi, c.mu);
  T largest = T(0);
  for (int i = 0; i < P.rows(); ++i) {
    for (int s = 0; s < c.S; ++s) largest = max(largest, P(i, s) / c.nu(s));
  }
  return largest;
}

const Entry kAssumptionClaims[] = {
    {.id = "feature-length-lower",
     .source = "eq:normalization_condition (l.177) with ∫P(s'|s,a)ds' = 1",
     .kind = Kind::kBound,
     .premises = "‖∫μg‖ ≤ √d for |g| ≤ 1",
     .statement = "1/d ≤ ‖φ(s,a)‖₂² for every (s,a)",
     .shape = Shape::kFreeMeasure,
     .assumes = kBasic,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       Worst<T> worst;
       for (int i = 0; i < c.phi.rows(); ++i) {
         T length = T(0);
         for (int k = 0; k < c.d; ++k) length = length + square(c.phi(i, k));
         worst.add(fraction<T>(1, c.d), length);
       }
       return worst.sides();
     },
     .twin = Twin::kDerived,
     .note = "1 = ⟨φ, ∫μ⟩ ≤ ‖φ‖√d: features cannot be made short to meet assump:repr_norm"},
    {.id = "state-space-volume",
     .source = "assump:repr_norm (l.407) with eq:normalization_condition (l.177)",
     .kind = Kind::kBound,
     .premises = "low-rank MDP, ∫(∫‖φ‖)² ≤ d",
     .statement = "ν(S) ≤ d²/|A|²",
     .assumes = kBasic | kReprNorm,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {sum(c.nu), fraction<T>(c.d * c.d, c.A * c.A)};
     },
     .twin = Twin::kDerived,
     .note = "feature-length-lower in the assumption: ν(S)|A|²/d ≤ d"},
    {.id = "density-bound-lower",
     .source = "the constant C of thm:generalization (l.392), 'which we will omit' (l.397)",
     .kind = Kind::kBound,
     .premises = "low-rank MDP, ∫(∫‖φ‖)² ≤ d, P ≤ C",
     .statement = "|A|²/d² ≤ C",
     .assumes = kBasic | kReprNorm,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {fraction<T>(c.A * c.A, c.d * c.d), largest_density(c)};
     },
     .twin = Twin::kDerived,
     .note =
         "1 = ∫P ≤ C ν(S) and state-space-volume: once |A| > d the constant that the theorems omit "
         "grows with |A|, and the bound that is proven carries |A|⁴, not |A|²"},
    {.id = "canonical-basis-representation",
     .source = "assump:repr_norm, tabular example (l.417)",
     .kind = Kind::kExample,
     .premises =
         "tabular MDP, φ(s,a) the canonical basis of R^{|S||A|}, d = |S||A|, counting measure",
     .statement = "∑_s(∑_a‖φ(s,a)‖₂)² ≤ d",
     .shape = Shape::kFreeMeasure,
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {counting_norm(c, Column<T>(c.S * c.A, 1, T(1))), T(c.S * c.A)};
     },
     .corrected_by = "canonical-basis-representation-corrected",
     .note = "the left side is |S||A|²: the example satisfies the assumption only when |A| = 1",
     .misprint = "tabular-example"},
    {.id = "canonical-basis-representation-corrected",
     .source = "assump:repr_norm, tabular example (l.417)",
     .kind = Kind::kExample,
     .premises = "the same",
     .statement = "∑_s(∑_a‖φ(s,a)‖₂)² ≤ d|A|",
     .shape = Shape::kFreeMeasure,
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {counting_norm(c, Column<T>(c.S * c.A, 1, T(1))), T(c.S * c.A * c.A)};
     },
     .twin = Twin::kCorrection},
    {.id = "canonical-basis-reward",
     .source = "assump:reward_norm, tabular example (l.418)",
     .kind = Kind::kExample,
     .premises = "tabular MDP, r ∈ [0,1], d = |S||A|, counting measure",
     .statement = "∑_s(∑_a r(s,a))² ≤ d",
     .shape = Shape::kFreeMeasure,
     .assumes = kBasic,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {counting_norm(c, reward(c)), T(c.S * c.A)};
     },
     .corrected_by = "canonical-basis-reward-corrected",
     .note = "r = 1 gives |S||A|² on the left",
     .misprint = "tabular-example"},
    {.id = "canonical-basis-reward-corrected",
     .source = "assump:reward_norm, tabular example (l.418)",
     .kind = Kind::kExample,
     .premises = "the same",
     .statement = "∑_s(∑_a r(s,a))² ≤ d|A|",
     .shape = Shape::kFreeMeasure,
     .assumes = kBasic,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {counting_norm(c, reward(c)), T(c.S * c.A * c.A)};
     },
     .twin = Twin::kCorrection},
    {.id = "volume-example-representation",
     .source = "assump:repr_norm, continuous example (l.418)",
     .kind = Kind::kExample,
     .premises = "‖φ‖ ≤ 1, volume μ(S) = d/|A|",
     .statement = "∫(∫‖φ(s,a)‖₂ da)² ds ≤ d",
     .shape = Shape::kFreeMeasure,
     .assumes = kBasic,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {volume_norm(c, lengths(c.phi), fraction<T>(c.d, c.A)), T(c.d)};
     },
     .corrected_by = "volume-example-representation-corrected",
     .note = "the inner integral over A enters squared",
     .misprint = "volume-example"},
    {.id = "volume-example-representation-corrected",
     .source = "assump:repr_norm, continuous example (l.418)",
     .kind = Kind::kExample,
     .premises = "‖φ‖ ≤ 1, volume μ(S) = d/|A|²",
     .statement = "∫(∫‖φ(s,a)‖₂ da)² ds ≤ d",
     .shape = Shape::kFreeMeasure,
     .assumes = kBasic,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {volume_norm(c, lengths(c.phi), fraction<T>(c.d, c.A * c.A)), T(c.d)};
     },
     .twin = Twin::kCorrection},
    {.id = "volume-example-reward",
     .source = "assump:reward_norm, continuous example (l.418)",
     .kind = Kind::kExample,
     .premises = "r ∈ [0,1], volume μ(S) = d/|A|",
     .statement = "∫(∫r(s,a) da)² ds ≤ d",
     .shape = Shape::kFreeMeasure,
     .assumes = kBasic,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {volume_norm(c, reward(c), fraction<T>(c.d, c.A)), T(c.d)};
     },
     .corrected_by = "volume-example-reward-corrected",
     .misprint = "volume-example"},
    {.id = "volume-example-reward-corrected",
     .source = "assump:reward_norm, continuous example (l.418)",
     .kind = Kind::kExample,
     .premises = "r ∈ [0,1], volume μ(S) = d/|A|²",
     .statement = "∫(∫r(s,a) da)² ds ≤ d",
     .shape = Shape::kFreeMeasure,
     .assumes = kBasic,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {volume_norm(c, reward(c), fraction<T>(c.d, c.A * c.A)), T(c.d)};
     },
     .twin = Twin::kCorrection},
    {.id = "canonical-basis-low-rank",
     .source = "eq:normalization_condition for the tabular example (l.177, l.417)",
     .kind = Kind::kExample,
     .premises = "tabular MDP, canonical basis, μ(s')_{(s,a)} = P(s'|s,a); |g| ≤ 1",
     .statement = "‖∫μ(s')g(s')ds'‖₂² ≤ d = |S||A|",
     .shape = Shape::kFreeMeasure,
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       Column<T> sign(c.S, 1);
       for (int s = 0; s < c.S; ++s) sign(s) = c.g(s, 0);
       const Column<T> v = kernel(c, c.phi, c.mu) * sign;
       return {dot(v, v), T(c.S * c.A)};
     }},
    {.id = "random-stopping",
     .source = "PAC theorem of the main text (l.427)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "stop before each step with probability 1−γ",
     .statement = "the law of the state at the stopping time is d^π_P",
     .shape = Shape::kMdp,
     .assumes = kBasic,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> P = kernel(c, c.phi, c.mu);
       Table<T> K = transposed(state_kernel(P, c.pi));
       Column<T> law = scaled(c.rho, T(1) - c.gamma);  // stopped within 2^k steps
       T alive = c.gamma;                              // still running after 2^k steps
       constexpr int kDoublings = 16;
       for (int k = 0; k < kDoublings && to_double(alive) > tol::kUnit; ++k) {
         law = law + scaled(K * law, alive);
         K = K * K;
         alive = alive * alive;
       }
       const Column<T> d = occupancy(P, c.pi, c.rho, c.gamma);
       Worst<T> worst;
       for (int s = 0; s < c.S; ++s) {
         worst.equal(law(s) + max(T(0), min(alive, d(s) - law(s))), d(s));
       }
       return worst.sides();
     }},
    {.id = "episode-length",
     .source = "thm:pac_online, termination (l.427, l.1063)",
     .kind = Kind::kHighProbability,
     .premises = "length T geometric: P(T ≥ k) = γᵏ; k = ⌈L/(1−γ)⌉ with L ∈ {1, 2, 3}",
     .statement = "P(T ≥ k) ≤ e^{−L}: log(1/δ)/(1−γ) steps suffice with probability 1−δ",
     .shape = Shape::kMdp,
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const double steps = std::ceil(c.H / (1 - to_double(c.gamma)));
       return {whole<T>(static_cast<std::int64_t>(steps)) * log(c.gamma), T(-c.H)};
     },
     .note = "compared as logarithms; L = H"},
};

const Entry kOpenClaims[] = {
    {.id = "pac-online",
     .source = "thm:pac_online (l.421, l.1062)",
     .kind = Kind::kRate,
     .relation = Relation::kConstant,
     .premises = "all assumptions; hidden constant and logarithms",
     .statement =
         "N = Θ̃(d⁴|A|²/((1−γ)⁶ε²)) episodes give an ε-optimal policy with high probability",
     .note =
         "hidden constant and logarithms, and an algorithm instead of a formula: measured by the "
         "sweeps pac-d, pac-A, pac-gamma, pac-eps and pac-F"},
    {.id = "model-error-for-all-n",
     .source = "sec:online, the two assumed inequalities (l.749–752)",
     .kind = Kind::kHighProbability,
     .relation = Relation::kConstant,
     .premises = "ζ_n is never defined",
     .statement = "with probability 1−δ both model errors are at most ζ_n for every n at once",
     .note = "ζ_n is not defined; thm:generalization is for one n, so 'for every n' costs a union "
             "bound "
             "(ζ_n = C' log(2n²|F|/δ)/n), and the log n this brings is what optimism-alpha-order "
             "misses"},
    {.id = "coverage-supremum-domain",
     .source = "main text (l.438) against thm:pac_offline (l.1176)",
     .kind = Kind::kDefinition,
     .premises = "d ≥ 2",
     .statement = "C*_π is a supremum over x ∈ R (main text) and over x ∈ R^d (appendix)",
     .note = "xᵀE[φφᵀ]x needs x ∈ R^d; the main text's x ∈ R has no meaning for d ≥ 2, so there is "
             "nothing to evaluate"},
};

}  // namespace

std::span<const Entry> assumption_claims() { return kAssumptionClaims; }
std::span<const Entry> open_claims() { return kOpenClaims; }

}  // namespace speder::audit

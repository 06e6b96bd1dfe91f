#include "speder/oracle/bounds/bonus.hpp"
#include "speder/experiments/audit/entry.hpp"
#include "speder/experiments/audit/objects/online.hpp"
#include "speder/oracle/bounds/value_norm.hpp"

// lem:norm_bonus and the L₂ norm of the planned value.

namespace speder::audit {
namespace {

// b_n(s,a) = α‖φ̂(s,a)‖ in the inverse of Σ̂_n = ∑_{D_n} φ̂φ̂ᵀ + λI
template <class T>
Column<T> bonus(const Case<T>& c) {
  const Table<T> Sigma = covariance(c.phi_hat, c.counts, T(1), c.lambda);
  return scaled(roots(squared_norms(c.phi_hat, Sigma)), c.alpha);
}
template <class T>
struct Planned {
  Table<T> P_hat;
  Column<T> r, b, V, Q;
};
template <class T>
Planned<T> planned(const Case<T>& c) {
  Planned<T> p;
  p.P_hat = kernel(c, c.phi_hat, c.mu_hat);
  p.r = reward(c);
  p.b = bonus(c);
  p.V = value(p.P_hat, p.r + p.b, c.pi, c.gamma);
  p.Q = action_value(p.P_hat, p.r + p.b, p.V, c.gamma);
  return p;
}
// 3∫∫r² + 3∫(∫α‖φ̂‖)² + 3γ²∫(∫Q²)², as printed: b in Σ⁻¹_{ρ_n,φ̂}
template <class T>
T printed_three_terms(const Case<T>& c, const Planned<T>& p) {
  const Online<T> o = online(c);
  const Table<T> Sigma = covariance(c.phi_hat, o.rho_pairs, o.n, c.lambda);
  const Column<T> b = scaled(roots(squared_norms(c.phi_hat, Sigma)), c.alpha);
  return T(3) * dot(action_sum(c, squares(p.r)), c.nu) + T(3) * l2_squared(action_sum(c, b), c.nu) +
         T(3) * square(c.gamma) * l2_squared(action_sum(c, squares(p.Q)), c.nu);
}
template <class T>
T corrected_three_terms(const Case<T>& c, const Planned<T>& p) {
  return T(3) * l2_squared(action_sum(c, p.r), c.nu) + T(3) * l2_squared(action_sum(c, p.b), c.nu) +
         T(3) * square(c.gamma) * l2_squared(action_sum(c, p.P_hat * p.V), c.nu);
}

const Entry kBonusClaims[] = {
    {.id = "bonus-sup",
     .source = "lem:norm_bonus (l.955, l.961)",
     .kind = Kind::kBound,
     .premises = "‖φ̂‖ ≤ 1",
     .statement = "‖b_n‖∞ ≤ α_n/√λ_n",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {max_abs(bonus(c)), bounds::bonus_sup(c.alpha, c.lambda)};
     }},
    {.id = "bonus-l2",
     .source = "lem:norm_bonus (l.955, l.965–969)",
     .kind = Kind::kBound,
     .premises = "representation normalisation of φ̂",
     .statement = "‖∫_A b_n‖₂ ≤ α_n√d/√λ_n",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {sqrt(l2_squared(action_sum(c, bonus(c)), c.nu)),
               bounds::bonus_l2(c.alpha, c.lambda, T(c.d))};
     }},
    {.id = "planned-value-norm",
     .source = "lemma 'L₂ norm of V_{P̂_n,r+b_n}' (l.975)",
     .kind = Kind::kBound,
     .premises = "P̂ a kernel of the class, all normalisations",
     .statement = "‖V^π_{P̂,r+b}‖₂ ≤ √(3d + 3α²d/λ + 3d²γ²(1 + α/√λ)²/(1−γ)²)",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {sqrt(l2_squared(planned(c).V, c.nu)),
               bounds::planned_value_norm(T(c.d), c.gamma, c.alpha, c.lambda)};
     },
     .note = "the lemma holds, three lines of its printed proof do not"},
    {.id = "planned-value-bellman",
     .source = "same lemma, proof (l.984)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "any policy",
     .statement = "∫V_{P̂,r+b}² = ∫(∫π(r + b + γQ_{P̂,r+b}))²",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Planned<T> p = planned(c);
       return {l2_squared(p.V, c.nu),
               l2_squared(average(c.pi, p.r + p.b + scaled(p.Q, c.gamma)), c.nu)};
     },
     .corrected_by = "planned-value-bellman-corrected",
     .misprint = "bellman-q"},
    {.id = "planned-value-bellman-corrected",
     .source = "same lemma, proof (l.984)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "any policy",
     .statement = "∫V_{P̂,r+b}² = ∫(∫π(r + b + γE_P̂[V_{P̂,r+b}(s')]))²",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Planned<T> p = planned(c);
       return {l2_squared(p.V, c.nu),
               l2_squared(average(c.pi, p.r + p.b + scaled(p.P_hat * p.V, c.gamma)), c.nu)};
     },
     .twin = Twin::kCorrection},
    {.id = "planned-value-squares",
     .source = "same lemma, proof (l.985–987)",
     .kind = Kind::kBound,
     .premises = "as printed: squares inside the integral over A, bonus in Σ⁻¹_{ρ_n,φ̂}",
     .statement = "∫(∫ r + b + γQ)² ≤ 3∫∫r² + 3∫(∫α‖φ̂‖_{Σ⁻¹_{ρ_n}})² + 3γ²∫(∫Q²)²",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Planned<T> p = planned(c);
       return {l2_squared(action_sum(c, p.r + p.b + scaled(p.Q, c.gamma)), c.nu),
               printed_three_terms(c, p)};
     },
     .corrected_by = "planned-value-squares-corrected",
     .misprint = "planned-value-squares"},
    {.id = "planned-value-squares-corrected",
     .source = "same lemma, proof (l.985–987)",
     .kind = Kind::kBound,
     .premises = "b = b_n, squares outside, E_P̂[V(s')] for Q",
     .statement = "∫V² ≤ 3∫(∫r)² + 3∫(∫b)² + 3γ²∫(∫E_P̂[V(s')])²",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Planned<T> p = planned(c);
       return {l2_squared(p.V, c.nu), corrected_three_terms(c, p)};
     },
     .twin = Twin::kCorrection},
    {.id = "planned-value-final",
     .source = "same lemma, proof (l.986–988)",
     .kind = Kind::kBound,
     .premises = "as printed",
     .statement =
         "3∫∫r² + 3∫(∫α‖φ̂‖_{Σ⁻¹_{ρ_n}})² + 3γ²∫(∫Q²)² ≤ 3d + 3α²d/λ + 3d²γ²(1+α/√λ)²/(1−γ)²",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {printed_three_terms(c, planned(c)),
               square(bounds::planned_value_norm(T(c.d), c.gamma, c.alpha, c.lambda))};
     },
     .corrected_by = "planned-value-final-corrected",
     .misprint = "planned-value-squares"},
    {.id = "planned-value-final-corrected",
     .source = "same lemma, proof (l.986–988)",
     .kind = Kind::kBound,
     .premises = "the corrected three terms",
     .statement = "3∫(∫r)² + 3∫(∫b)² + 3γ²∫(∫E_P̂[V(s')])² ≤ 3d + 3α²d/λ + 3d²γ²(1+α/√λ)²/(1−γ)²",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {corrected_three_terms(c, planned(c)),
               square(bounds::planned_value_norm(T(c.d), c.gamma, c.alpha, c.lambda))};
     },
     .twin = Twin::kCorrection},
    {.id = "planned-value-order",
     .source = "same lemma, ≲ (l.976)",
     .kind = Kind::kRate,
     .relation = Relation::kOrder,
     .premises = "α/√λ = √(d|A|)/(1−γ); hidden constant of at most 100",
     .statement = "√(3d + 3α²d/λ + 3d²γ²(1+α/√λ)²/(1−γ)²) ≲ d^{1.5}√|A|/(1−γ)²",
     .shape = Shape::kRates,
     .assumes = kRatesValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const T horizon = T(1) / (T(1) - c.gamma);
       const T ratio = sqrt(T(c.d * c.A)) * horizon;
       return {bounds::planned_value_norm(T(c.d), c.gamma, ratio, T(1)),
               T(c.d) * sqrt(T(c.d * c.A)) * square(horizon)};
     }},
};

}  // namespace

std::span<const Entry> bonus_claims() { return kBonusClaims; }

}  // namespace speder::audit

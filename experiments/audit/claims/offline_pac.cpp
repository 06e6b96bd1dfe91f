#include "speder/experiments/audit/entry.hpp"
#include "speder/experiments/audit/objects/offline.hpp"
#include "speder/oracle/bounds/bonus.hpp"
#include "speder/oracle/bounds/value_norm.hpp"

// lem:pessimism and the steps of thm:pac_offline. ρ_b = d^{π_b} and ω = max 1/π_b unless the statement says
// otherwise.

namespace speder::audit {
namespace {

template <class T>
Column<T> penalty(const Case<T>& c, const Offline<T>& o) {
  return scaled(roots(squared_norms(c.phi_hat, covariance(c.phi_hat, o.pairs, o.n, c.lambda))),
                c.alpha);
}
// γ√(2(ω/γ)‖V‖₂²nζ + 2B₂²nζ + λB∞²d)·γ, the α the corrected proof of pessimism needs
template <class T>
T pessimism_alpha(const T& omega, const T& d, const T& gamma, const T& n_zeta, const T& lambda) {
  const T horizon = T(1) / (T(1) - gamma);
  const T value2 = square(bounds::value_norm(d, gamma));
  return square(gamma) *
         sqrt(T(2) * omega / gamma * value2 * n_zeta + T(8) * square(d * horizon) * n_zeta +
              T(4) * lambda * d * square(horizon));
}
// V^π_{P,r} − V^π_{P̂,r−b} and E_{d^π}[b + γ(P − P̂)V^π_{P̂,r−b}]
template <class T>
Sides<T> decomposition(const Case<T>& c) {
  const Offline<T> o = offline(c, true);
  const Column<T> b = penalty(c, o);
  const Column<T> V_hat = value(o.P_hat, o.r - b, c.pi, c.gamma);
  const Column<T> V = value(o.P, o.r, c.pi, c.gamma);
  return {dot(c.rho, V - V_hat),
          occupancy_mean(c, o.P, b + scaled((o.P - o.P_hat) * V_hat, c.gamma)),
          max_abs(V_hat) + max_abs(V)};
}
// V^π_{P,r} − V^π_{P̂,r−b} and (1/(1−γ)) E_{d^π}[b + γ|(P̂ − P)V^π_{P̂,r+sign·b}|]
template <class T>
Sides<T> decomposition_bound(const Case<T>& c, const T& sign) {
  const Offline<T> o = offline(c, true);
  const Column<T> b = penalty(c, o);
  const Column<T> V_hat = value(o.P_hat, o.r - b, c.pi, c.gamma);
  const Column<T> V = value(o.P, o.r, c.pi, c.gamma);
  const Column<T> g =
      magnitudes((o.P_hat - o.P) * value(o.P_hat, o.r + scaled(b, sign), c.pi, c.gamma));
  return {dot(c.rho, V - V_hat), occupancy_mean(c, o.P, b + scaled(g, c.gamma)) / (T(1) - c.gamma)};
}
// √((1−γ)α²dω/n) + √(γα²dω + γ²α²d) · norm
template <class T>
T penalty_bound(const Case<T>& c, const Offline<T>& o, const T& norm) {
  const T a2d = square(c.alpha) * T(c.d);
  return sqrt((T(1) - c.gamma) * a2d * o.omega / o.n) +
         sqrt(c.gamma * a2d * o.omega + square(c.gamma) * a2d) * norm;
}
const Entry kOfflinePacClaims[] = {
    {.id = "offline-gap-l2",
     .source = "lem:pessimism, proof (l.1147)",
     .kind = Kind::kBound,
     .premises = "all normalisations",
     .statement = "‖∫_A g‖₂ ≤ √2 d/(1−γ), g = |E_P̂ V − E_P V|",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Offline<T> o = offline(c, true);
       const Column<T> V = value(o.P, o.r, c.pi, c.gamma);
       return {sqrt(l2_squared(action_sum(c, model_gap(o.P, o.P_hat, V)), c.nu)),
               sqrt(T(2)) * T(c.d) / (T(1) - c.gamma)};
     },
     .note = "true, but the derivation it cites gives 2d (l.893); ‖φ‖ ≥ 1/√d shows that even d "
             "suffices"},
    {.id = "offline-gap-mean-square",
     .source = "lem:pessimism, proof (l.1154)",
     .kind = Kind::kBound,
     .premises = "E_{ρ_b}‖P̂ − P‖₂² ≤ ζ_n",
     .statement = "E_{ρ_b}g² ≤ 2d(1 + dγ²/(1−γ)²)ζ_n",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Offline<T> o = offline(c, true);
       const Column<T> V = value(o.P, o.r, c.pi, c.gamma);
       return {dot(o.pairs, squares(model_gap(o.P, o.P_hat, V))),
               square(bounds::value_norm(T(c.d), c.gamma)) * o.zeta};
     }},
    {.id = "pessimism-invocation",
     .source = "lem:pessimism, proof (l.1149–1150)",
     .kind = Kind::kBound,
     .premises = "ρ_b = d^{π_b}, ω = max 1/π_b, g = |E_P̂ V − E_P V|",
     .statement = "E_{d̂^π}g ≤ √((1−γ)ωE_{ρ_b}g²) + γ√(nωE_{ρ_b}g² + 2d²nζ/(1−γ)² + 4λd/(1−γ)²) · "
                  "E_{d̂^π}‖φ̂‖_{Σ⁻¹}",
     .shape = Shape::kCorridor,
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Offline<T> o = offline(c, true);
       const Column<T> g = model_gap(o.P, o.P_hat, value(o.P, o.r, c.pi, c.gamma));
       bounds::BackupInputs<T> in = offline_inputs(c, o, g, true);
       in.sup = T(2) / (T(1) - c.gamma);
       in.l2 = sqrt(T(2)) * T(c.d) / (T(1) - c.gamma);
       return {occupancy_mean(c, o.P_hat, g), bounds::backup_learned_printed(in)};
     },
     .corrected_by = "pessimism-invocation-corrected",
     .note = "the factors lost in lem:backup_learned_offline show even for this g",
     .misprint = "offline-backup-factors"},
    {.id = "pessimism-invocation-corrected",
     .source = "lem:pessimism, proof (l.1149–1150)",
     .kind = Kind::kBound,
     .premises = "the same",
     .statement = "E_{d̂^π}g ≤ √((1−γ)ωE_{ρ_b}g²) + γ√(2n(ω/γ)E_{ρ_b}g² + 4d²nζ/(1−γ)² + "
                  "4λd/(1−γ)²) · E_{d̂^π}‖φ̂‖_{Σ⁻¹}",
     .shape = Shape::kCorridor,
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Offline<T> o = offline(c, true);
       const Column<T> g = model_gap(o.P, o.P_hat, value(o.P, o.r, c.pi, c.gamma));
       bounds::BackupInputs<T> in = offline_inputs(c, o, g, true);
       in.sup = T(2) / (T(1) - c.gamma);
       in.l2 = sqrt(T(2)) * T(c.d) / (T(1) - c.gamma);
       return {occupancy_mean(c, o.P_hat, g), bounds::backup_learned_offline(in)};
     },
     .twin = Twin::kCorrection},
    {.id = "pessimism-alpha",
     .source = "lem:pessimism (l.1132) against what its proof needs",
     .kind = Kind::kRate,
     .relation = Relation::kOrder,
     .premises = "nζ_n = log(|F|/δ), λ = d log(|F|/δ), ω any number ≥ 1; hidden constant of at "
                 "most 100",
     .statement = "the α the proof needs ≲ d√(ωζ_n)/(1−γ)",
     .shape = Shape::kRates,
     .assumes = kRatesValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const T n_zeta = log(T(c.F) / c.delta);
       return {pessimism_alpha(c.bound, T(c.d), c.gamma, n_zeta, T(c.d) * n_zeta),
               T(c.d) * sqrt(c.bound * n_zeta / whole<T>(c.m)) / (T(1) - c.gamma)};
     },
     .corrected_by = "pessimism-alpha-corrected",
     .note = "a factor √n is missing: the online α has √(|A|nζ_n)"},
    {.id = "pessimism-alpha-corrected",
     .source = "lem:pessimism (l.1132)",
     .kind = Kind::kRate,
     .relation = Relation::kOrder,
     .premises = "the same",
     .statement = "the α the proof needs ≲ d√(ωnζ_n)/(1−γ)",
     .shape = Shape::kRates,
     .assumes = kRatesValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const T n_zeta = log(T(c.F) / c.delta);
       return {pessimism_alpha(c.bound, T(c.d), c.gamma, n_zeta, T(c.d) * n_zeta),
               T(c.d) * sqrt(c.bound * n_zeta) / (T(1) - c.gamma)};
     },
     .twin = Twin::kCorrection},
    {.id = "pessimism-explicit",
     .source = "lem:pessimism (l.1137) with explicit constants",
     .kind = Kind::kBound,
     .premises = "ω = max 1/π_b, ρ_b = d^{π_b}, b = α‖φ̂‖ in Σ⁻¹_{ρ_b,φ̂}, α = "
                 "γ²√(2(ω/γ)2d(1+dγ²/(1−γ)²)nζ + 8d²nζ/(1−γ)² + 4λd/(1−γ)²)",
     .statement = "V^π_{P̂,r−b} − V^π_{P,r} ≤ √(2ωd(1 + γ²d/(1−γ)²)ζ/(1−γ))",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Offline<T> o = offline(c, true);
       const T alpha = pessimism_alpha(o.omega, T(c.d), c.gamma, o.n * o.zeta, c.lambda);
       Column<T> b = roots(squared_norms(c.phi_hat, covariance(c.phi_hat, o.pairs, o.n, c.lambda)));
       b = scaled(b, alpha);
       return {dot(c.rho, value(o.P_hat, o.r - b, c.pi, c.gamma) - value(o.P, o.r, c.pi, c.gamma)),
               bounds::optimism_slack(o.omega, T(c.d), c.gamma, o.zeta)};
     },
     .twin = Twin::kCorrection},
    {.id = "offline-slack",
     .source = "thm:pac_offline, proof (l.1184) against lem:pessimism (l.1137)",
     .kind = Kind::kDefinition,
     .relation = Relation::kEqual,
     .premises = "the same slack in both places",
     .statement = "γ²d/(1−γ²) = γ²d/(1−γ)²",
     .shape = Shape::kRates,
     .assumes = kRatesValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const T top = square(c.gamma) * T(c.d);
       return {top / (T(1) - square(c.gamma)), top / square(T(1) - c.gamma)};
     },
     .corrected_by = "pessimism-explicit",
     .note = "the square belongs outside the bracket"},
    {.id = "offline-decomposition",
     .source = "thm:pac_offline, proof, equality (l.1186)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "b = α‖φ̂‖ in Σ⁻¹_{ρ_b,φ̂}",
     .statement = "V^π_{P,r} − V^π_{P̂,r−b} = E_{d^π}[b + γE_P V_{P̂,r−b} − γE_P̂ V_{P̂,r−b}]",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> { return decomposition(c); },
     .corrected_by = "offline-decomposition-corrected",
     .note = "the factor 1/(1−γ) of the simulation lemma is missing"},
    {.id = "offline-decomposition-corrected",
     .source = "thm:pac_offline, proof (l.1186)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "the same",
     .statement =
         "V^π_{P,r} − V^π_{P̂,r−b} = (1/(1−γ)) E_{d^π}[b + γE_P V_{P̂,r−b} − γE_P̂ V_{P̂,r−b}]",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       Sides<T> sides = decomposition(c);
       sides.right = sides.right / (T(1) - c.gamma);
       return sides;
     },
     .twin = Twin::kCorrection},
    {.id = "offline-gap-value",
     .source = "thm:pac_offline, proof, definition of g (l.1193)",
     .kind = Kind::kBound,
     .premises = "g = |(E_P̂ − E_P)V^π_{P̂,r+b}| as printed, with the baseline π for π_n, which "
                 "Algorithm 2 does not "
                 "have",
     .statement = "V^π_{P,r} − V^π_{P̂,r−b} ≤ (1/(1−γ)) E_{d^π}[b + γg]",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> { return decomposition_bound(c, T(1)); },
     .corrected_by = "offline-gap-value-corrected",
     .note = "the decomposition (l.1186) has V^π_{P̂,r−b}: the bonus enters with the wrong sign"},
    {.id = "offline-gap-value-corrected",
     .source = "thm:pac_offline, proof (l.1193)",
     .kind = Kind::kBound,
     .premises = "g = |(E_P̂ − E_P)V^π_{P̂,r−b}|",
     .statement = "V^π_{P,r} − V^π_{P̂,r−b} ≤ (1/(1−γ)) E_{d^π}[b + γg]",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> { return decomposition_bound(c, T(-1)); },
     .twin = Twin::kCorrection},
    {.id = "offline-penalty-mean",
     .source = "thm:pac_offline, proof (l.1191)",
     .kind = Kind::kBound,
     .premises = "norm in Σ_{ρ_b,φ*} as printed (not its inverse)",
     .statement = "E_{d^π}b ≤ √((1−γ)α²dω/n) + √(γα²dω + γ²α²d) · E_{d^π}‖φ*‖_{Σ_{ρ_b,φ*}}",
     .shape = Shape::kCorridor,
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Offline<T> o = offline(c, true);
       const Table<T> Sigma = true_covariance(c, o);
       Column<T> norms(c.S * c.A, 1);
       for (int i = 0; i < c.S * c.A; ++i) {
         const Column<T> phi = row(c.phi, i);
         norms(i) = dot(phi, Sigma * phi);
       }
       return {occupancy_mean(c, o.P, penalty(c, o)),
               penalty_bound(c, o, occupancy_mean(c, o.P, roots(norms)))};
     },
     .corrected_by = "offline-penalty-mean-corrected",
     .note = "the inverse is missing in the subscript"},
    {.id = "offline-penalty-mean-corrected",
     .source = "thm:pac_offline, proof (l.1191)",
     .kind = Kind::kBound,
     .premises = "norm in Σ⁻¹_{ρ_b,φ*}",
     .statement = "E_{d^π}b ≤ √((1−γ)α²dω/n) + √(γα²dω + γ²α²d) · E_{d^π}‖φ*‖_{Σ⁻¹_{ρ_b,φ*}}",
     .shape = Shape::kCorridor,
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Offline<T> o = offline(c, true);
       const Column<T> norms = roots(squared_norms(c.phi, true_covariance(c, o)));
       return {occupancy_mean(c, o.P, penalty(c, o)),
               penalty_bound(c, o, occupancy_mean(c, o.P, norms))};
     },
     .twin = Twin::kCorrection},
    {.id = "offline-gap-order",
     .source = "thm:pac_offline, proof (l.1195), as l.1046",
     .kind = Kind::kRate,
     .relation = Relation::kOrder,
     .premises = "E_{ρ_b}g² ≲ d³ωζ/(1−γ)⁴ as online; hidden constant of at most 100",
     .statement = "√((1−γ)ω · d³ωζ/(1−γ)⁴) ≲ √((1−γ)d³ω²ζ)",
     .shape = Shape::kRates,
     .assumes = kRatesValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const T h = T(1) / (T(1) - c.gamma);
       const T common = c.bound * sqrt(power(T(c.d), 3));
       return {common * sqrt(power(h, 3)), common / sqrt(h)};
     },
     .corrected_by = "regret-gap-order-corrected",
     .note = "the same lost (1−γ)⁻⁴ as online",
     .misprint = "lost-horizon"},
};

}  // namespace

std::span<const Entry> offline_pac_claims() { return kOfflinePacClaims; }

}  // namespace speder::audit

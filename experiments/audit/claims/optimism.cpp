#include "speder/experiments/audit/entry.hpp"
#include "speder/experiments/audit/objects/online.hpp"
#include "speder/oracle/bounds/bonus.hpp"
#include "speder/oracle/bounds/value_norm.hpp"

// lem:optimism, its proof, and the hyperparameters it selects.

namespace speder::audit {
namespace {

template <class T>
struct Gap {
  Online<T> o;
  Column<T> V;  // V^π_{P,r}
  Column<T> g;  // |E_P V − E_P̂ V|
};
template <class T>
Gap<T> gap(const Case<T>& c) {
  Gap<T> x;
  x.o = online(c);
  x.V = value(x.o.P, x.o.r, c.pi, c.gamma);
  x.g = model_gap(x.o.P, x.o.P_hat, x.V);
  return x;
}
// ‖φ̂(s,a)‖ in the inverse of Σ_{ρ_n×U,φ̂}
template <class T>
Column<T> bonus_shape(const Case<T>& c, const Online<T>& o, const T& lambda) {
  return roots(squared_norms(c.phi_hat, covariance(c.phi_hat, o.rho_uniform, o.n, lambda)));
}
// V^π_{P,r} − V^π_{P̂,r+b}
template <class T>
T pessimism_gap(const Case<T>& c, const Gap<T>& x, const Column<T>& b) {
  return dot(c.rho, x.V - value(x.o.P_hat, x.o.r + b, c.pi, c.gamma));
}

// The α that the proof needs at λ_n = d log(n|F|/δ), and d√(|A|nζ_n)/(1−γ)
template <class T>
Sides<T> alpha_order(const Case<T>& c, const T& n_zeta) {
  const T lambda = T(c.d) * (log_n(c) + log(T(c.F) / c.delta));
  return {bounds::optimism_alpha(T(c.A), T(c.d), c.gamma, n_zeta, lambda),
          T(c.d) * sqrt(T(c.A) * n_zeta) / (T(1) - c.gamma)};
}

const Entry kOptimismClaims[] = {
    {.id = "optimism-gap-sup",
     .source = "lem:optimism, proof (l.882)",
     .kind = Kind::kBound,
     .premises = "r ∈ [0,1]",
     .statement = "g = |E_P V − E_P̂ V| ≤ 2/(1−γ)",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {max_abs(gap(c).g), T(2) / (T(1) - c.gamma)};
     }},
    {.id = "optimism-gap-linear",
     .source = "lem:optimism, proof (l.884–886)",
     .kind = Kind::kBound,
     .premises = "normalisation conditions for μ* and μ̂",
     .statement = "g(s,a) ≤ (√d/(1−γ)) (‖φ*(s,a)‖ + ‖φ̂(s,a)‖)",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Column<T> g = gap(c).g;
       const Column<T> length = lengths(c.phi) + lengths(c.phi_hat);
       Worst<T> worst;
       for (int i = 0; i < g.size(); ++i) {
         worst.add(g(i), sqrt(T(c.d)) / (T(1) - c.gamma) * length(i));
       }
       return worst.sides();
     }},
    {.id = "optimism-gap-l2",
     .source = "lem:optimism, proof (l.890–893)",
     .kind = Kind::kBound,
     .premises = "representation normalisation of φ* and φ̂",
     .statement = "‖∫_A g‖₂² ≤ 4d²/(1−γ)²",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {l2_squared(action_sum(c, gap(c).g), c.nu), square(T(2 * c.d) / (T(1) - c.gamma))};
     }},
    {.id = "optimism-gap-mean-square",
     .source = "lem:optimism, proof (l.902–905)",
     .kind = Kind::kBound,
     .premises = "E_{ρ_n,U}‖P̂ − P‖₂² ≤ ζ_n, lem:V_norm",
     .statement = "E_{ρ_n,U}g² ≤ 2d(1 + dγ²/(1−γ)²)ζ_n",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Gap<T> x = gap(c);
       return {dot(x.o.rho_uniform, squares(x.g)),
               square(bounds::value_norm(T(c.d), c.gamma)) * x.o.zeta};
     }},
    {.id = "optimism-invocation",
     .source = "lem:optimism, proof (l.897–898)",
     .kind = Kind::kBound,
     .premises = "g = |E_P V − E_P̂ V|, B∞ = 2/(1−γ), B₂ = 2d/(1−γ), without the factor 2",
     .statement = "E_{d̂^π}g ≤ √((1−γ)|A|E_{ρ_n,U}g²) + γ√(n|A|E_{ρ'_n,U}g² + 4d²nζ/(1−γ)² + "
                  "4λd/(1−γ)²) · E‖φ̂‖_{Σ⁻¹}",
     .shape = Shape::kCorridor,
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Gap<T> x = gap(c);
       bounds::BackupInputs<T> in = learned_inputs(c, x.o, x.g);
       in.sup = T(2) / (T(1) - c.gamma);
       in.l2 = T(c.d) * in.sup;
       const Column<T> d_hat = with_policy(occupancy(x.o.P_hat, c.pi, c.rho, c.gamma), c.pi);
       return {dot(d_hat, x.g), bounds::backup_learned_printed(in)};
     },
     .note = "for this g the missing factor 2 is absorbed by the loose B₂"},
    {.id = "optimism-explicit",
     .source = "lem:optimism (l.869) with explicit constants",
     .kind = Kind::kBound,
     .premises = "b = α‖φ̂‖ in Σ⁻¹_{ρ_n×U,φ̂} (no concentration needed), α = "
                 "γ²√(2n|A|·2d(1+dγ²/(1−γ)²)ζ + 8d²nζ/(1−γ)² + 4λd/(1−γ)²)",
     .statement = "V^π_{P,r} − V^π_{P̂,r+b} ≤ √(2|A|d(1 + γ²d/(1−γ)²)ζ/(1−γ))",
     .shape = Shape::kCorridor,
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Gap<T> x = gap(c);
       const T alpha = bounds::optimism_alpha(T(c.A), T(c.d), c.gamma, x.o.n * x.o.zeta, c.lambda);
       return {pessimism_gap(c, x, scaled(bonus_shape(c, x.o, c.lambda), alpha)),
               bounds::optimism_slack(T(c.A), T(c.d), c.gamma, x.o.zeta)};
     },
     .twin = Twin::kDerived},
    {.id = "optimism",
     .source = "lem:optimism (l.861–871)",
     .kind = Kind::kRate,
     .relation = Relation::kConstant,
     .premises = "α = c d√(|A|nζ)/(1−γ), λ = d nζ, ζ any number at least both model errors",
     .statement = "V^π_{P̂,r+b} ≥ V^π_{P,r} − √(2|A|d(1 + γ²d/(1−γ)²)ζ/(1−γ)): smallest c",
     .shape = Shape::kCorridor,
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Gap<T> x = gap(c);
       const T n_zeta =
           max(x.o.n * x.o.zeta, c.lambda);  // ζ_n bounds the errors; it may exceed them
       const Column<T> shape = bonus_shape(c, x.o, T(c.d) * n_zeta);
       const Column<T> d_hat = with_policy(occupancy(x.o.P_hat, c.pi, c.rho, c.gamma), c.pi);
       const T missing = pessimism_gap(c, x, Column<T>(c.S * c.A, 1)) -
                         bounds::optimism_slack(T(c.A), T(c.d), c.gamma, n_zeta / x.o.n);
       const T unit = T(c.d) * sqrt(T(c.A) * n_zeta) / (T(1) - c.gamma);
       return {(T(1) - c.gamma) * missing, unit * dot(d_hat, shape)};
     },
     .note = "hidden constants in α and λ"},
    {.id = "optimism-alpha-order",
     .source = "lem:optimism (l.864–865, l.907)",
     .kind = Kind::kRate,
     .relation = Relation::kOrder,
     .premises = "nζ_n = log(|F|/δ), λ_n = d log(n|F|/δ); hidden constant of at most 100",
     .statement = "the α the proof needs ≲ d√(|A|nζ_n)/(1−γ)",
     .shape = Shape::kRates,
     .assumes = kRatesValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return alpha_order(c, log(T(c.F) / c.delta));
     },
     .corrected_by = "optimism-alpha-order-corrected",
     .note = "λ_n grows with log n while nζ_n does not: no constant serves every n",
     .misprint = "zeta-without-log-n"},
    {.id = "optimism-alpha-order-corrected",
     .source = "lem:optimism (l.864–865, l.907)",
     .kind = Kind::kRate,
     .relation = Relation::kOrder,
     .premises = "nζ_n = log(n|F|/δ); hidden constant of at most 100",
     .statement = "the α the proof needs ≲ d√(|A|nζ_n)/(1−γ)",
     .shape = Shape::kRates,
     .assumes = kRatesValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return alpha_order(c, log_n(c) + log(T(c.F) / c.delta));
     },
     .twin = Twin::kCorrection},
    {.id = "bonus-ratio-upper",
     .source = "lem:norm_bonus (l.955)",
     .kind = Kind::kBound,
     .premises = "α_n = d√(|A|nζ_n)/(1−γ), nζ_n = log(|F|/δ), λ_n = d log(n|F|/δ): all constants 1",
     .statement = "α_n/√λ_n ≤ √(d|A|)/(1−γ)",
     .shape = Shape::kRates,
     .assumes = kRatesValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const T horizon = T(1) / (T(1) - c.gamma);
       const T alpha = T(c.d) * sqrt(T(c.A) * log(T(c.F) / c.delta)) * horizon;
       const T lambda = T(c.d) * log(whole<T>(c.m) * T(c.F) / c.delta);
       return {alpha / sqrt(lambda), sqrt(T(c.d * c.A)) * horizon};
     }},
    {.id = "bonus-ratio-theta",
     .source = "lem:norm_bonus, proof (l.971)",
     .kind = Kind::kRate,
     .relation = Relation::kOrder,
     .premises = "the same; hidden constant of at most 100",
     .statement = "α_n/√λ_n = Θ(√(d|A|)/(1−γ)), lower side: √(d|A|)/(1−γ) ≲ α_n/√λ_n",
     .shape = Shape::kRates,
     .assumes = kRatesValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {sqrt(log_n(c) + log(T(c.F) / c.delta)), sqrt(log(T(c.F) / c.delta))};
     },
     .corrected_by = "bonus-ratio-theta-corrected",
     .note = "c = √(log(n|F|/δ)/log(|F|/δ)) grows with n, so Θ is only ≲",
     .misprint = "zeta-without-log-n"},
    {.id = "bonus-ratio-theta-corrected",
     .source = "lem:norm_bonus, proof (l.971)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "nζ_n = log(n|F|/δ), constants 1",
     .statement = "α_n/√λ_n = √(d|A|)/(1−γ)",
     .shape = Shape::kRates,
     .assumes = kRatesValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const T horizon = T(1) / (T(1) - c.gamma);
       const T n_zeta = log_n(c) + log(T(c.F) / c.delta);
       return {T(c.d) * sqrt(T(c.A) * n_zeta) * horizon / sqrt(T(c.d) * n_zeta),
               sqrt(T(c.d * c.A)) * horizon};
     },
     .twin = Twin::kCorrection},
};

}  // namespace

std::span<const Entry> optimism_claims() { return kOptimismClaims; }

}  // namespace speder::audit

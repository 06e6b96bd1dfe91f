#include "speder/experiments/audit/entry.hpp"
#include "speder/experiments/audit/objects/online.hpp"
#include "speder/oracle/bounds/bonus.hpp"
#include "speder/oracle/bounds/pac.hpp"
#include "speder/oracle/bounds/value_norm.hpp"

// lem:regret and its proof. Bonuses use Σ_{ρ_n×U,φ̂}, to which lem:bonus_concentration leads.

namespace speder::audit {
namespace {

template <class T>
T mean_square_norm(const Case<T>& c, const Online<T>& o, const Column<T>& law) {
  const Table<T> Sigma = covariance(c.phi_hat, law, o.n, c.lambda);
  return dot(o.rho_uniform, squared_norms(c.phi_hat, Sigma));
}
// Tr(E[φ̂φ̂ᵀ](nE[φ̂φ̂ᵀ] + λI)⁻¹), both expectations under ρ_n × U
template <class T>
T uniform_trace(const Case<T>& c, const Online<T>& o) {
  const Table<T> moment = covariance(c.phi_hat, o.rho_uniform, T(1), T(0));
  return trace(solve(covariance(c.phi_hat, o.rho_uniform, o.n, c.lambda), moment));
}
template <class T>
struct Round {
  T mean;   // E_{d^{π_n}}‖φ*‖ in the inverse of Σ_{ρ_n,φ*}
  T trace;  // Tr(E_{d^{π_n}}[φ*φ*ᵀ] Σ⁻¹)
};
// Rounds n = 1 … H with λ_n = λ(1 + (n−1)/2), one policy each.
template <class T>
std::vector<Round<T>> rounds(const Case<T>& c) {
  const Table<T> P = kernel(c, c.phi, c.mu);
  Table<T> total(c.d, c.d);  // ∑_{i≤n} E_{d^{π_i}}[φφᵀ]
  std::vector<Round<T>> all;
  for (int n = 0; n < c.H; ++n) {
    const Table<T> pi = past_policy(c, n);
    const Column<T> d = with_policy(occupancy(P, pi, c.rho, c.gamma), pi);
    total = total + covariance(c.phi, d, T(1), T(0));
    const T lambda = c.lambda * (T(1) + fraction<T>(n, 2));
    const Column<T> norms = squared_norms(c.phi, total + identity<T>(c.d, lambda));
    all.push_back({dot(d, roots(norms)), dot(d, norms)});
  }
  return all;
}
template <class T>
T log_term(const Case<T>& c, const T& d_in_argument) {  // log(1 + N/(· log(N|F|/δ)))
  const T N = whole<T>(c.m);
  return log(T(1) + N / (d_in_argument * log(N * T(c.F) / c.delta)));
}

// 4γ²d(√λ_n + α_n)²/(1−γ)² and d³|A|nζ_n/(1−γ)⁴, with the printed λ_n and α_n
template <class T>
Sides<T> second_order(const Case<T>& c, const T& n_zeta) {
  const T h = T(1) / (T(1) - c.gamma);
  const T lambda = T(c.d) * (log_n(c) + log(T(c.F) / c.delta));
  const T alpha = T(c.d) * sqrt(T(c.A) * n_zeta) * h;
  return {T(4) * square(c.gamma * h * (sqrt(lambda) + alpha)) * T(c.d),
          power(T(c.d), 3) * T(c.A) * n_zeta * power(h, 4)};
}

const Entry kRegretClaims[] = {
    {.id = "regret-bonus-trace",
     .source = "lem:regret, proof (l.1018–1020)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "Σ_{ρ_n,φ̂} = nE_{(s,a)~ρ_n}[φ̂φ̂ᵀ] + λI as defined in l.790",
     .statement = "E_{ρ_n,U}‖φ̂‖²_{Σ⁻¹_{ρ_n}} = Tr(E_{ρ_n,U}[φ̂φ̂ᵀ](nE_{ρ_n,U}[φ̂φ̂ᵀ] + λI)⁻¹)",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Online<T> o = online(c);
       return {mean_square_norm(c, o, o.rho_pairs), uniform_trace(c, o)};
     },
     .corrected_by = "regret-bonus-trace-corrected",
     .note =
         "the covariance changes from the policies' actions to uniform actions between two lines",
     .misprint = "uniform-covariance"},
    {.id = "regret-bonus-trace-corrected",
     .source = "lem:regret, proof (l.1018–1020)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "Σ_{ρ_n×U,φ̂} throughout",
     .statement = "E_{ρ_n,U}‖φ̂‖²_{Σ⁻¹_{ρ_n×U}} = Tr(E_{ρ_n,U}[φ̂φ̂ᵀ](nE_{ρ_n,U}[φ̂φ̂ᵀ] + λI)⁻¹)",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Online<T> o = online(c);
       return {mean_square_norm(c, o, o.rho_uniform), uniform_trace(c, o), T(1) / c.lambda};
     },
     .twin = Twin::kCorrection},
    {.id = "regret-bonus-d-over-n",
     .source = "lem:regret, proof (l.1018–1021)",
     .kind = Kind::kBound,
     .premises = "Σ_{ρ_n,φ̂} as defined in l.790",
     .statement = "E_{ρ_n,U}‖φ̂‖²_{Σ⁻¹_{ρ_n}} ≤ d/n",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Online<T> o = online(c);
       return {mean_square_norm(c, o, o.rho_pairs), T(c.d) / o.n};
     },
     .corrected_by = "regret-bonus-d-over-n-corrected",
     .note = "an action the past policies never take is seen by U but not by ρ_n",
     .misprint = "uniform-covariance"},
    {.id = "regret-bonus-d-over-n-corrected",
     .source = "lem:regret, proof (l.1018–1021)",
     .kind = Kind::kBound,
     .premises = "Σ_{ρ_n×U,φ̂}",
     .statement = "E_{ρ_n,U}‖φ̂‖²_{Σ⁻¹_{ρ_n×U}} ≤ d/n",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Online<T> o = online(c);
       return {mean_square_norm(c, o, o.rho_uniform), T(c.d) / o.n};
     },
     .twin = Twin::kCorrection},
    {.id = "regret-bonus-mean",
     .source = "lem:regret, proof (l.1012–1025), constant 1",
     .kind = Kind::kBound,
     .premises = "b = α‖φ̂‖ in Σ⁻¹_{ρ_n×U,φ̂}",
     .statement =
         "E_{d^{π_n}}b ≤ √((1−γ)α²d|A|/n) + √(γα²d|A| + γ²α²d) · E_{d^{π_n}}‖φ*‖_{Σ⁻¹_{ρ_n}}",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Online<T> o = online(c);
       const Table<T> Sigma = covariance(c.phi_hat, o.rho_uniform, o.n, c.lambda);
       const Column<T> b = scaled(roots(squared_norms(c.phi_hat, Sigma)), c.alpha);
       const Table<T> pi = past_policy(c, c.H - 1);
       const Column<T> d = with_policy(occupancy(o.P, pi, c.rho, c.gamma), pi);
       const T a2d = square(c.alpha) * T(c.d);
       return {dot(d, b), sqrt((T(1) - c.gamma) * a2d * T(c.A) / o.n) +
                              sqrt(c.gamma * a2d * T(c.A) + square(c.gamma) * a2d) *
                                  true_inputs(c, o, b).feature_norm};
     }},
    {.id = "regret-gap-sup",
     .source = "lem:regret, proof (l.1028)",
     .kind = Kind::kBound,
     .premises = "b ≤ α/√λ",
     .statement = "|E_P̂ V_{P̂,r+b} − E_P V_{P̂,r+b}| ≤ 2(1 + α/√λ)/(1−γ)",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Online<T> o = online(c);
       const Table<T> Sigma = covariance(c.phi_hat, o.rho_uniform, o.n, c.lambda);
       const Column<T> b = scaled(roots(squared_norms(c.phi_hat, Sigma)), c.alpha);
       const Column<T> V = value(o.P_hat, o.r + b, c.pi, c.gamma);
       return {max_abs(model_gap(o.P, o.P_hat, V)),
               T(2) * (T(1) + bounds::bonus_sup(c.alpha, c.lambda)) / (T(1) - c.gamma)};
     }},
    {.id = "regret-gap-mean-square",
     .source = "lem:regret, proof (l.1037–1040)",
     .kind = Kind::kBound,
     .premises = "E_{ρ_n,U}‖P̂ − P‖₂² ≤ ζ_n",
     .statement = "E_{ρ_n,U}g² ≤ 3d(1 + α²/λ + dγ²(1+α/√λ)²/(1−γ)²)ζ_n",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Online<T> o = online(c);
       const Table<T> Sigma = covariance(c.phi_hat, o.rho_uniform, o.n, c.lambda);
       const Column<T> b = scaled(roots(squared_norms(c.phi_hat, Sigma)), c.alpha);
       const Column<T> V = value(o.P_hat, o.r + b, c.pi, c.gamma);
       return {dot(o.rho_uniform, squares(model_gap(o.P, o.P_hat, V))),
               square(bounds::planned_value_norm(T(c.d), c.gamma, c.alpha, c.lambda)) * o.zeta};
     }},
    {.id = "regret-sup-term",
     .source = "lem:regret, proof (l.1033)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "B∞ = 2(1 + α/√λ)/(1−γ)",
     .statement = "λγ²B∞²d = 4γ²d(√λ + α)²/(1−γ)²",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const T horizon = T(1) / (T(1) - c.gamma);
       const T sup = T(2) * (T(1) + c.alpha / sqrt(c.lambda)) * horizon;
       return {c.lambda * square(c.gamma * sup) * T(c.d),
               T(4) * square(c.gamma * horizon * (sqrt(c.lambda) + c.alpha)) * T(c.d)};
     }},
    {.id = "regret-gap-order",
     .source = "lem:regret, proof (l.1046), from l.1032 and l.1041",
     .kind = Kind::kRate,
     .relation = Relation::kOrder,
     .premises = "hidden constant of at most 100",
     .statement = "√((1−γ)|A| · d³|A|ζ/(1−γ)⁴) ≲ √((1−γ)d³|A|²ζ)",
     .shape = Shape::kRates,
     .assumes = kRatesValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const T h = T(1) / (T(1) - c.gamma);
       const T common = T(c.A) * sqrt(power(T(c.d), 3));
       return {common * sqrt(power(h, 3)), common / sqrt(h)};
     },
     .corrected_by = "regret-gap-order-corrected",
     .note = "the factor (1−γ)⁻⁴ of the line before is dropped; a lower-order term of the regret",
     .misprint = "lost-horizon"},
    {.id = "regret-gap-order-corrected",
     .source = "lem:regret, proof (l.1046)",
     .kind = Kind::kRate,
     .premises = "constant 1",
     .statement = "√((1−γ)|A| · d³|A|ζ/(1−γ)⁴) ≤ √(d³|A|²ζ/(1−γ)³)",
     .shape = Shape::kRates,
     .assumes = kRatesValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const T h = T(1) / (T(1) - c.gamma);
       const T d3 = power(T(c.d), 3);
       return {sqrt((T(1) - c.gamma) * square(T(c.A)) * d3 * power(h, 4)),
               sqrt(d3 * square(T(c.A)) * power(h, 3))};
     },
     .twin = Twin::kCorrection},
    {.id = "regret-gap-second-order",
     .source = "lem:regret, proof (l.1033 to l.1047)",
     .kind = Kind::kRate,
     .relation = Relation::kOrder,
     .premises = "nζ_n = log(|F|/δ), λ_n = d log(n|F|/δ), α_n = d√(|A|nζ_n)/(1−γ); hidden constant "
                 "of at most 100",
     .statement = "4γ²d(√λ_n + α_n)²/(1−γ)² ≲ d³|A|nζ_n/(1−γ)⁴",
     .shape = Shape::kRates,
     .assumes = kRatesValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return second_order(c, log(T(c.F) / c.delta));
     },
     .corrected_by = "regret-gap-second-order-corrected",
     .note = "λ_n grows with log n and nζ_n does not: no constant serves every n",
     .misprint = "zeta-without-log-n"},
    {.id = "regret-gap-second-order-corrected",
     .source = "lem:regret, proof (l.1033 to l.1047)",
     .kind = Kind::kRate,
     .relation = Relation::kOrder,
     .premises = "nζ_n = log(n|F|/δ); hidden constant of at most 100",
     .statement = "4γ²d(√λ_n + α_n)²/(1−γ)² ≲ d³|A|nζ_n/(1−γ)⁴",
     .shape = Shape::kRates,
     .assumes = kRatesValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return second_order(c, log_n(c) + log(T(c.F) / c.delta));
     },
     .twin = Twin::kCorrection},
    {.id = "regret-potential-sum",
     .source = "lem:regret, proof (l.1051–1053)",
     .kind = Kind::kBound,
     .premises = "as printed: no sum over n under the root; n = N",
     .statement = "∑_{n=1}^N E_{d^{π_n}}‖φ*‖_{Σ⁻¹_{ρ_n}} ≤ √(N Tr(E_{d^{π_n}}[φ*φ*ᵀ]Σ⁻¹_{ρ_n}))",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const std::vector<Round<T>> all = rounds(c);
       T total = T(0);
       for (const Round<T>& n : all) total = total + n.mean;
       return {total, sqrt(T(c.H) * all.back().trace)};
     },
     .corrected_by = "regret-potential-sum-corrected",
     .note = "the trace must be summed over n"},
    {.id = "regret-potential-sum-corrected",
     .source = "lem:regret, proof (l.1051–1054)",
     .kind = Kind::kBound,
     .premises = "λ_n nondecreasing (here λ_n = λ(1 + (n−1)/2))",
     .statement =
         "∑_n E‖φ*‖_{Σ⁻¹_{ρ_n}} ≤ √(N ∑_n Tr(E[φ*φ*ᵀ]Σ⁻¹_{ρ_n})) ≤ √(N d log((λ_N + N)/λ₁))",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       T total = T(0);
       T traces = T(0);
       for (const Round<T>& n : rounds(c)) {
         total = total + n.mean;
         traces = traces + n.trace;
       }
       const T last = c.lambda * (T(1) + fraction<T>(c.H - 1, 2));
       Worst<T> worst;
       worst.add(total, sqrt(T(c.H) * traces));
       worst.add(sqrt(T(c.H) * traces), sqrt(T(c.H * c.d) * log((last + T(c.H)) / c.lambda)));
       return worst.sides();
     },
     .twin = Twin::kCorrection},
    {.id = "regret-log-argument",
     .source = "lem:regret (l.997) from l.1054",
     .kind = Kind::kRate,
     .relation = Relation::kOrder,
     .premises = "λ_n = d log(n|F|/δ); hidden constant of at most 100",
     .statement = "log((λ_N + N)/λ₁) ≲ log(1 + N/(d² log(N|F|/δ)))",
     .shape = Shape::kRates,
     .assumes = kRatesValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const T N = whole<T>(c.m);
       const T first = T(c.d) * log(T(c.F) / c.delta);
       const T last = T(c.d) * log(N * T(c.F) / c.delta);
       return {log((last + N) / first), log_term(c, square(T(c.d)))};
     },
     .corrected_by = "regret-log-argument-corrected",
     .note = "the constant grows with d: line 1054 gives N/λ₁ = N/(d log(|F|/δ)) inside the "
             "logarithm; the d² needs the trace form of the potential lemma"},
    {.id = "regret-log-argument-corrected",
     .source = "lem:regret (l.997)",
     .kind = Kind::kRate,
     .premises = "λ_n = d log(n|F|/δ), log(|F|/δ) ≥ 1",
     .statement = "log((λ_N + N)/λ₁) ≤ log(1 + N/λ₁) + log(1 + log N): constant 1",
     .shape = Shape::kRates,
     .assumes = kRatesValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const T first_log = log(T(c.F) / c.delta);
       if (!surely_le(T(1), first_log)) return undefined<T>();
       const T N = whole<T>(c.m);
       const T first = T(c.d) * first_log;
       const T last = T(c.d) * log(N * T(c.F) / c.delta);
       return {log((last + N) / first), log1p(N / first) + log1p(log(N))};
     },
     .twin = Twin::kCorrection},
    {.id = "regret",
     .source = "lem:regret (l.995–999)",
     .kind = Kind::kHighProbability,
     .relation = Relation::kConstant,
     .premises = "all assumptions; hidden constant",
     .statement =
         "∑_n V^{π*} − V^{π_n} ≲ √(N d⁴|A|² log(N|F|/δ)/(1−γ)⁶ · log(1 + N/(d² log(N|F|/δ))))",
     .note = "hidden constant and an algorithm instead of a formula: measured by the experiment "
             "regret"},
    {.id = "regret-to-pac",
     .source = "thm:pac_online, proof (l.1068)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "π: draw n uniformly, then follow π_n",
     .statement = "V^π = (1/N)∑ V^{π_n} = (1/(1−γ)) E_{(s,a)~mean of d^{π_n}}[r]",
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Online<T> o = online(c);
       T mean = T(0);
       for (int i = 0; i < c.H; ++i) {
         mean = mean + dot(c.rho, value(o.P, o.r, past_policy(c, i), c.gamma)) / T(c.H);
       }
       return {mean, dot(o.rho_pairs, o.r) / (T(1) - c.gamma)};
     }},
};

}  // namespace

std::span<const Entry> regret_claims() { return kRegretClaims; }

}  // namespace speder::audit

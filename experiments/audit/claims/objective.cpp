#include "speder/experiments/audit/entry.hpp"
#include "speder/experiments/audit/objects/online.hpp"
#include "speder/experiments/audit/objects/spectral.hpp"

// Section "Spectral Decomposition Representation Learning": the objective and its equivalent forms.
// φ̂, μ̂ of the instance are arbitrary; where the constraint E[φφᵀ] = I/d is needed φ̂ is whitened.

namespace speder::audit {
namespace {

constexpr unsigned kTruth = kMdpValid;

// The value of line 6's objective, −E_{ρ_n}∫P f + ½E_w∫f², at the truth and at a rival a tenth of the way
// to the candidate; w is the law on which the constraint was met (that of the first policy) or ρ_n.
template <class T>
Sides<T> line_six(const Case<T>& c, bool earlier) {
  if (c.H < 2) return undefined<T>();
  const Online<T> now = online(c);
  Case<T> before = c;
  before.H = 1;
  const Column<T> met = earlier ? online(before).rho_uniform : now.rho_uniform;
  const auto objective = [&](const Table<T>& f) -> T {
    T total = T(0);
    for (int i = 0; i < f.rows(); ++i) {
      for (int s = 0; s < c.S; ++s) {
        total = total +
                (met(i) * f(i, s) / T(2) - now.rho_uniform(i) * now.P(i, s)) * f(i, s) / c.nu(s);
      }
    }
    return total;
  };
  const T share = fraction<T>(1, 10);
  return {objective(now.P), objective(scaled(now.P, T(1) - share) + scaled(now.P_hat, share))};
}

const Entry kObjectiveClaims[] = {
    {.id = "mle-scale-invariance",
     .source = "eq:mle and the text after it (l.248)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "φᵀμ > 0; c₁, c₂ > 0 (here 2 and 1/(1+λ))",
     .statement = "log c₁φᵀc₂μ(s') − log ∫c₁φᵀc₂μ = log φᵀμ(s') − log ∫φᵀμ",
     .shape = Shape::kMdp,
     .assumes = kMdpValid | kCandidate | kRegularised,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> mass = kernel(c, c.phi_hat, c.mu_hat);
       const T scale = T(2) / (T(1) + c.lambda);
       Worst<T> worst;
       for (int s = 0; s < c.S; ++s) {
         const T f = mass(0, s) / c.nu(s);
         if (!surely_less(fraction<T>(1, 1000000), f)) continue;
         T Z = T(0);
         for (int t = 0; t < c.S; ++t) Z = Z + mass(0, t);
         worst.equal(log(scale * f) - log(scale * Z), log(f) - log(Z));
       }
       return worst.sides();
     }},
    {.id = "mle-normalised-model",
     .source = "sec:speder (l.249)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "Z(s,a) = ∫φᵀμ ≠ 0",
     .statement = "∫(φ(s,a)/Z(s,a))ᵀμ(s') ds' = 1",
     .shape = Shape::kObjective,
     .assumes = kTruth,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Column<T> Z = c.phi_hat * integrate(c, c.mu_hat, Column<T>(c.S, 1, T(1)));
       constexpr double kTiny = 1e-3;
       if (std::abs(to_double(Z(0))) < kTiny) return undefined<T>();
       Table<T> tilde = row(c.phi_hat, 0);
       tilde = scaled(tilde, T(1) / Z(0));
       return {dot(tilde, integrate(c, c.mu_hat, Column<T>(c.S, 1, T(1)))), T(1)};
     }},
    {.id = "svd-dual-inner-maximum",
     .source = "eq:svd_form = second line (l.255–256), Fenchel duality",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "E[φφᵀ] = I/d; μ = dψ with ψ = E_{ρ₀}[Pφ]",
     .statement = "2Tr E∫μPφᵀ − (1/d)∫μᵀμ at the best μ = ‖E_{ρ₀}[P √d φ]‖₂²",
     .shape = Shape::kObjective,
     .assumes = kTruth,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> phi = whitened(c, c.phi_hat);
       if (phi.empty()) return undefined<T>();
       const Table<T> psi = correlation(c, phi);
       const T d = T(c.d);
       const Table<T> mu = scaled(psi, d);
       const T dual = T(2) * inner(c, mu, psi) - inner(c, mu, mu) / d;
       return {dual, d * inner(c, psi, psi), inner(c, mu, mu)};
     }},
    {.id = "svd-dual-is-a-maximum",
     .source = "eq:svd_form = second line (l.255–256)",
     .kind = Kind::kBound,
     .premises = "E[φφᵀ] = I/d; any μ",
     .statement = "2Tr E∫μPφᵀ − (1/d)∫μᵀμ ≤ ‖E_{ρ₀}[P √d φ]‖₂²",
     .shape = Shape::kObjective,
     .assumes = kTruth,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> phi = whitened(c, c.phi_hat);
       if (phi.empty()) return undefined<T>();
       const Table<T> psi = correlation(c, phi);
       const T d = T(c.d);
       return {T(2) * inner(c, c.mu_hat, psi) - inner(c, c.mu_hat, c.mu_hat) / d,
               d * inner(c, psi, psi)};
     }},
    {.id = "svd-form-bessel",
     .source = "eq:svd_form (l.255)",
     .kind = Kind::kBound,
     .premises = "E[φφᵀ] = I_d (here √d φ with E[φφᵀ] = I/d)",
     .statement = "‖E_{ρ₀}[Pφ]‖₂² ≤ E_{ρ₀}∫P², the sum of all squared singular values",
     .shape = Shape::kObjective,
     .assumes = kTruth,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> phi = whitened(c, c.phi_hat);
       if (phi.empty()) return undefined<T>();
       const Table<T> psi = correlation(c, phi);
       return {T(c.d) * inner(c, psi, psi), model_power(c, c.phi, c.mu)};
     }},
    {.id = "svd-form-top-d",
     .source = "eq:svd_form (l.255): 'svd'",
     .kind = Kind::kBound,
     .premises = "k < rank(P) features with E[φφᵀ] = I_k",
     .statement = "‖E_{ρ₀}[Pφ]‖₂² ≤ σ₁² + … + σ_k², the k largest singular values",
     .shape = Shape::kObjective,
     .assumes = kTruth,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       if (c.d < 2) return undefined<T>();
       return features_against_singular_values(c, c.d - 1, c.d - 1);
     }},
    {.id = "svd-form-attained",
     .source = "eq:svd_form (l.255): 'svd'",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "φ = the leading left singular vectors of P under ρ₀ (σ > 0)",
     .statement = "‖E_{ρ₀}[Pφ]‖₂² = σ₁² + … + σ_k²: the maximum is attained",
     .shape = Shape::kObjective,
     .assumes = kTruth,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Spectrum<T> squares = spectrum(density_gram(c));
       constexpr double kTiny = 1e-3;
       int k = 0;
       while (k < c.S && to_double(squares.values[static_cast<std::size_t>(k)]) > kTiny) ++k;
       if (k == 0) return undefined<T>();
       // φ_j(s,a) = σ_j⁻¹ ∑_s' p(s'|s,a) √ν(s') v_j(s'), p the density
       const Table<T> P = kernel(c, c.phi, c.mu);
       Table<T> phi(P.rows(), k);
       T total = T(0);
       for (int j = 0; j < k; ++j) {
         const T& value = squares.values[static_cast<std::size_t>(j)];
         total = total + value;
         for (int i = 0; i < P.rows(); ++i) {
           for (int s = 0; s < c.S; ++s) {
             phi(i, j) = phi(i, j) + P(i, s) / sqrt(c.nu(s)) * squares.vectors(s, j) / sqrt(value);
           }
         }
       }
       const Table<T> psi = correlation(c, phi);
       return {inner(c, psi, psi), total};
     }},
    {.id = "svd-reparameterisation",
     .source = "eq:svd_dual, third equality (l.257)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "μ = p μ', p a density",
     .statement = "2Tr E∫μPφᵀ − (1/d)∫μᵀμ = 2E_{ρ₀×P}[φᵀμ'p] − E_p[p μ'ᵀμ']/d",
     .shape = Shape::kObjective,
     .assumes = kTruth,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> mu = reparameterised(c, c.mu_hat);
       const Table<T> psi = correlation(c, c.phi_hat);
       const T d = T(c.d);
       const T left = T(2) * inner(c, mu, psi) - inner(c, mu, mu) / d;
       const T right =
           T(2) * transition_mean(c, c.phi_hat, mu) - trace(weighted_gram(c, c.mu_hat)) / d;
       return {left, right, inner(c, mu, mu)};
     }},
    {.id = "svd-reparameterised-maximum",
     .source = "eq:svd_dual, third equality as maxima (l.257)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "p a probability on S",
     .statement = "max over μ' of eq:svd_dual = max over μ of the line above",
     .shape = Shape::kObjective,
     .assumes = kTruth,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> psi = correlation(c, c.phi_hat);
       Table<T> reachable = psi;  // μ' cannot move μ where p = 0
       for (int s = 0; s < c.S; ++s) {
         for (int k = 0; k < c.d; ++k) {
           if (surely_zero(c.base(s))) reachable(s, k) = T(0);
         }
       }
       return {T(c.d) * inner(c, reachable, reachable), T(c.d) * inner(c, psi, psi)};
     },
     .corrected_by = "svd-reparameterised-maximum-with-premise",
     .note = "'supported on S' must mean p > 0 everywhere"},
    {.id = "svd-reparameterised-maximum-with-premise",
     .source = "eq:svd_dual (l.257)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "p(s) > 0 for every s",
     .statement = "max over μ' of eq:svd_dual = max over μ of the line above",
     .shape = Shape::kObjective,
     .assumes = kTruth,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       for (int s = 0; s < c.S; ++s) {
         constexpr double kTiny = 1e-3;
         if (to_double(c.base(s)) < kTiny) return undefined<T>();
       }
       const Table<T> psi = correlation(c, c.phi_hat);
       Table<T> mu_prime = scaled(psi, T(c.d));
       for (int s = 0; s < c.S; ++s) {
         for (int k = 0; k < c.d; ++k) mu_prime(s, k) = mu_prime(s, k) / c.base(s);
       }
       const T best = T(2) * transition_mean(c, c.phi_hat, reparameterised(c, mu_prime)) -
                      trace(weighted_gram(c, mu_prime)) / T(c.d);
       return {best, T(c.d) * inner(c, psi, psi)};
     },
     .twin = Twin::kPremise},
    {.id = "population-objective-expansion",
     .source = "eq:population_obj_alternative (l.281–285)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "any φ, μ; C = E_{ρ₀}∫P²",
     .statement = "E_{ρ₀}‖P − φᵀμ‖₂² = C − 2E_{ρ₀×P}[φᵀμ] + E_{ρ₀}∫(φᵀμ)²",
     .shape = Shape::kObjective,
     .assumes = kTruth,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const T C = model_power(c, c.phi, c.mu);
       const T power = model_power(c, c.phi_hat, c.mu_hat);
       const T right = C - T(2) * transition_mean(c, c.phi_hat, c.mu_hat) + power;
       return {model_loss(c, c.phi_hat, c.mu_hat), right, C + power};
     }},
    {.id = "constrained-objective-prefers-truth",
     .source = "Algorithm 1, line 6: eq:speder-objective (l.321) against eq:objective_f (l.631), "
               "the theorem's",
     .kind = Kind::kBound,
     .premises =
         "two candidates, data of any law ρ₀; the constraint E[φφᵀ] = I/d holds for neither",
     .statement =
         "eq:speder-objective is smallest at the truth: its value at (φ*,μ*) ≤ its value at (φ̂,μ̂)",
     .shape = Shape::kFreeMeasure,
     .assumes = kTruth | kCandidate,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       // With p = 1: −E[φᵀμ] + ∫μᵀμ/(2d). The truth minimises eq:objective_f in the mean.
       const auto objective = [&](const Table<T>& phi, const Table<T>& mu) -> T {
         return inner(c, mu, mu) / (T(2) * T(c.d)) - transition_mean(c, phi, mu);
       };
       return {objective(c.phi, c.mu), objective(c.phi_hat, c.mu_hat)};
     },
     .corrected_by = "population-objective-expansion",
     .note =
         "the two agree only for features that meet the constraint on the data at hand, which a "
         "finite "
         "class does not at every n; the program minimises eq:objective_f (PAPER.md, deviations)",
     .derived = true},
    {.id = "constrained-objective-adaptive",
     .source = "Algorithm 1, line 6 (l.321): eq:speder-objective on data of changing policies",
     .kind = Kind::kBound,
     .premises = "p = 1; both candidates meet E[φφᵀ] = I/d on the data of π₁; then the data of π₂ "
                 "… π_n come "
                 "in, so that −E_{ρ_n}[φᵀμ] + ½E_{ρ₁}∫(φᵀμ)² is minimised",
     .statement = "eq:speder-objective is smallest at the truth",
     .shape = Shape::kMdp,
     .assumes = kTruth | kCandidate,
     .check = []<class T>(const Case<T>& c) -> Sides<T> { return line_six(c, true); },
     .corrected_by = "constrained-objective-adaptive-corrected",
     .note = "features that meet the constraint on one law of data do not meet it on the next",
     .derived = true},
    {.id = "constrained-objective-adaptive-corrected",
     .source = "eq:objective_f (l.631) on data of changing policies",
     .kind = Kind::kBound,
     .premises = "data of π₁ … π_n",
     .statement = "−E_{ρ_n}[φᵀμ] + ½E_{ρ_n}∫(φᵀμ)² is smallest at the truth",
     .shape = Shape::kMdp,
     .assumes = kTruth | kCandidate,
     .check = []<class T>(const Case<T>& c) -> Sides<T> { return line_six(c, false); },
     .twin = Twin::kCorrection},
    {.id = "population-objective-unique",
     .source = "eq:population_obj (l.277)",
     .kind = Kind::kBound,
     .premises = "zero loss: L(φ̂,μ̂) = 0 (here P̂ = P where ρ₀ > 0)",
     .statement = "L(φ̂,μ̂) = 0 implies φ̂ᵀμ̂ = P for every (s,a): max ‖P − P̂‖₂² ≤ 0",
     .shape = Shape::kFreeMeasure,
     .assumes = kTruth | kCandidate,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       Table<T> phi = c.phi_hat;  // features of the candidate off the support of ρ₀
       for (int i = 0; i < phi.rows(); ++i) {
         for (int k = 0; k < c.d; ++k) {
           if (surely_less(T(0), c.weights(i))) phi(i, k) = c.phi(i, k);
         }
       }
       const Table<T> P = kernel(c, c.phi, c.mu);
       return {max_abs(squared_error(c, P, kernel(c, phi, c.mu))), T(0)};
     },
     .corrected_by = "population-objective-unique-with-premise",
     .note = "the minimiser is unique only where ρ₀ > 0"},
    {.id = "population-objective-unique-with-premise",
     .source = "eq:population_obj (l.277)",
     .kind = Kind::kBound,
     .premises = "ρ₀(s,a) > 0 for every (s,a)",
     .statement = "min ρ₀ · max_{s,a}‖P − P̂‖₂² ≤ L(φ̂,μ̂)",
     .shape = Shape::kFreeMeasure,
     .assumes = kTruth | kCandidate,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       T least = T(1);
       for (int i = 0; i < c.weights.size(); ++i) least = min(least, c.weights(i));
       const Table<T> P = kernel(c, c.phi, c.mu);
       return {least * max_abs(squared_error(c, P, kernel(c, c.phi_hat, c.mu_hat))),
               model_loss(c, c.phi_hat, c.mu_hat)};
     },
     .twin = Twin::kPremise},
};

}  // namespace

std::span<const Entry> objective_claims() { return kObjectiveClaims; }

}  // namespace speder::audit

#include "speder/experiments/audit/entry.hpp"
#include "speder/experiments/audit/objects/spectral.hpp"

// Section "Spectral Decomposition Representation Learning": the orthonormality constraint, the
// regularisers of the implementation, the skill policies.

namespace speder::audit {
namespace {

// E_π[Q] + sign · ∑ π log π at one state, with 0 log 0 = 0.
template <class T>
T entropy_objective(const Case<T>& c, const Table<T>& pi, int s, const T& sign) {
  T total = T(0);
  for (int a = 0; a < c.A; ++a) {
    const T& p = pi(s, a);
    if (to_double(p) <= 0) continue;
    total = total + p * c.g(s, a) + sign * p * log(p);
  }
  return total;
}
template <class T>
Table<T> softmax(const Case<T>& c) {
  Table<T> pi(c.S, c.A);
  for (int s = 0; s < c.S; ++s) {
    T Z = T(0);
    for (int a = 0; a < c.A; ++a) Z = Z + exp(c.g(s, a));
    for (int a = 0; a < c.A; ++a) pi(s, a) = exp(c.g(s, a)) / Z;
  }
  return pi;
}
template <class T>
Sides<T> softmax_is_best(const Case<T>& c, const T& sign) {
  const Table<T> best = softmax(c);
  Worst<T> worst;
  for (int s = 0; s < c.S; ++s) {
    worst.add(entropy_objective(c, c.pi, s, sign), entropy_objective(c, best, s, sign));
  }
  return worst.sides();
}

const Entry kConstraintClaims[] = {
    {.id = "trace-identity",
     .source = "sec:speder, third term (l.288)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "μ = p μ'",
     .statement = "E_{ρ₀}∫(φᵀμ)² = Tr(E_{ρ₀}[φφᵀ] E_p[p μ'μ'ᵀ])",
     .shape = Shape::kObjective,
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> moment = covariance(c.phi_hat, c.weights, T(1), T(0));
       const Table<T> gram = weighted_gram(c, c.mu_hat);
       return {model_power(c, c.phi_hat, reparameterised(c, c.mu_hat)), trace(moment * gram),
               trace(moment) * trace(gram)};
     }},
    {.id = "trace-under-constraint",
     .source = "sec:speder (l.293)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "E_{ρ₀}[φφᵀ] = I/d",
     .statement = "Tr(E_{ρ₀}[φφᵀ] E_p[p μ'μ'ᵀ]) = E_p[p μ'ᵀμ']/d",
     .shape = Shape::kObjective,
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> phi = whitened(c, c.phi_hat);
       if (phi.empty()) return undefined<T>();
       const Table<T> gram = weighted_gram(c, c.mu_hat);
       return {trace(covariance(phi, c.weights, T(1), T(0)) * gram), trace(gram) / T(c.d)};
     }},
    {.id = "speder-objective-is-model-error",
     .source = "eq:speder-objective from eq:population_obj (l.295–301)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "E_{ρ₀}[φφᵀ] = I/d, μ = p μ', C = E_{ρ₀}∫P²",
     .statement = "E_{ρ₀}‖P − φᵀμ‖₂² = C + 2 · (eq:speder-objective)",
     .shape = Shape::kObjective,
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> phi = whitened(c, c.phi_hat);
       if (phi.empty()) return undefined<T>();
       const T C = model_power(c, c.phi, c.mu);
       return {model_loss(c, phi, reparameterised(c, c.mu_hat)),
               C + T(2) * speder_objective(c, phi, c.mu_hat), C};
     }},
    {.id = "speder-objective-is-svd-dual",
     .source = "eq:speder-objective and eq:svd_dual (l.303)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "the same φ, μ', p",
     .statement = "value of eq:svd_dual = −2 · value of eq:speder-objective",
     .shape = Shape::kObjective,
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const T power = trace(weighted_gram(c, c.mu_hat)) / T(c.d);
       const T dual = T(2) * transition_mean(c, c.phi_hat, reparameterised(c, c.mu_hat)) - power;
       return {dual, T(-2) * speder_objective(c, c.phi_hat, c.mu_hat), power};
     }},
    {.id = "constraint-keeps-features-short",
     .source = "eq:speder-objective constraint (l.300) against eq:normalization_condition (l.177)",
     .kind = Kind::kDefinition,
     .premises = "E_{ρ₀}[φφᵀ] = I/d, ρ₀(s,a) > 0",
     .statement = "features that satisfy the constraint satisfy ‖φ(s,a)‖₂ ≤ 1",
     .shape = Shape::kObjective,
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> phi = whitened(c, c.phi_hat);
       if (phi.empty()) return undefined<T>();
       const Column<T> length = lengths(phi);
       Worst<T> worst;
       for (int i = 0; i < phi.rows(); ++i) {
         if (surely_less(T(0), c.weights(i))) worst.add(length(i), T(1));
       }
       return worst.sides();
     },
     .corrected_by = "constraint-keeps-features-short-corrected",
     .note = "E‖φ‖² = 1, so ‖φ‖ ≤ 1 forces ‖φ‖ = 1 on the whole support: the constraint and the "
             "normalisation condition meet only in features of length exactly one",
     .derived = true},
    {.id = "constraint-keeps-features-short-corrected",
     .source = "eq:speder-objective constraint (l.300)",
     .kind = Kind::kDefinition,
     .premises = "E_{ρ₀}[φφᵀ] = I/d",
     .statement = "‖φ(s,a)‖₂² ≤ 1/(d ρ₀(s,a))",
     .shape = Shape::kObjective,
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> phi = whitened(c, c.phi_hat);
       if (phi.empty()) return undefined<T>();
       const Column<T> length = lengths(phi);
       Worst<T> worst;
       for (int i = 0; i < phi.rows(); ++i) {
         worst.add(T(c.d) * c.weights(i) * square(length(i)), T(1));
       }
       return worst.sides();
     },
     .twin = Twin::kCorrection},
    {.id = "orthonormality-penalty",
     .source = "Implementation Details, λ_ortho term (l.594)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "the double sum runs over all pairs of D (here with weights ρ₀)",
     .statement =
         "∑_{x,x'} w(x)w(x') ∑_{jk}(φ_jφ_k(x) − δ_jk/d)(φ_jφ_k(x') − δ_jk/d) = ‖E[φφᵀ] − I/d‖_F²",
     .shape = Shape::kObjective,
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const auto term = [&](int x, int j, int k) -> T {
         return c.phi_hat(x, j) * c.phi_hat(x, k) - (j == k ? fraction<T>(1, c.d) : T(0));
       };
       T pairs = T(0);
       for (int x = 0; x < c.phi_hat.rows(); ++x) {
         for (int y = 0; y < c.phi_hat.rows(); ++y) {
           T product = T(0);
           for (int jk = 0; jk < c.d * c.d; ++jk) {
             product = product + term(x, jk / c.d, jk % c.d) * term(y, jk / c.d, jk % c.d);
           }
           pairs = pairs + c.weights(x) * c.weights(y) * product;
         }
       }
       const Table<T> gap =
           covariance(c.phi_hat, c.weights, T(1), T(0)) - identity<T>(c.d, fraction<T>(1, c.d));
       return {pairs, dot(gap, gap), T(c.d)};
     }},
    {.id = "normalisation-regulariser",
     .source = "eq:speder-normalization-regularizer (l.343–347)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "∫φᵀμ'p = 1 (a kernel, with μ' = μ/p, p > 0)",
     .statement = "E[(log ∫φ(s,a)ᵀμ'(s')p(s')ds')²] = 0",
     .shape = Shape::kMdp,
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> P = kernel(c, c.phi, c.mu);
       T total = T(0);
       for (int i = 0; i < P.rows(); ++i) {
         T mass = T(0);
         for (int s = 0; s < c.S; ++s) mass = mass + P(i, s);
         total = total + c.weights(i) * square(log(mass));
       }
       return {total, T(0), T(1)};
     },
     .note = "undefined when a candidate integrates to zero or less, which the objective allows"},
    {.id = "regulariser-nonnegative",
     .source =
         "eq:speder-normalization-regularizer (l.343–347), 'a valid transition kernel' (l.419)",
     .kind = Kind::kBound,
     .premises =
         "features (φ, φ̂), (2μ, −μ̂) of two kernels: ∫ = 1 for every (s,a), so the regulariser is 0",
     .statement = "a model with regulariser 0 is non-negative: −min_{s,a,s'} φᵀμ ≤ 0",
     .shape = Shape::kMdp,
     .assumes = kMdpValid | kCandidate,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> P = kernel(c, c.phi, c.mu), P_hat = kernel(c, c.phi_hat, c.mu_hat);
       T least = T(0);
       for (int i = 0; i < P.rows(); ++i) {
         for (int s = 0; s < c.S; ++s) least = min(least, T(2) * P(i, s) - P_hat(i, s));
       }
       return {T(0) - least, T(0)};
     },
     .corrected_by = "normalisation-regulariser",
     .note =
         "the regulariser controls the integral of each row, not its sign; planning needs both"},
    {.id = "softmax-policy",
     .source = "eq:pi_q with H(π) := ∑ π log π (l.360–362)",
     .kind = Kind::kBound,
     .premises = "any policy π, Q arbitrary",
     .statement = "E_π[Q] + H(π) ≤ E_{π_Q}[Q] + H(π_Q), π_Q ∝ exp Q, H(π) = ∑_a π(a|s) log π(a|s)",
     .shape = Shape::kFreeMeasure,
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> { return softmax_is_best(c, T(1)); },
     .corrected_by = "softmax-policy-corrected",
     .note = "the entropy has the wrong sign: as printed a deterministic policy is better"},
    {.id = "softmax-policy-corrected",
     .source = "eq:pi_q (l.360–362)",
     .kind = Kind::kBound,
     .premises = "any policy π, Q arbitrary",
     .statement = "E_π[Q] + H(π) ≤ E_{π_Q}[Q] + H(π_Q), H(π) = −∑_a π(a|s) log π(a|s)",
     .shape = Shape::kFreeMeasure,
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> { return softmax_is_best(c, T(-1)); },
     .twin = Twin::kCorrection},
};

}  // namespace

std::span<const Entry> constraint_claims() { return kConstraintClaims; }

}  // namespace speder::audit

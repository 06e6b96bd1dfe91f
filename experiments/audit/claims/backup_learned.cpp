#include "speder/experiments/audit/entry.hpp"
#include "speder/experiments/audit/objects/online.hpp"

// lem:backup_learned and every step of its proof. B∞, B₂ and ζ are as small as the premises allow.

namespace speder::audit {
namespace {

// ∫ μ̂(s) π(a|s) g(s,a) ∈ R^d
template <class T>
Column<T> direction(const Case<T>& c, const Column<T>& g) {
  return integrate(c, c.mu_hat, average(c.pi, g));
}
// E_{ρ_n × U}[(∫ K π g)²] for a kernel or a difference of kernels
template <class T>
T projected_square(const Case<T>& c, const Online<T>& o, const Table<T>& K, const Column<T>& g) {
  return dot(o.rho_uniform, squares(K * average(c.pi, g)));
}
template <class T>
Sides<T> learned_sides(const Case<T>& c, const Column<T>& g,
                       T (*right)(const bounds::BackupInputs<T>&)) {
  const Online<T> o = online(c);
  bounds::BackupInputs<T> in = learned_inputs(c, o, g);
  const Column<T> d_hat = with_policy(occupancy(o.P_hat, c.pi, c.rho, c.gamma), c.pi);
  return {abs(dot(d_hat, g)), right(in)};
}

const Entry kBackupLearnedClaims[] = {
    {.id = "backup-learned",
     .source = "lem:backup_learned (l.797–800)",
     .kind = Kind::kBound,
     .premises = "‖g‖∞ ≤ B∞, ‖∫_A g(·,a)da‖₂ ≤ B₂, both model errors ≤ ζ_n",
     .statement = "|E_{d̂^π}g| ≤ √((1−γ)|A|E_{ρ_n,U}g²) + γ√(n|A|E_{ρ'_n,U}g² + B₂²nζ + λB∞²d) · "
                  "E_{d̂^π}‖φ̂‖_{Σ⁻¹}",
     .shape = Shape::kDetour,
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return learned_sides(c, c.g, bounds::backup_learned_printed<T>);
     },
     .corrected_by = "backup-learned-corrected",
     .note =
         "fails twice: a g of both signs has B₂ = 0 by cancellation, and for g ≥ 0 the factor 2 of "
         "(x+y)² ≤ 2x²+2y² is missing (backup-learned-nonnegative)",
     .misprint = "backup-factor-two"},
    {.id = "backup-learned-nonnegative",
     .source = "lem:backup_learned (l.797–800), g ≥ 0",
     .kind = Kind::kBound,
     .premises = "the same and g ≥ 0",
     .statement = "|E_{d̂^π}g| ≤ √((1−γ)|A|E_{ρ_n,U}g²) + γ√(n|A|E_{ρ'_n,U}g² + B₂²nζ + λB∞²d) · "
                  "E_{d̂^π}‖φ̂‖_{Σ⁻¹}",
     .shape = Shape::kDetour,
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return learned_sides(c, magnitudes(c.g), bounds::backup_learned_printed<T>);
     },
     .corrected_by = "backup-learned-corrected",
     .note = "the factor 2 of the proof (l.825) is lost in the statement",
     .misprint = "backup-factor-two"},
    {.id = "backup-learned-corrected",
     .source = "lem:backup_learned (l.797–800)",
     .kind = Kind::kBound,
     .premises = "‖g‖∞ ≤ B∞, ‖∫_A |g(·,a)|da‖₂ ≤ B₂, both model errors ≤ ζ_n",
     .statement = "|E_{d̂^π}g| ≤ √((1−γ)|A|E_{ρ_n,U}g²) + γ√(2n|A|E_{ρ'_n,U}g² + 2B₂²nζ + λB∞²d) · "
                  "E_{d̂^π}‖φ̂‖_{Σ⁻¹}",
     .shape = Shape::kDetour,
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Online<T> o = online(c);
       bounds::BackupInputs<T> in = learned_inputs(c, o, magnitudes(c.g));
       const Column<T> d_hat = with_policy(occupancy(o.P_hat, c.pi, c.rho, c.gamma), c.pi);
       return {abs(dot(d_hat, c.g)), bounds::backup_learned(in)};
     },
     .twin = Twin::kCorrection},
    {.id = "backup-flow",
     .source = "lem:backup_learned, proof, first display (l.805)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "P̂ a kernel",
     .statement = "E_{d̂^π}g = γE_{(s̃,ã)~d̂^π, s~P̂, a~π}g + (1−γ)E_{ρ,π}g",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> P_hat = kernel(c, c.phi_hat, c.mu_hat);
       const Column<T> d = with_policy(occupancy(P_hat, c.pi, c.rho, c.gamma), c.pi);
       const Column<T> g = average(c.pi, c.g);
       return {dot(d, c.g), c.gamma * dot(push(P_hat, d), g) + (T(1) - c.gamma) * dot(c.rho, g),
               max_abs(c.g)};
     }},
    {.id = "backup-initial-term",
     .source = "lem:backup_learned, proof (l.810–813)",
     .kind = Kind::kBound,
     .premises = "ρ_n = mean of d^{π_i}_P",
     .statement = "(1−γ)E_{ρ,π}g ≤ √((1−γ)|A|E_{ρ_n,U}g²)",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Online<T> o = online(c);
       return {(T(1) - c.gamma) * abs(dot(c.rho, average(c.pi, c.g))),
               sqrt((T(1) - c.gamma) * T(c.A) * dot(o.rho_uniform, squares(c.g)))};
     }},
    {.id = "backup-cauchy-schwarz",
     .source = "lem:backup_learned, proof (l.818–819)",
     .kind = Kind::kBound,
     .premises = "Σ = Σ_{ρ_n×U,φ̂} positive definite",
     .statement = "E_{d̂^π} φ̂ᵀ∫μ̂πg ≤ E_{d̂^π}‖φ̂‖_{Σ⁻¹} ‖∫μ̂πg‖_Σ",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Online<T> o = online(c);
       const Column<T> d = with_policy(occupancy(o.P_hat, c.pi, c.rho, c.gamma), c.pi);
       const Table<T> Sigma = covariance(c.phi_hat, o.rho_uniform, o.n, c.lambda);
       const Column<T> v = direction(c, c.g);
       return {abs(dot(d, c.phi_hat * v)),
               dot(d, roots(squared_norms(c.phi_hat, Sigma))) * sqrt(max(dot(v, Sigma * v), T(0)))};
     }},
    {.id = "backup-covariance-norm",
     .source = "lem:backup_learned, proof (l.823–824)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "Σ = nE_{ρ_n,U}[φ̂φ̂ᵀ] + λI",
     .statement = "‖∫μ̂πg‖²_Σ = nE_{ρ_n,U}(∫P̂πg)² + λ‖∫μ̂πg‖²",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Online<T> o = online(c);
       const Column<T> v = direction(c, c.g);
       return {dot(v, covariance(c.phi_hat, o.rho_uniform, o.n, c.lambda) * v),
               o.n * projected_square(c, o, o.P_hat, c.g) + c.lambda * dot(v, v), o.n};
     }},
    {.id = "backup-covariance-split",
     .source = "lem:backup_learned, proof (l.825–826)",
     .kind = Kind::kBound,
     .premises = "‖∫μ̂h‖ ≤ √d for |h| ≤ 1, ‖g‖∞ ≤ B∞",
     .statement = "nE(∫P̂πg)² + λ‖∫μ̂πg‖² ≤ 2nE(∫Pπg)² + 2nE(∫(P̂−P)πg)² + λB∞²d",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Online<T> o = online(c);
       const Column<T> v = direction(c, c.g);
       const T two_n = T(2) * o.n;
       return {o.n * projected_square(c, o, o.P_hat, c.g) + c.lambda * dot(v, v),
               two_n * projected_square(c, o, o.P, c.g) +
                   two_n * projected_square(c, o, o.P_hat - o.P, c.g) +
                   c.lambda * square(max_abs(c.g)) * T(c.d)};
     }},
    {.id = "backup-jensen",
     .source = "lem:backup_learned, proof (l.830–833)",
     .kind = Kind::kBound,
     .premises = "ρ'_n the law of s' for (s,a) ~ ρ_n × U",
     .statement = "E_{ρ_n,U}(∫Pπg)² ≤ |A|E_{ρ'_n,U}g²",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Online<T> o = online(c);
       return {projected_square(c, o, o.P, c.g), T(c.A) * dot(o.next_uniform, squares(c.g))};
     }},
    {.id = "backup-model-error",
     .source = "lem:backup_learned, proof (l.837–838)",
     .kind = Kind::kBound,
     .premises = "Cauchy–Schwarz in L₂(ν)",
     .statement = "E_{ρ_n,U}(∫(P̂−P)πg)² ≤ E_{ρ_n,U}[‖P̂−P‖₂² ‖∫πg‖₂²]",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Online<T> o = online(c);
       return {projected_square(c, o, o.P_hat - o.P, c.g),
               dot(o.rho_uniform, squared_error(c, o.P, o.P_hat)) *
                   l2_squared(average(c.pi, c.g), c.nu)};
     }},
    {.id = "backup-drop-policy",
     .source = "lem:backup_learned, proof (l.839); also l.1124",
     .kind = Kind::kBound,
     .premises = "g : S×A → R",
     .statement = "‖∫_A π(a|·)g(·,a)da‖₂² ≤ ‖∫_A g(·,a)da‖₂²",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {l2_squared(average(c.pi, c.g), c.nu), l2_squared(action_sum(c, c.g), c.nu)};
     },
     .corrected_by = "backup-drop-policy-with-premise",
     .note = "values of opposite sign cancel on the right, not on the left"},
    {.id = "backup-drop-policy-with-premise",
     .source = "lem:backup_learned, proof (l.839); also l.1124",
     .kind = Kind::kBound,
     .premises = "g ≥ 0 (true of every g the paper uses)",
     .statement = "‖∫_A π(a|·)g(·,a)da‖₂² ≤ ‖∫_A g(·,a)da‖₂²",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Column<T> g = magnitudes(c.g);
       return {l2_squared(average(c.pi, g), c.nu), l2_squared(action_sum(c, g), c.nu)};
     },
     .twin = Twin::kPremise},
};

}  // namespace

std::span<const Entry> backup_learned_claims() { return kBackupLearnedClaims; }

}  // namespace speder::audit

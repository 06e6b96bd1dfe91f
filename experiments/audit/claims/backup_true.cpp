#include "speder/experiments/audit/entry.hpp"
#include "speder/experiments/audit/objects/online.hpp"

// lem:backup_true and its proof. π_n is the last past policy, so it is part of ρ_n.

namespace speder::audit {
namespace {

template <class T>
Table<T> last_policy(const Case<T>& c) {
  return past_policy(c, c.H - 1);
}
// E_{(s̃,ã)~ρ_n, s~P, a~π_n} g²
template <class T>
T next_square(const Case<T>& c, const Online<T>& o) {
  return dot(push(o.P, o.rho_pairs), average(last_policy(c), squares(c.g)));
}

const Entry kBackupTrueClaims[] = {
    {.id = "backup-true",
     .source = "lem:backup_true (l.913–916)",
     .kind = Kind::kBound,
     .premises = "‖g‖∞ ≤ B∞; ρ_n includes π_n; Σ = Σ_{ρ_n,φ*}",
     .statement = "|E_{d^{π_n}}g| ≤ √((1−γ)|A|E_{ρ_n,U}g²) + √(nγ|A|E_{ρ_n,U}g² + λγ²B∞²d) · "
                  "E_{d^{π_n}}‖φ*‖_{Σ⁻¹}",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Online<T> o = online(c);
       const Table<T> pi = last_policy(c);
       const Column<T> d = with_policy(occupancy(o.P, pi, c.rho, c.gamma), pi);
       return {abs(dot(d, c.g)), bounds::backup_true(true_inputs(c, o, c.g))};
     },
     .note = "the lemma holds although one line of its proof does not (backup-true-step-back)"},
    {.id = "backup-true-covariance",
     .source = "lem:backup_true, proof (l.939–941)",
     .kind = Kind::kBound,
     .premises = "‖∫μ*h‖ ≤ √d for |h| ≤ 1",
     .statement = "‖∫μ*πg‖²_Σ ≤ nE_{ρ_n, s~P, a~π}g² + λB∞²d",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Online<T> o = online(c);
       const Column<T> v = integrate(c, c.mu, average(last_policy(c), c.g));
       return {dot(v, covariance(c.phi, o.rho_pairs, o.n, c.lambda) * v),
               o.n * next_square(c, o) + c.lambda * square(max_abs(c.g)) * T(c.d)};
     }},
    {.id = "backup-true-step-back",
     .source = "lem:backup_true, proof (l.946–947)",
     .kind = Kind::kBound,
     .premises = "(s̃,ã) ~ ρ_n, s ~ P*(·|s̃,ã), a ~ π(·|s)",
     .statement = "(1/γ)E_{(s̃,ã)~ρ_n, s~P*, a~π}g² ≤ (|A|/γ)E_{s~ρ_n,a~U}g²",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Online<T> o = online(c);
       return {next_square(c, o) / c.gamma, T(c.A) / c.gamma * dot(o.rho_uniform, squares(c.g))};
     },
     .corrected_by = "backup-true-step-back-corrected",
     .note = "going back to ρ_n costs 1/γ itself; the printed middle line has already spent it"},
    {.id = "backup-true-step-back-corrected",
     .source = "lem:backup_true, proof (l.945–947)",
     .kind = Kind::kBound,
     .premises = "the same",
     .statement = "E_{(s̃,ã)~ρ_n, s~P*, a~π}g² ≤ (1/γ)E_{s~ρ_n, a~π}g² ≤ (|A|/γ)E_{s~ρ_n,a~U}g²",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Online<T> o = online(c);
       const T middle = dot(o.rho_n, average(last_policy(c), squares(c.g))) / c.gamma;
       Worst<T> worst;
       worst.add(next_square(c, o), middle);
       worst.add(middle, T(c.A) / c.gamma * dot(o.rho_uniform, squares(c.g)));
       return worst.sides();
     },
     .twin = Twin::kCorrection},
};

}  // namespace

std::span<const Entry> backup_true_claims() { return kBackupTrueClaims; }

}  // namespace speder::audit

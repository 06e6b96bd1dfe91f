#include "speder/experiments/audit/entry.hpp"
#include "speder/experiments/audit/objects/offline.hpp"

// Appendix "PAC bounds for Offline Reinforcement Learning": ω and the one-step-back inequalities.

namespace speder::audit {
namespace {

// π(a|s)/π_b(a|s) ≤ ω for every policy: what every use of ω needs
template <class T>
Sides<T> change_of_policy(const Case<T>& c, const T& omega) {
  Worst<T> worst;
  for (int i = 0; i < c.pi.size(); ++i) worst.add(c.pi(i) / c.behaviour(i), omega);
  return worst.sides();
}
template <class T>
Sides<T> learned_sides(const Case<T>& c, bool discounted,
                       T (*right)(const bounds::BackupInputs<T>&)) {
  const Offline<T> o = offline(c, discounted);
  if (!o.unique) return undefined<T>();
  const Column<T> g = magnitudes(c.g);
  return {occupancy_mean(c, o.P_hat, g), right(offline_inputs(c, o, g, true))};
}

const Entry kOfflineBackupClaims[] = {
    {.id = "omega-main-text",
     .source = "offline theorem of the main text (l.431)",
     .kind = Kind::kDefinition,
     .premises = "ω = min_{s,a} 1/π_b(a|s)",
     .statement = "π(a|s)/π_b(a|s) ≤ ω for every policy π (what the proofs use)",
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return change_of_policy(c, omega_min_inverse(c));
     },
     .corrected_by = "omega",
     .note = "three different ω: min 1/π_b (l.431), max 1/π_b (l.1080), max π_b (l.1130, l.1159)"},
    {.id = "omega-pessimism",
     .source = "lem:pessimism (l.1130), lem:backup_true_offline (l.1159)",
     .kind = Kind::kDefinition,
     .premises = "ω = max_{s,a} π_b(a|s)",
     .statement = "π(a|s)/π_b(a|s) ≤ ω for every policy π (what the proofs use)",
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return change_of_policy(c, max_abs(c.behaviour));
     },
     .corrected_by = "omega"},
    {.id = "omega",
     .source = "lem:backup_learned_offline (l.1080)",
     .kind = Kind::kDefinition,
     .premises = "ω = max_{s,a} 1/π_b(a|s)",
     .statement = "π(a|s)/π_b(a|s) ≤ ω for every policy π (what the proofs use)",
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return change_of_policy(c, omega_max_inverse(c));
     },
     .twin = Twin::kCorrection},
    {.id = "offline-backup-learned",
     .source = "lem:backup_learned_offline (l.1084–1086)",
     .kind = Kind::kBound,
     .premises = "ρ_b the stationary law of π_b (Algorithm 2), ω = max 1/π_b, g ≥ 0",
     .statement =
         "|E_{d̂^π}g| ≤ √((1−γ)ωE_{ρ_b}g²) + γ√(nωE_{ρ_b}g² + B₂²nζ + λB∞²d) · E_{d̂^π}‖φ̂‖_{Σ⁻¹}",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return learned_sides(c, false, bounds::backup_learned_printed<T>);
     },
     .corrected_by = "offline-backup-learned-corrected",
     .note = "the stationary law need not cover the initial distribution; and the factors 2 and "
             "1/γ are lost"},
    {.id = "offline-backup-learned-discounted",
     .source = "lem:backup_learned_offline (l.1084–1086)",
     .kind = Kind::kBound,
     .premises = "the same with ρ_b = d^{π_b}",
     .statement =
         "|E_{d̂^π}g| ≤ √((1−γ)ωE_{ρ_b}g²) + γ√(nωE_{ρ_b}g² + B₂²nζ + λB∞²d) · E_{d̂^π}‖φ̂‖_{Σ⁻¹}",
     .shape = Shape::kDetour,
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return learned_sides(c, true, bounds::backup_learned_printed<T>);
     },
     .corrected_by = "offline-backup-learned-corrected",
     .note = "the step back to ρ_b costs ω/γ (l.1118), which the statement prints as ω",
     .misprint = "offline-backup-factors"},
    {.id = "offline-backup-learned-corrected",
     .source = "lem:backup_learned_offline (l.1084–1086)",
     .kind = Kind::kBound,
     .premises = "ρ_b = d^{π_b}, ω = max 1/π_b, g ≥ 0",
     .statement = "|E_{d̂^π}g| ≤ √((1−γ)ωE_{ρ_b}g²) + γ√(2n(ω/γ)E_{ρ_b}g² + 2B₂²nζ + λB∞²d) · "
                  "E_{d̂^π}‖φ̂‖_{Σ⁻¹}",
     .shape = Shape::kDetour,
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return learned_sides(c, true, bounds::backup_learned_offline<T>);
     },
     .twin = Twin::kCorrection},
    {.id = "offline-importance-ratio",
     .source = "lem:backup_learned_offline, proof (l.1098)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "ρ_b = d^{π_b}, restricted to ρ_b(s) > 0",
     .statement = "E_{ρ,π}g² = E_{ρ_b,π_b}[ρ(s)π(a|s)/(ρ_b(s)π(a|s)) g²]",
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {dot(c.rho, average(c.pi, squares(c.g))),
               dot(c.rho, average(c.behaviour, squares(c.g)))};
     },
     .corrected_by = "offline-importance-ratio-corrected",
     .note = "π/π cancels; the ratio is π/π_b"},
    {.id = "offline-importance-ratio-corrected",
     .source = "lem:backup_learned_offline, proof (l.1098)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "ρ_b = d^{π_b}",
     .statement = "E_{ρ,π}g² = E_{ρ_b,π_b}[ρ(s)π(a|s)/(ρ_b(s)π_b(a|s)) g²]",
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Offline<T> o = offline(c, true);
       T right = T(0);
       for (int i = 0; i < c.S * c.A; ++i) {
         const int s = i / c.A;
         if (surely_zero(c.rho(s))) continue;
         right = right + o.pairs(i) * (c.rho(s) * c.pi(i)) / (o.states(s) * c.behaviour(i)) *
                             square(c.g(i));
       }
       return {dot(c.rho, average(c.pi, squares(c.g))), right};
     },
     .twin = Twin::kCorrection},
    {.id = "offline-initial-term",
     .source = "lem:backup_learned_offline, proof (l.1096–1099)",
     .kind = Kind::kBound,
     .premises = "ρ_b the stationary law of π_b (Algorithm 2)",
     .statement = "(1−γ)E_{ρ,π}g ≤ √(ω(1−γ)|A|E_{ρ_b}g²)",
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Offline<T> o = offline(c, false);
       if (!o.unique) return undefined<T>();
       return {(T(1) - c.gamma) * dot(c.rho, average(c.pi, magnitudes(c.g))),
               sqrt(o.omega * (T(1) - c.gamma) * T(c.A) * dot(o.pairs, squares(c.g)))};
     },
     .corrected_by = "offline-initial-term-with-premise",
     .note = "needs ρ_b ≥ (1−γ)ρ; and the printed |A| is not in the lemma"},
    {.id = "offline-initial-term-with-premise",
     .source = "lem:backup_learned_offline, proof (l.1096–1099)",
     .kind = Kind::kBound,
     .premises = "ρ_b = d^{π_b}",
     .statement = "(1−γ)E_{ρ,π}g ≤ √(ω(1−γ)E_{ρ_b}g²) (without |A|)",
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Offline<T> o = offline(c, true);
       return {(T(1) - c.gamma) * dot(c.rho, average(c.pi, magnitudes(c.g))),
               sqrt(o.omega * (T(1) - c.gamma) * dot(o.pairs, squares(c.g)))};
     },
     .twin = Twin::kPremise},
    {.id = "offline-covariance-split",
     .source = "lem:backup_learned_offline, proof (l.1109–1112)",
     .kind = Kind::kBound,
     .premises = "‖∫μ̂h‖ ≤ √d for |h| ≤ 1",
     .statement = "‖∫μ̂πg‖²_Σ ≤ 2nE_{ρ_b}(∫Pπg)² + 2nE_{ρ_b}(∫(P̂−P)πg)² + λB∞²d",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Offline<T> o = offline(c, true);
       const Column<T> h = average(c.pi, c.g);
       const Column<T> v = integrate(c, c.mu_hat, h);
       const T two_n = T(2) * o.n;
       return {dot(v, covariance(c.phi_hat, o.pairs, o.n, c.lambda) * v),
               two_n * dot(o.pairs, squares(o.P * h)) +
                   two_n * dot(o.pairs, squares((o.P_hat - o.P) * h)) +
                   c.lambda * square(max_abs(c.g)) * T(c.d)};
     }},
    {.id = "offline-step-back",
     .source = "lem:backup_learned_offline, proof (l.1116–1118)",
     .kind = Kind::kBound,
     .premises = "ρ_b = d^{π_b} or stationary",
     .statement = "E_{ρ_b}(∫Pπg)² ≤ (ω/γ)E_{ρ_b}g²",
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       Worst<T> worst;
       for (const bool discounted : {true, false}) {
         const Offline<T> o = offline(c, discounted);
         if (!o.unique) continue;
         worst.add(dot(o.pairs, squares(o.P * average(c.pi, c.g))),
                   o.omega / c.gamma * dot(o.pairs, squares(c.g)));
       }
       return worst.sides();
     }},
    {.id = "offline-backup-true",
     .source = "lem:backup_true_offline (l.1159–1163)",
     .kind = Kind::kBound,
     .premises = "ω = max π_b as printed, ρ_b = d^{π_b}",
     .statement = "|E_{d^π}g| ≤ √((1−γ)ωE_{ρ_b}g²) + √(nγωE_{ρ_b}g² + λγ²B∞²d) · E_{d^π}‖φ*‖_{Σ⁻¹}",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Offline<T> o = offline(c, true);
       bounds::BackupInputs<T> in = offline_inputs(c, o, c.g, false);
       in.spread = max_abs(c.behaviour);
       return {abs(occupancy_mean(c, o.P, c.g)), bounds::backup_true(in)};
     },
     .corrected_by = "offline-backup-true-corrected",
     .note = "with ω = max π_b ≤ 1 the bound is far too small",
     .misprint = "omega-pessimism"},
    {.id = "offline-backup-true-corrected",
     .source = "lem:backup_true_offline (l.1159–1163)",
     .kind = Kind::kBound,
     .premises = "ω = max 1/π_b, ρ_b = d^{π_b}",
     .statement = "|E_{d^π}g| ≤ √((1−γ)ωE_{ρ_b}g²) + √(nγωE_{ρ_b}g² + λγ²B∞²d) · E_{d^π}‖φ*‖_{Σ⁻¹}",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Offline<T> o = offline(c, true);
       return {abs(occupancy_mean(c, o.P, c.g)),
               bounds::backup_true(offline_inputs(c, o, c.g, false))};
     },
     .twin = Twin::kCorrection},
};

}  // namespace

std::span<const Entry> offline_backup_claims() { return kOfflineBackupClaims; }

}  // namespace speder::audit

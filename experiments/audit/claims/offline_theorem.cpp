#include "speder/experiments/audit/entry.hpp"
#include "speder/experiments/audit/objects/memory.hpp"
#include "speder/experiments/audit/objects/offline.hpp"
#include "speder/oracle/bounds/pac.hpp"

// thm:pac_offline: coverage, the statement against its proof, history-dependent policies.
// ρ_b = d^{π_b}.

namespace speder::audit {
namespace {

template <class T>
bounds::RateInputs<T> rates(const Case<T>& c) {
  return {T(c.d), T(c.A), c.gamma, whole<T>(c.m), T(c.F), c.delta};
}
// The product of the proof's displays: (1/(1−γ)) √(d³ω²nζ/(1−γ)⁴) √(C*d/n), nζ = log(|F|/δ)
template <class T>
T proof_product(const Case<T>& c, const T& omega, const T& coverage) {
  const T h = T(1) / (T(1) - c.gamma);
  const T n_zeta = log(T(c.F) / c.delta);
  return h * sqrt(power(T(c.d), 3) * square(omega) * n_zeta * power(h, 4)) *
         sqrt(coverage * T(c.d) / whole<T>(c.m));
}

const Entry kTheorem[] = {
    {.id = "coverage-jensen",
     .source = "thm:pac_offline, proof (l.1199)",
     .kind = Kind::kBound,
     .premises = "Jensen",
     .statement = "E_{d^π}‖φ*‖_{Σ⁻¹} ≤ √(E_{d^π}‖φ*‖²_{Σ⁻¹})",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Offline<T> o = offline(c, true);
       const Column<T> norms = squared_norms(c.phi, true_covariance(c, o));
       return {occupancy_mean(c, o.P, roots(norms)), sqrt(occupancy_mean(c, o.P, norms))};
     }},
    {.id = "coverage-change",
     .source = "thm:pac_offline, proof (l.1200), first ≤",
     .kind = Kind::kBound,
     .premises = "π = π_b, so C* = 1",
     .statement = "E_{d^π}‖φ*‖²_{Σ⁻¹} ≤ C* E_{ρ_b}‖φ*‖_{Σ⁻¹} (no square on the right)",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Offline<T> o = offline(c, true);
       const Column<T> norms = squared_norms(c.phi, true_covariance(c, o));
       return {dot(o.pairs, norms), dot(o.pairs, roots(norms))};
     },
     .corrected_by = "coverage-chain-corrected",
     .note = "the square is missing on the right; the line fails when λ < 1",
     .misprint = "coverage-square"},
    {.id = "coverage-d-over-n",
     .source = "thm:pac_offline, proof (l.1200), second ≤",
     .kind = Kind::kBound,
     .premises = "as printed, without the square",
     .statement = "C* E_{ρ_b}‖φ*‖_{Σ⁻¹} ≤ C* d/n",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Offline<T> o = offline(c, true);
       return {dot(o.pairs, roots(squared_norms(c.phi, true_covariance(c, o)))), T(c.d) / o.n};
     },
     .corrected_by = "coverage-chain-corrected",
     .note = "without the square the left side is of order √(d/n)",
     .misprint = "coverage-square"},
    {.id = "coverage-chain-corrected",
     .source = "thm:pac_offline, proof (l.1199–1200)",
     .kind = Kind::kBound,
     .premises =
         "C* = any number with E_{d^π}[φ*φ*ᵀ] ⪯ C* E_{ρ_b}[φ*φ*ᵀ] (here max d^π/ρ_b over pairs)",
     .statement = "E_{d^π}‖φ*‖²_{Σ⁻¹} ≤ C* E_{ρ_b}‖φ*‖²_{Σ⁻¹} ≤ C* d/n",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Offline<T> o = offline(c, true);
       const Column<T> d = with_policy(occupancy(o.P, c.pi, c.rho, c.gamma), c.pi);
       T coverage = T(0);
       constexpr double kUnseen = 1e-9;
       for (int i = 0; i < d.size(); ++i) {
         if (to_double(o.pairs(i)) > kUnseen)
           coverage = max(coverage, d(i) / o.pairs(i));
         else if (to_double(d(i)) > kUnseen)
           return undefined<T>();
       }
       const Column<T> norms = squared_norms(c.phi, true_covariance(c, o));
       Worst<T> worst;
       worst.add(dot(d, norms), coverage * dot(o.pairs, norms));
       worst.add(coverage * dot(o.pairs, norms), coverage * T(c.d) / o.n);
       return worst.sides();
     },
     .twin = Twin::kCorrection},
    {.id = "offline-theorem",
     .source = "thm:pac_offline (l.434, l.1172)",
     .kind = Kind::kBound,
     .relation = Relation::kTrivial,
     .premises = "ω, C* ≥ 1, log(|F|/δ) ≥ 1; hidden constant 1",
     .statement = "V^π − V^π̂ ≤ √(ω²d⁴C* log(|F|/δ)/(1−γ)⁶), against 1/(1−γ), the largest gap",
     .shape = Shape::kRates,
     .assumes = kRatesValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       if (to_double(log(T(c.F) / c.delta)) < 1) return undefined<T>();
       return {T(1) / (T(1) - c.gamma), bounds::offline_gap_printed(rates(c), T(c.A), c.bound)};
     },
     .corrected_by = "offline-theorem-corrected",
     .note = "n is missing: as printed the theorem is true of every policy whatever the data"},
    {.id = "offline-theorem-corrected",
     .source = "thm:pac_offline (l.434, l.1172)",
     .kind = Kind::kRate,
     .relation = Relation::kEqual,
     .premises =
         "nζ_n = log(|F|/δ); leading displays multiplied: (1/(1−γ)) √(d³ω²nζ/(1−γ)⁴) √(C*d/n)",
     .statement = "product of the displays = √(ω²d⁴C* log(|F|/δ)/(n(1−γ)⁶))",
     .shape = Shape::kRates,
     .assumes = kRatesValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const T omega = T(c.A);
       return {proof_product(c, omega, c.bound), bounds::offline_gap(rates(c), omega, c.bound)};
     },
     .twin = Twin::kCorrection},
    {.id = "history-dependent-policies",
     .source = "thm:pac_offline, 'including history-dependent policies' (l.431, l.1170)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "π has a memory k: it plays π_k, then k moves by the time, or by all pairs (s,a) "
                 "seen so far; π̄(a|s) = d^π(s,a)/d^π(s)",
     .statement = "the Markov policy π̄ has the same value: V^{π̄} = V^π",
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       Worst<T> worst;
       for (const bool by_pairs : {false, true}) {
         const Sides<T> sides = with_memory(c, by_pairs);
         worst.equal(sides.left, sides.right);
       }
       return worst.sides();
     }},
};

}  // namespace

std::span<const Entry> offline_theorem_claims() { return kTheorem; }

}  // namespace speder::audit

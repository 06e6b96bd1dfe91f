#include "speder/core/tolerance.hpp"
#include "speder/experiments/audit/entry.hpp"
#include "speder/experiments/audit/objects/online.hpp"
#include "speder/oracle/bounds/value_norm.hpp"

// Section "Preliminaries": MDPs and the low-rank structure.

namespace speder::audit {
namespace {

constexpr unsigned kMdpOnly = kMdpValid | kLowRank;

const Entry kPreliminariesClaims[] = {
    {.id = "value-is-a-number",
     .source = "sec:prelim, definition of V^π_{P,r} (l.158)",
     .kind = Kind::kDefinition,
     .relation = Relation::kEqual,
     .premises = "an MDP, a policy",
     .statement = "V^π_{P,r} := E_{s₀~ρ,π}[∑γⁱr(sᵢ,aᵢ) | s₀] is one number: V^π(s₀) = V^π(ρ) for "
                  "every s₀ with ρ(s₀) > 0",
     .assumes = kMdpOnly,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Column<T> V = value(kernel(c, c.phi, c.mu), reward(c), c.pi, c.gamma);
       Worst<T> worst;
       for (int s = 0; s < c.S; ++s) {
         if (surely_less(T(0), c.rho(s))) worst.equal(V(s), dot(c.rho, V));
       }
       return worst.sides();
     },
     .corrected_by = "value-is-a-number-corrected",
     .note =
         "conditioning on s₀ leaves a random variable; later uses (l.747 and all bounds) mean the "
         "unconditional expectation"},
    {.id = "value-is-a-number-corrected",
     .source = "sec:prelim (l.158)",
     .kind = Kind::kDefinition,
     .relation = Relation::kEqual,
     .premises = "an MDP, a policy",
     .statement = "V^π_{P,r} := E_{s₀~ρ,π}[∑γⁱr(sᵢ,aᵢ)] = ∑_s ρ(s) V^π(s) (no conditioning)",
     .assumes = kMdpOnly,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> P = kernel(c, c.phi, c.mu);
       Table<T> K = state_kernel(P, c.pi);            // (P^π)^(2^k)
       Column<T> partial = average(c.pi, reward(c));  // ∑_{t<2^k} γᵗ (P^π)ᵗ r^π
       T weight = c.gamma;                            // γ^(2^k)
       constexpr int kDoublings = 16;
       for (int k = 0; k < kDoublings && to_double(weight) > tol::kUnit; ++k) {
         partial = partial + scaled(K * partial, weight);
         K = K * K;
         weight = weight * weight;
       }
       const T total = dot(c.rho, partial);
       const T tail = weight / (T(1) - c.gamma);  // 0 ≤ rest ≤ tail
       const T exact = dot(c.rho, value(P, reward(c), c.pi, c.gamma));
       const T rest = max(T(0), min(tail, exact - total));
       return {total + rest, exact, T(1) / (T(1) - c.gamma)};
     },
     .twin = Twin::kCorrection},
    {.id = "bellman-v",
     .source = "sec:prelim, recursive relationships (l.161)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "an MDP, a policy",
     .statement = "V^π(s) = E_π[Q^π(s,a)]",
     .assumes = kMdpOnly,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> P = kernel(c, c.phi, c.mu);
       const Column<T> V = value(P, reward(c), c.pi, c.gamma);
       const Column<T> mean = average(c.pi, action_value(P, reward(c), V, c.gamma));
       Worst<T> worst;
       for (int s = 0; s < c.S; ++s) worst.equal(V(s), mean(s));
       return worst.sides();
     }},
    {.id = "bellman-q",
     .source = "sec:prelim, recursive relationships (l.161)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "an MDP, a policy",
     .statement = "Q^π(s,a) = r(s,a) + γ E_P[V^π(s')]",
     .assumes = kMdpOnly,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       // Q from its own fixed point on pairs: Q = (I − γ P Π)⁻¹ r.
       const Table<T> P = kernel(c, c.phi, c.mu);
       Table<T> step(c.S * c.A, c.S * c.A);
       for (int i = 0; i < c.S * c.A; ++i) {
         for (int j = 0; j < c.S * c.A; ++j) {
           step(i, j) = c.gamma * P(i, j / c.A) * c.pi(j / c.A, j % c.A);
         }
       }
       const Column<T> Q = solve(identity<T>(c.S * c.A) - step, reward(c));
       const Column<T> right =
           action_value(P, reward(c), value(P, reward(c), c.pi, c.gamma), c.gamma);
       Worst<T> worst;
       for (int i = 0; i < c.S * c.A; ++i) worst.equal(Q(i), right(i));
       return worst.sides();
     }},
    {.id = "visitation-is-a-distribution",
     .source = "sec:prelim, definition of d^π_P (l.163)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "an MDP, a policy",
     .statement = "∑_s d^π_P(s) = 1",
     .assumes = kMdpOnly,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {sum(occupancy(kernel(c, c.phi, c.mu), c.pi, c.rho, c.gamma)), T(1)};
     }},
    {.id = "value-sup-norm",
     .source = "used in the proof of lem:optimism (l.887)",
     .kind = Kind::kBound,
     .premises = "r ∈ [0,1]",
     .statement = "‖V^π_{P,r}‖∞ ≤ 1/(1−γ)",
     .assumes = kMdpOnly,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {max_abs(value(kernel(c, c.phi, c.mu), reward(c), c.pi, c.gamma)),
               T(1) / (T(1) - c.gamma)};
     }},
    {.id = "linear-q-first",
     .source = "eq:linear_q, first equality (l.184)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "low-rank MDP",
     .statement = "Q^π(s,a) = r(s,a) + γ∫V^π(s) P(s'|s,a) ds'",
     .assumes = kMdpOnly,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> P = kernel(c, c.phi, c.mu);
       const Column<T> V = value(P, reward(c), c.pi, c.gamma);
       const Column<T> Q = action_value(P, reward(c), V, c.gamma);
       const Column<T> r = reward(c);
       Worst<T> worst;
       for (int i = 0; i < c.S * c.A; ++i) worst.equal(Q(i), r(i) + c.gamma * V(i / c.A));
       return worst.sides();
     },
     .corrected_by = "linear-q",
     .note = "the integrand must be V^π(s')"},
    {.id = "linear-q",
     .source = "eq:linear_q (l.184), with V^π(s')",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "low-rank MDP, any policy",
     .statement = "Q^π(s,a) = ⟨φ(s,a), θ_r + γ∫V^π(s')μ(s') ds'⟩",
     .assumes = kMdpOnly,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> P = kernel(c, c.phi, c.mu);
       const Column<T> V = value(P, reward(c), c.pi, c.gamma);
       const Column<T> Q = action_value(P, reward(c), V, c.gamma);
       const Column<T> linear = c.phi * (c.theta + scaled(integrate(c, c.mu, V), c.gamma));
       Worst<T> worst;
       for (int i = 0; i < c.S * c.A; ++i) worst.equal(Q(i), linear(i));
       return worst.sides();
     },
     .twin = Twin::kCorrection},
    {.id = "weight-norm",
     .source = "lem:V_norm, proof (l.772)",
     .kind = Kind::kBound,
     .premises = "low-rank MDP with the normalisation conditions, any policy",
     .statement = "Q^π = ⟨φ*, w^π⟩ with ‖w^π‖₂ ≤ √d/(1−γ)",
     .assumes = kMdpOnly,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Column<T> V = value(kernel(c, c.phi, c.mu), reward(c), c.pi, c.gamma);
       const Column<T> w = c.theta + scaled(integrate(c, c.mu, V), c.gamma);
       return {sqrt(dot(w, w)), bounds::weight_norm(T(c.d), c.gamma)};
     }},
};

}  // namespace

std::span<const Entry> preliminaries_claims() { return kPreliminariesClaims; }

}  // namespace speder::audit

#include "speder/experiments/audit/entry.hpp"
#include "speder/experiments/audit/objects/online.hpp"
#include "speder/oracle/bounds/potential.hpp"

// Section "Technical Lemmas": the simulation lemma and the elliptical potential lemma.

namespace speder::audit {
namespace {

constexpr unsigned kTwoModels = kMdpValid | kCandidate;

// b + γ(P̂ − P)V under the occupancy of `law`, over 1 − γ; b = g, of any sign
template <class T>
T simulated(const Case<T>& c, const Table<T>& law, const Column<T>& V) {
  const Table<T> P = kernel(c, c.phi, c.mu);
  const Table<T> P_hat = kernel(c, c.phi_hat, c.mu_hat);
  const Column<T> d = with_policy(occupancy(law, c.pi, c.rho, c.gamma), c.pi);
  return dot(d, c.g + scaled((P_hat - P) * V, c.gamma)) / (T(1) - c.gamma);
}
template <class T>
Table<T> update(const Case<T>& c, int n) {  // G_{n+1}
  Table<T> G(c.d, c.d);
  for (int j = 0; j < c.d; ++j) {
    for (int k = 0; k < c.d; ++k) G(j, k) = c.matrices(n * c.d + j, k);
  }
  return G;
}
template <class T>
struct Potential {
  T sum;     // ∑ Tr(G_n M_n⁻¹)
  T lagged;  // ∑ Tr(G_n M_{n−1}⁻¹)
  Table<T> M;
};
template <class T>
Potential<T> potential(const Case<T>& c) {
  Potential<T> p{T(0), T(0), identity<T>(c.d, c.lambda)};
  for (int n = 0; n < c.H; ++n) {
    const Table<T> G = update(c, n);
    p.lagged = p.lagged + trace(solve(p.M, G));
    p.M = p.M + G;
    p.sum = p.sum + trace(solve(p.M, G));
  }
  return p;
}
// log det M_N − k d log λ, from log det(M_N/λ)
template <class T>
T log_volume(const Case<T>& c, const Potential<T>& p, int k) {
  return log(determinant(scaled(p.M, T(1) / c.lambda))) - T((k - 1) * c.d) * log(c.lambda);
}

const Entry kTechnicalClaims[] = {
    {.id = "simulation-first",
     .source = "lem:simulation, first equation (l.1208)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "any kernels P, P̂, reward r, bonus b",
     .statement = "V_{P̂,r+b} − V_{P,r} = (1/(1−γ))E_{d_P^π}[b + γ(E_P̂ − E_P)V_{P̂,r+b}]",
     .assumes = kTwoModels,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> P = kernel(c, c.phi, c.mu);
       const Column<T> V_hat =
           value(kernel(c, c.phi_hat, c.mu_hat), reward(c) + c.g, c.pi, c.gamma);
       const Column<T> V = value(P, reward(c), c.pi, c.gamma);
       return {dot(c.rho, V_hat - V), simulated(c, P, V_hat), max_abs(V) + max_abs(V_hat)};
     }},
    {.id = "simulation-second",
     .source = "lem:simulation, second equation (l.1209)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "any kernels P, P̂, reward r, bonus b",
     .statement = "V_{P̂,r+b} − V_{P,r} = (1/(1−γ))E_{d_P̂^π}[b + γ(E_P̂ − E_P)V_{P,r}]",
     .assumes = kTwoModels,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> P_hat = kernel(c, c.phi_hat, c.mu_hat);
       const Column<T> V_hat = value(P_hat, reward(c) + c.g, c.pi, c.gamma);
       const Column<T> V = value(kernel(c, c.phi, c.mu), reward(c), c.pi, c.gamma);
       return {dot(c.rho, V_hat - V), simulated(c, P_hat, V), max_abs(V) + max_abs(V_hat)};
     }},
    {.id = "simulation-telescoping",
     .source = "lem:simulation, proof (l.1220–1222)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "a ~ π(·|s) for the last action (printed as ã ~ π(·|s̃))",
     .statement = "V_{P̂,r+b} = (1/(1−γ))E_{d_P^π}[Q_{P̂,r+b}(s,a) − γE_{s'~P,a'~π}Q_{P̂,r+b}(s',a')]",
     .assumes = kTwoModels,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> P = kernel(c, c.phi, c.mu);
       const Table<T> P_hat = kernel(c, c.phi_hat, c.mu_hat);
       const Column<T> V = value(P_hat, reward(c) + c.g, c.pi, c.gamma);
       const Column<T> Q = action_value(P_hat, reward(c) + c.g, V, c.gamma);
       const Column<T> d = with_policy(occupancy(P, c.pi, c.rho, c.gamma), c.pi);
       return {dot(c.rho, V), dot(d, Q - scaled(P * average(c.pi, Q), c.gamma)) / (T(1) - c.gamma),
               max_abs(V)};
     }},
    {.id = "potential-first",
     .source = "lem:potential, first ≤ (l.1236)",
     .kind = Kind::kBound,
     .premises = "M₀ = λI, M_n = M_{n−1} + G_n, 0 ≺ G_n ⪯ cI",
     .statement = "∑ Tr(G_nM_n⁻¹) ≤ log det M_N − 2d log λ",
     .shape = Shape::kMatrices,
     .assumes = kPsd,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Potential<T> p = potential(c);
       return {p.sum, log_volume(c, p, 2)};
     },
     .corrected_by = "potential-first-corrected",
     .note = "log det M₀ = d log λ; with 2d log λ the line fails for λ > 1",
     .misprint = "two-d-log-lambda"},
    {.id = "potential-first-corrected",
     .source = "lem:potential, first ≤ (l.1236)",
     .kind = Kind::kBound,
     .premises = "the same",
     .statement = "∑ Tr(G_nM_n⁻¹) ≤ log det M_N − d log λ",
     .shape = Shape::kMatrices,
     .assumes = kPsd,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Potential<T> p = potential(c);
       return {p.sum, log_volume(c, p, 1), T(1)};
     },
     .twin = Twin::kCorrection},
    {.id = "potential-second",
     .source = "lem:potential, second ≤ (l.1236)",
     .kind = Kind::kBound,
     .premises = "the same",
     .statement = "log det M_N − 2d log λ ≤ d log(1 + Nc/λ)",
     .shape = Shape::kMatrices,
     .assumes = kPsd,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {log_volume(c, potential(c), 2),
               bounds::elliptical_potential(T(c.d), T(c.H), c.bound, c.lambda)};
     },
     .corrected_by = "potential-second-corrected",
     .note = "fails for λ < 1",
     .misprint = "two-d-log-lambda"},
    {.id = "potential-second-corrected",
     .source = "lem:potential, second ≤ (l.1236)",
     .kind = Kind::kBound,
     .premises = "the same",
     .statement = "log det M_N − d log λ ≤ d log(1 + Nc/λ)",
     .shape = Shape::kMatrices,
     .assumes = kPsd,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {log_volume(c, potential(c), 1),
               bounds::elliptical_potential(T(c.d), T(c.H), c.bound, c.lambda), T(1)};
     },
     .twin = Twin::kCorrection},
    {.id = "potential-ends",
     .source = "lem:potential, outer sides (l.1236)",
     .kind = Kind::kBound,
     .premises = "the same",
     .statement = "∑ Tr(G_nM_n⁻¹) ≤ d log(1 + Nc/λ)",
     .shape = Shape::kMatrices,
     .assumes = kPsd,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {potential(c).sum, bounds::elliptical_potential(T(c.d), T(c.H), c.bound, c.lambda)};
     },
     .note = "what the regret proof uses survives"},
    {.id = "potential-lagged",
     .source = "lem:potential with the data of Algorithm 1 (rho-n-is-the-data)",
     .kind = Kind::kBound,
     .premises = "Σ_n from π₀ … π_{n−1}, as the data are collected: M_{n−1} instead of M_n",
     .statement = "∑ Tr(G_nM_{n−1}⁻¹) ≤ d log(1 + Nc/λ)",
     .shape = Shape::kMatrices,
     .assumes = kPsd,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {potential(c).lagged,
               bounds::elliptical_potential(T(c.d), T(c.H), c.bound, c.lambda)};
     },
     .corrected_by = "potential-lagged-corrected",
     .note = "what the regret proof would need if ρ_n were the law of the data",
     .derived = true},
    {.id = "potential-lagged-corrected",
     .source = "lem:potential, lagged",
     .kind = Kind::kBound,
     .premises = "the same",
     .statement = "∑ Tr(G_nM_{n−1}⁻¹) ≤ (1 + c/λ) d log(1 + Nc/λ)",
     .shape = Shape::kMatrices,
     .assumes = kPsd,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {potential(c).lagged, bounds::lagged_potential(T(c.d), T(c.H), c.bound, c.lambda)};
     },
     .twin = Twin::kCorrection},
    {.id = "potential-concavity",
     .source = "lem:potential, proof (l.1242–1243)",
     .kind = Kind::kBound,
     .premises = "M_{n−1} = M_n − G_n ≻ 0",
     .statement = "log det M_{n−1} ≤ log det M_n − Tr(M_n⁻¹G_n), compared as Tr ≤ difference",
     .shape = Shape::kMatrices,
     .assumes = kPsd,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> G = update(c, 0);
       const Table<T> M = identity<T>(c.d, c.lambda) + G;
       return {trace(solve(M, G)), log(determinant(scaled(M, T(1) / c.lambda))), T(1)};
     }},
    {.id = "potential-jensen",
     .source = "lem:potential, proof (l.1247)",
     .kind = Kind::kBound,
     .premises = "M_N ≻ 0",
     .statement = "log det M_N ≤ d log(Tr(M_N)/d) ≤ d log(λ + Nc)",
     .shape = Shape::kMatrices,
     .assumes = kPsd,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> M = potential(c).M;
       const T size = T(1) / c.lambda;  // all three minus d log λ
       const T middle = T(c.d) * log(size * trace(M) / T(c.d));
       Worst<T> worst;
       worst.add(log(determinant(scaled(M, size))), middle);
       worst.add(middle, T(c.d) * log1p(size * T(c.H) * c.bound));
       Sides<T> sides = worst.sides();
       sides.scale = T(1);
       return sides;
     }},
};

}  // namespace

std::span<const Entry> technical_claims() { return kTechnicalClaims; }

}  // namespace speder::audit

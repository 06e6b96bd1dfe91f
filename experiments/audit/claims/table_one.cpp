#include "speder/experiments/audit/entry.hpp"
#include "speder/experiments/audit/objects/online.hpp"
#include "speder/experiments/audit/objects/span.hpp"
#include "speder/experiments/audit/objects/spectrum.hpp"

// Table 1 (table:spectral_connections): what each representation can write linearly (l.126: "the
// value function can be linearly represented in the learned features").

namespace speder::audit {
namespace {

constexpr unsigned kLowRankMdp = kMdpValid | kLowRank;

// (I − γP^π)⁻¹
template <class T>
Table<T> successor_matrix(const Case<T>& c, const Table<T>& K) {
  return solve(identity<T>(c.S) - scaled(K, c.gamma), identity<T>(c.S));
}
// Row k of K times weight(k)
template <class T>
Table<T> weighted_rows(Table<T> K, const Column<T>& weight) {
  for (int i = 0; i < K.rows(); ++i) {
    for (int j = 0; j < K.cols(); ++j) K(i, j) = weight(i) * K(i, j);
  }
  return K;
}
// ΛK + KᵀΛ
template <class T>
Table<T> symmetrised(const Table<T>& K, const Column<T>& Lambda) {
  const Table<T> L = weighted_rows(K, Lambda);
  return L + transposed(L);
}

const Entry kTableOne[] = {
    {.id = "successor-contains-value",
     .source = "table:spectral_connections, row successor feature (l.213), with l.126",
     .kind = Kind::kExample,
     .relation = Relation::kEqual,
     .premises = "all singular vectors of (I − γP^π)⁻¹ kept: all of R^{|S|}",
     .statement = "V^π lies in the column space of (I − γP^π)⁻¹: distance 0",
     .assumes = kLowRankMdp,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> P = kernel(c, c.phi, c.mu);
       return distance_to_span(successor_matrix(c, state_kernel(P, c.pi)),
                               value(P, reward(c), c.pi, c.gamma));
     }},
    {.id = "successor-leading-features",
     .source = "table:spectral_connections, row successor feature (l.213), with l.126",
     .kind = Kind::kExample,
     .relation = Relation::kEqual,
     .premises =
         "P of rank d < |S|; the d leading left singular vectors of (I − γP^π)⁻¹, as many as "
         "the SVD of P(s'|s,a) needs",
     .statement = "V^π lies in their span: distance 0",
     .assumes = kLowRankMdp,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       if (c.d >= c.S) return undefined<T>();
       const Table<T> P = kernel(c, c.phi, c.mu);
       const Table<T> M = successor_matrix(c, state_kernel(P, c.pi));
       const Spectrum<T> svd = spectrum(M * transposed(M));
       constexpr double kGap = 1e-3;  // the leading d vectors are determined
       const double next = to_double(svd.values[static_cast<std::size_t>(c.d)]);
       if (to_double(svd.values[static_cast<std::size_t>(c.d - 1)]) < (1 + kGap) * next) {
         return undefined<T>();
       }
       Table<T> leading(c.S, c.d);
       for (int i = 0; i < leading.size(); ++i) leading(i) = svd.vectors(i / c.d, i % c.d);
       return distance_to_span(leading, value(P, reward(c), c.pi, c.gamma));
     },
     .corrected_by = "spectral-features-every-policy",
     .note =
         "(I − γP^π)⁻¹ has full rank whatever the rank of P; the features φ of P(s'|s,a) do with d",
     .derived = true},
    {.id = "proto-value-contains-value",
     .source = "table:spectral_connections, row proto-value function (l.214), with l.126",
     .kind = Kind::kExample,
     .relation = Relation::kEqual,
     .premises =
         "Λ = diag(d^π) > 0, all eigenvectors with eigenvalue ≠ 0 kept; the reward added to "
         "the features, as the other rows need it",
     .statement = "V^π − r^π lies in the range of ΛP^π + (P^π)ᵀΛ: distance 0",
     .assumes = kLowRankMdp,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> P = kernel(c, c.phi, c.mu);
       const Column<T> Lambda = occupancy(P, c.pi, c.rho, c.gamma);
       constexpr double kTiny = 1e-3;
       for (int s = 0; s < c.S; ++s) {
         if (to_double(Lambda(s)) < kTiny) return undefined<T>();
       }
       const Column<T> V = value(P, reward(c), c.pi, c.gamma);
       return distance_to_span(symmetrised(state_kernel(P, c.pi), Lambda),
                               V - average(c.pi, reward(c)));
     },
     .corrected_by = "proto-value-contains-value-corrected",
     .note =
         "V^π − r^π = γP^πV^π lies in the range of P^π, which the symmetric part does not contain"},
    {.id = "proto-value-contains-value-corrected",
     .source = "table:spectral_connections, row proto-value function (l.214)",
     .kind = Kind::kExample,
     .relation = Relation::kEqual,
     .premises =
         "a reversible chain: ΛP^π = (P^π)ᵀΛ; generalised eigenvectors, of Λ⁻¹(ΛP^π + (P^π)ᵀΛ)",
     .statement = "V^π − r^π lies in their range: distance 0",
     .assumes = kLowRankMdp,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> W =
           symmetrised(state_kernel(kernel(c, c.phi, c.mu), c.pi), Column<T>(c.S, 1, T(1)));
       Column<T> Lambda(c.S, 1), inverse(c.S, 1);  // the chain of the symmetric weights W
       for (int s = 0; s < c.S; ++s) {
         for (int t = 0; t < c.S; ++t) Lambda(s) = Lambda(s) + W(s, t);
         if (!surely_less(T(0), Lambda(s))) return undefined<T>();
         inverse(s) = T(1) / Lambda(s);
       }
       const Table<T> K = weighted_rows(W, inverse);
       const Column<T> r = average(c.pi, reward(c));
       const Column<T> V = solve(identity<T>(c.S) - scaled(K, c.gamma), r);
       return distance_to_span(weighted_rows(symmetrised(K, Lambda), inverse), V - r);
     },
     .twin = Twin::kCorrection},
    {.id = "krylov-contains-value",
     .source = "table:spectral_connections, row Krylov (l.215), with the linearity of l.126",
     .kind = Kind::kExample,
     .relation = Relation::kEqual,
     .premises = "k = |S|",
     .statement = "V^π lies in the span of {(P^π)^i r^π : i = 1 … k}: distance 0",
     .assumes = kLowRankMdp,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> P = kernel(c, c.phi, c.mu);
       return distance_to_krylov(c, P, 1);
     },
     .corrected_by = "krylov-contains-value-corrected",
     .note = "with i from 1 the reward itself is missing from the basis"},
    {.id = "krylov-contains-value-corrected",
     .source = "table:spectral_connections, row Krylov (l.215)",
     .kind = Kind::kExample,
     .relation = Relation::kEqual,
     .premises = "k = |S|",
     .statement = "V^π lies in the span of {(P^π)^i r^π : i = 0 … k−1}: distance 0",
     .assumes = kLowRankMdp,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> P = kernel(c, c.phi, c.mu);
       return distance_to_krylov(c, P, 0);
     },
     .twin = Twin::kCorrection},
    {.id = "aggregation-contains-value",
     .source = "table:spectral_connections, row state aggregation (l.216), with l.126",
     .kind = Kind::kExample,
     .relation = Relation::kEqual,
     .premises = "all singular vectors with σ > 0 kept",
     .statement = "V^π lies in the column space of P^π: distance 0",
     .assumes = kLowRankMdp,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> P = kernel(c, c.phi, c.mu);
       const Column<T> V = value(P, reward(c), c.pi, c.gamma);
       return distance_to_span(state_kernel(P, c.pi), V);
     },
     .corrected_by = "aggregation-contains-value-corrected",
     .note = "V^π = r^π + γP^πV^π: the reward must be added to the features"},
    {.id = "aggregation-contains-value-corrected",
     .source = "table:spectral_connections, row state aggregation (l.216)",
     .kind = Kind::kExample,
     .relation = Relation::kEqual,
     .premises = "all singular vectors with σ > 0 kept",
     .statement = "V^π − r^π lies in the column space of P^π: distance 0",
     .assumes = kLowRankMdp,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> P = kernel(c, c.phi, c.mu);
       const Column<T> V = value(P, reward(c), c.pi, c.gamma);
       return distance_to_span(state_kernel(P, c.pi), V - average(c.pi, reward(c)));
     },
     .twin = Twin::kCorrection},
    {.id = "spectral-features-every-policy",
     .source = "sec:speder (l.233), with eq:linear_q",
     .kind = Kind::kExample,
     .relation = Relation::kEqual,
     .premises = "low-rank MDP; features φ(s,a) of P(s'|s,a)",
     .statement = "Q^{π'} lies in the span of φ for a policy π' other than the one that collected "
                  "the data: distance 0",
     .assumes = kLowRankMdp,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> P = kernel(c, c.phi, c.mu);
       const Column<T> V = value(P, reward(c), past_policy(c, 0), c.gamma);
       return distance_to_span(c.phi, action_value(P, reward(c), V, c.gamma));
     }},
};

}  // namespace

std::span<const Entry> table_one_claims() { return kTableOne; }

}  // namespace speder::audit

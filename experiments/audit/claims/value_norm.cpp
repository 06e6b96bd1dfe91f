#include "speder/oracle/bounds/value_norm.hpp"
#include "speder/experiments/audit/entry.hpp"
#include "speder/experiments/audit/objects/online.hpp"

// Appendix "PAC bounds for Online Reinforcement Learning": basic properties and lem:V_norm.

namespace speder::audit {
namespace {

constexpr unsigned kNormalised = kMdpValid | kLowRank | kReprNorm | kRewardNorm;

template <class T>
struct Values {
  Table<T> P;
  Column<T> r, V, Q;
};
template <class T>
Values<T> values(const Case<T>& c) {
  Values<T> v;
  v.P = kernel(c, c.phi, c.mu);
  v.r = reward(c);
  v.V = value(v.P, v.r, c.pi, c.gamma);
  v.Q = action_value(v.P, v.r, v.V, c.gamma);
  return v;
}

const Entry kValueNormClaims[] = {
    {.id = "visitation-flow",
     .source = "sec:online, first display (l.743)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "an MDP, a policy",
     .statement = "d^π_P(s) = (1−γ)ρ(s) + γ E_{s̃~d^π, ã~π} P(s|s̃,ã)",
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> P = kernel(c, c.phi, c.mu);
       const Column<T> d = occupancy(P, c.pi, c.rho, c.gamma);
       const Column<T> flow =
           scaled(c.rho, T(1) - c.gamma) + scaled(push(P, with_policy(d, c.pi)), c.gamma);
       Worst<T> worst;
       for (int s = 0; s < c.S; ++s) worst.equal(d(s), flow(s));
       return worst.sides();
     }},
    {.id = "value-from-visitation",
     .source = "sec:online, second display (l.747)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "an MDP, a policy",
     .statement = "V^π_{P,r} = (1/(1−γ)) E_{s~d^π, a~π}[r(s,a)]",
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Values<T> v = values(c);
       const Column<T> d = with_policy(occupancy(v.P, c.pi, c.rho, c.gamma), c.pi);
       return {dot(c.rho, v.V), dot(d, v.r) / (T(1) - c.gamma)};
     }},
    {.id = "visitation-covers-start",
     .source = "lem:backup_learned, proof (l.808)",
     .kind = Kind::kBound,
     .premises = "an MDP, a policy",
     .statement = "(1−γ)ρ(s) ≤ d^π_P(s)",
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Column<T> d = occupancy(kernel(c, c.phi, c.mu), c.pi, c.rho, c.gamma);
       Worst<T> worst;
       for (int s = 0; s < c.S; ++s) worst.add((T(1) - c.gamma) * c.rho(s), d(s));
       return worst.sides();
     }},
    {.id = "value-norm",
     .source = "lem:V_norm (l.768)",
     .kind = Kind::kBound,
     .premises = "low-rank MDP, both normalisation assumptions, any policy",
     .statement = "‖V^π_{P,r}‖₂ ≤ √(2d(1 + dγ²/(1−γ)²))",
     .assumes = kNormalised,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {sqrt(l2_squared(values(c).V, c.nu)), bounds::value_norm(T(c.d), c.gamma)};
     },
     .note = "the lemma holds, its printed proof does not (value-norm-bellman)"},
    {.id = "value-norm-order",
     .source = "lem:V_norm, ≲ (l.768)",
     .kind = Kind::kRate,
     .relation = Relation::kOrder,
     .premises = "d ≥ 1, γ ∈ (0,1); hidden constant of at most 100",
     .statement = "√(2d(1 + dγ²/(1−γ)²)) ≲ d/(1−γ)",
     .shape = Shape::kRates,
     .assumes = kRatesValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {bounds::value_norm(T(c.d), c.gamma), T(c.d) / (T(1) - c.gamma)};
     },
     .note = "√2 is enough because (1−γ)² + γ² ≤ 1"},
    {.id = "value-norm-bellman",
     .source = "lem:V_norm, proof, second equality (l.776)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "low-rank MDP, any policy",
     .statement = "∫V^π(s)² ds = ∫(∫π(a|s)(r(s,a) + γQ^π(s,a)) da)² ds",
     .assumes = kNormalised,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Values<T> v = values(c);
       return {l2_squared(v.V, c.nu), l2_squared(average(c.pi, v.r + scaled(v.Q, c.gamma)), c.nu)};
     },
     .corrected_by = "value-norm-bellman-corrected",
     .note = "the Bellman equation has γE_P[V^π(s')], not γQ^π(s,a)",
     .misprint = "bellman-q"},
    {.id = "value-norm-bellman-corrected",
     .source = "lem:V_norm, proof (l.776)",
     .kind = Kind::kIdentity,
     .relation = Relation::kEqual,
     .premises = "low-rank MDP, any policy",
     .statement = "∫V^π(s)² ds = ∫(∫π(a|s)(r(s,a) + γE_P[V^π(s')]) da)² ds",
     .assumes = kNormalised,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Values<T> v = values(c);
       return {l2_squared(v.V, c.nu),
               l2_squared(average(c.pi, v.r + scaled(v.P * v.V, c.gamma)), c.nu)};
     },
     .twin = Twin::kCorrection},
    {.id = "value-norm-drop-policy",
     .source = "lem:V_norm, proof (l.777)",
     .kind = Kind::kBound,
     .premises = "r ≥ 0 (so Q ≥ 0)",
     .statement = "∫(∫π(r + γQ))² ≤ ∫(∫ r + γQ)²",
     .assumes = kNormalised,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Values<T> v = values(c);
       const Column<T> x = v.r + scaled(v.Q, c.gamma);
       return {l2_squared(average(c.pi, x), c.nu), l2_squared(action_sum(c, x), c.nu)};
     }},
    {.id = "value-norm-split",
     .source = "lem:V_norm, proof (l.778)",
     .kind = Kind::kBound,
     .premises = "any r, Q",
     .statement = "∫(∫ r + γQ)² ≤ 2∫(∫r)² + 2γ²∫(∫Q)²",
     .assumes = kNormalised,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Values<T> v = values(c);
       return {l2_squared(action_sum(c, v.r + scaled(v.Q, c.gamma)), c.nu),
               T(2) * l2_squared(action_sum(c, v.r), c.nu) +
                   T(2) * square(c.gamma) * l2_squared(action_sum(c, v.Q), c.nu)};
     }},
    {.id = "value-norm-weights",
     .source = "lem:V_norm, proof (l.779)",
     .kind = Kind::kBound,
     .premises = "both normalisation assumptions, ‖w^π‖ ≤ √d/(1−γ)",
     .statement = "2∫(∫r)² + 2γ²∫(∫Q)² ≤ 2d + (2dγ²/(1−γ)²)∫(∫‖φ*‖)²",
     .assumes = kNormalised,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Values<T> v = values(c);
       const T ratio = c.gamma / (T(1) - c.gamma);
       return {T(2) * l2_squared(action_sum(c, v.r), c.nu) +
                   T(2) * square(c.gamma) * l2_squared(action_sum(c, v.Q), c.nu),
               T(2 * c.d) +
                   T(2 * c.d) * square(ratio) * l2_squared(action_sum(c, lengths(c.phi)), c.nu)};
     }},
    {.id = "rho-n-is-the-data",
     .source = "definition of ρ_n (l.786) against Algorithm 1, line 4 (l.319)",
     .kind = Kind::kDefinition,
     .relation = Relation::kEqual,
     .premises = "policies π₀ (uniform), π₁ … π_n; D_n holds one state from each of π₀ … π_{n−1}",
     .statement = "(1/n)∑_{i=1}^n d^{π_i}(s) = (1/n)∑_{i=0}^{n−1} d^{π_i}(s), the law of the data",
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> P = kernel(c, c.phi, c.mu);
       const Column<T> first = occupancy(P, uniform_policy(c), c.rho, c.gamma);
       const Column<T> last = occupancy(P, past_policy(c, c.H - 1), c.rho, c.gamma);
       const T n = whole<T>(c.H * c.m);
       Worst<T> worst;
       for (int s = 0; s < c.S; ++s) worst.equal(last(s) / n, first(s) / n);
       return worst.sides();
     },
     .corrected_by = "rho-n-is-the-data-corrected",
     .note =
         "the sums differ by (d^{π_n} − d^{π_0})/n; the potential lemma then needs its lagged form "
         "(potential-lagged)"},
    {.id = "rho-n-is-the-data-corrected",
     .source = "definition of ρ_n (l.786)",
     .kind = Kind::kBound,
     .premises = "the same",
     .statement = "∑_s |(1/n)∑_{i=1}^n d^{π_i}(s) − (1/n)∑_{i=0}^{n−1} d^{π_i}(s)| ≤ 2/n",
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> P = kernel(c, c.phi, c.mu);
       const Column<T> gap = occupancy(P, uniform_policy(c), c.rho, c.gamma) -
                             occupancy(P, past_policy(c, c.H - 1), c.rho, c.gamma);
       return {sum(magnitudes(gap)) / whole<T>(c.H * c.m), fraction<T>(2, c.H * c.m)};
     },
     .twin = Twin::kCorrection},
};

}  // namespace

std::span<const Entry> value_norm_claims() { return kValueNormClaims; }

}  // namespace speder::audit

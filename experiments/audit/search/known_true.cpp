#include "speder/experiments/audit/objects/density.hpp"
#include "speder/experiments/audit/objects/model.hpp"
#include "speder/experiments/audit/search/self_test.hpp"

// True, with proofs in every textbook.

namespace speder::audit {
namespace {

template <class T>
Column<T> column(const Table<T>& x, int j) {
  Column<T> v(x.rows(), 1);
  for (int i = 0; i < x.rows(); ++i) v(i) = x(i, j);
  return v;
}

const Entry kTrue[] = {
    {.id = "true-cauchy-schwarz",
     .source = "textbook",
     .statement = "⟨x,y⟩² ≤ ⟨x,x⟩⟨y,y⟩ in L₂(ν)",
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Column<T> x = column(c.g, 0);
       const Column<T> y = column(c.mu, 0);
       T xy = T(0);
       for (int s = 0; s < c.S; ++s) xy = xy + x(s) * y(s) * c.nu(s);
       return {square(xy), l2_squared(x, c.nu) * l2_squared(y, c.nu)};
     }},
    {.id = "true-jensen",
     .source = "textbook",
     .statement = "(E g)² ≤ E g²",
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {square(dot(c.weights, c.g)), dot(c.weights, squares(c.g))};
     }},
    {.id = "true-hoelder",
     .source = "textbook",
     .statement = "|E[fg]| ≤ sup|f| E|g|",
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Column<T> f = column(c.phi, 0);
       T mean = T(0);
       for (int i = 0; i < f.size(); ++i) mean = mean + c.weights(i) * f(i) * c.g(i);
       return {abs(mean), max_abs(f) * dot(c.weights, magnitudes(c.g))};
     }},
    {.id = "true-triangle",
     .source = "textbook",
     .statement = "‖x + y‖₂ ≤ ‖x‖₂ + ‖y‖₂",
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Column<T> x = column(c.g, 0);
       const Column<T> y = column(c.mu, 0);
       return {sqrt(l2_squared(x + y, c.nu)),
               sqrt(l2_squared(x, c.nu)) + sqrt(l2_squared(y, c.nu))};
     }},
    {.id = "true-contraction",
     .source = "textbook",
     .statement = "‖T^πV − T^πW‖∞ ≤ γ‖V − W‖∞",
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Column<T> gap = column(c.g, 0) - c.rho;
       const Table<T> K = state_kernel(kernel(c, c.phi, c.mu), c.pi);
       return {c.gamma * max_abs(K * gap), c.gamma * max_abs(gap)};
     }},
    {.id = "true-performance-difference",
     .source = "textbook",
     .relation = Relation::kEqual,
     .statement = "V^π − V^{π'} = (1/(1−γ)) E_{d^π}[Q^{π'} − V^{π'}]",
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> P = kernel(c, c.phi, c.mu);
       const Table<T> other = past_policy(c, 0);
       const Column<T> V = value(P, reward(c), c.pi, c.gamma);
       const Column<T> W = value(P, reward(c), other, c.gamma);
       const Column<T> d = occupancy(P, c.pi, c.rho, c.gamma);
       const Column<T> Q = action_value(P, reward(c), W, c.gamma);
       return {dot(c.rho, V - W), (dot(with_policy(d, c.pi), Q) - dot(d, W)) / (T(1) - c.gamma),
               max_abs(V) + max_abs(W)};
     }},
    {.id = "true-simulation",
     .source = "textbook",
     .relation = Relation::kEqual,
     .statement = "V_P̂ − V_P = (γ/(1−γ)) E_{d_P̂}[(P̂ − P)V_P]",
     .assumes = kMdpValid | kCandidate,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> P = kernel(c, c.phi, c.mu);
       const Table<T> P_hat = kernel(c, c.phi_hat, c.mu_hat);
       const Column<T> V = value(P, reward(c), c.pi, c.gamma);
       const Column<T> d = with_policy(occupancy(P_hat, c.pi, c.rho, c.gamma), c.pi);
       return {dot(c.rho, value(P_hat, reward(c), c.pi, c.gamma) - V),
               c.gamma / (T(1) - c.gamma) * dot(d, (P_hat - P) * V), max_abs(V)};
     }},
    {.id = "true-pinsker",
     .source = "textbook",
     .statement = "‖f − f*‖₁² ≤ 2 KL(f*‖f)",
     .shape = Shape::kDensity,
     .assumes = kDensities,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       T kl = T(0);
       T l1 = T(0);
       for (int y = 0; y < c.S; ++y) {
         const T& p = c.family(0, y);
         const T& q = c.family(1, y);
         l1 = l1 + abs(p - q) * c.nu(y);
         if (surely_zero(p)) continue;
         if (surely_zero(q)) return undefined<T>();  // KL is infinite
         kl = kl + p * c.nu(y) * (log(p) - log(q));
       }
       return {square(l1), T(2) * kl, T(1)};
     }},
    {.id = "true-hadamard",
     .source = "textbook",
     .statement = "det M ≤ ∏ M_ii for M = λI + G₁",
     .shape = Shape::kMatrices,
     .assumes = kPsd,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       Table<T> M = identity<T>(c.d, c.lambda);
       for (int j = 0; j < c.d * c.d; ++j) M(j) = M(j) + c.matrices(j);
       T product = T(1);
       for (int j = 0; j < c.d; ++j) product = product * M(j, j);
       return {determinant(M), product, product};
     }},
    {.id = "true-markov",
     .source = "textbook",
     .statement = "P(g² ≥ δ-quantile level t) ≤ E g²/t with t = λ",
     .assumes = kMdpValid | kRegularised,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       T tail = T(0);
       for (int i = 0; i < c.g.size(); ++i) {
         if (surely_le(c.lambda, square(c.g(i)))) tail = tail + c.weights(i);
       }
       return {tail, dot(c.weights, squares(c.g)) / c.lambda};
     }},
};

}  // namespace

std::span<const Entry> known_true_claims() { return kTrue; }

}  // namespace speder::audit

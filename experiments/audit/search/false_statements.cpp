#include "speder/experiments/audit/objects/adversary.hpp"
#include "speder/experiments/audit/objects/density.hpp"
#include "speder/experiments/audit/objects/memory.hpp"
#include "speder/experiments/audit/objects/offline.hpp"
#include "speder/experiments/audit/objects/process.hpp"
#include "speder/experiments/audit/objects/spectral.hpp"
#include "speder/experiments/audit/search/self_test.hpp"
#include "speder/oracle/bounds/value_norm.hpp"

// False on purpose. Each is a true statement with one thing wrong.

namespace speder::audit {
namespace {

template <class T>
T simulated(const Case<T>& c, const Table<T>& law, const Column<T>& V, const T& factor) {
  const Table<T> P = kernel(c, c.phi, c.mu);
  const Table<T> P_hat = kernel(c, c.phi_hat, c.mu_hat);
  const Column<T> d = with_policy(occupancy(law, c.pi, c.rho, c.gamma), c.pi);
  return dot(d, c.g + scaled((P_hat - P) * V, factor)) / (T(1) - c.gamma);
}
template <class T>
T value_gap(const Case<T>& c) {
  return dot(c.rho, value(kernel(c, c.phi_hat, c.mu_hat), reward(c) + c.g, c.pi, c.gamma) -
                        value(kernel(c, c.phi, c.mu), reward(c), c.pi, c.gamma));
}
template <class T>
T potential_sum(const Case<T>& c) {
  Table<T> M = identity<T>(c.d, c.lambda);
  T total = T(0);
  for (int n = 0; n < c.H; ++n) {
    Table<T> G(c.d, c.d);
    for (int j = 0; j < c.d * c.d; ++j) G(j) = c.matrices(n * c.d * c.d + j);
    M = M + G;
    total = total + trace(solve(M, G));
  }
  return total;
}
template <class T>
Sides<T> backup_true_with(const Case<T>& c, const T& spread, const T& lambda) {
  const Online<T> o = online(c);
  bounds::BackupInputs<T> in = true_inputs(c, o, c.g);
  in.spread = spread;
  in.lambda = lambda;
  const Table<T> pi = past_policy(c, c.H - 1);
  return {abs(dot(with_policy(occupancy(o.P, pi, c.rho, c.gamma), pi), c.g)),
          bounds::backup_true(in)};
}

const Entry kFalse[] = {
    {.id = "false-simulation-wrong-occupancy",
     .source = "lem:simulation",
     .relation = Relation::kEqual,
     .statement = "second equation with d_P for d_P̂",
     .assumes = kMdpValid | kCandidate,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> P = kernel(c, c.phi, c.mu);
       return {value_gap(c), simulated(c, P, value(P, reward(c), c.pi, c.gamma), c.gamma)};
     }},
    {.id = "false-simulation-sign",
     .source = "lem:simulation",
     .relation = Relation::kEqual,
     .statement = "second equation with −γ",
     .assumes = kMdpValid | kCandidate,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Column<T> V = value(kernel(c, c.phi, c.mu), reward(c), c.pi, c.gamma);
       return {value_gap(c), simulated(c, kernel(c, c.phi_hat, c.mu_hat), V, -c.gamma)};
     }},
    {.id = "false-simulation-discount",
     .source = "lem:simulation",
     .relation = Relation::kEqual,
     .statement = "second equation with γ²",
     .assumes = kMdpValid | kCandidate,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Column<T> V = value(kernel(c, c.phi, c.mu), reward(c), c.pi, c.gamma);
       return {value_gap(c), simulated(c, kernel(c, c.phi_hat, c.mu_hat), V, square(c.gamma))};
     }},
    {.id = "false-visitation-swapped",
     .source = "visitation-flow",
     .relation = Relation::kEqual,
     .statement = "d = γρ + (1−γ)E P",
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> P = kernel(c, c.phi, c.mu);
       const Column<T> d = occupancy(P, c.pi, c.rho, c.gamma);
       const Column<T> flow =
           scaled(c.rho, c.gamma) + scaled(push(P, with_policy(d, c.pi)), T(1) - c.gamma);
       Worst<T> worst;
       for (int s = 0; s < c.S; ++s) worst.equal(d(s), flow(s));
       return worst.sides();
     }},
    {.id = "false-value-norm-two",
     .source = "lem:V_norm",
     .statement = "without the factor 2",
     .assumes = kMdpValid | kLowRank | kReprNorm | kRewardNorm,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Column<T> V = value(kernel(c, c.phi, c.mu), reward(c), c.pi, c.gamma);
       return {T(2) * l2_squared(V, c.nu), square(bounds::value_norm(T(c.d), c.gamma))};
     }},
    {.id = "false-weight-norm-rank",
     .source = "weight-norm",
     .statement = "‖w‖ ≤ 1/(1−γ), without √d",
     .assumes = kMdpValid | kLowRank,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Column<T> V = value(kernel(c, c.phi, c.mu), reward(c), c.pi, c.gamma);
       const Column<T> w = c.theta + scaled(integrate(c, c.mu, V), c.gamma);
       return {sqrt(dot(w, w)), T(1) / (T(1) - c.gamma)};
     }},
    {.id = "false-potential-rank",
     .source = "lem:potential",
     .statement = "∑ Tr ≤ log(1 + Nc/λ), without d",
     .shape = Shape::kMatrices,
     .assumes = kPsd,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {potential_sum(c), log1p(T(c.H) * c.bound / c.lambda), T(1)};
     }},
    {.id = "false-potential-rounds",
     .source = "lem:potential",
     .statement = "∑ Tr ≤ d log(1 + c/λ), without N",
     .shape = Shape::kMatrices,
     .assumes = kPsd,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {potential_sum(c), T(c.d) * log1p(c.bound / c.lambda), T(1)};
     }},
    {.id = "false-backup-actions",
     .source = "lem:backup_true",
     .statement = "without |A|",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return backup_true_with(c, T(1), c.lambda);
     }},
    {.id = "false-backup-regulariser",
     .source = "lem:backup_true",
     .statement = "without the term λγ²B∞²d",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return backup_true_with(c, T(c.A), T(0));
     }},
    {.id = "false-loss-bound",
     .source = "gen-loss-bound",
     .statement = "|l| ≤ 2C",
     .shape = Shape::kDensity,
     .assumes = kDensities,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       Worst<T> worst;
       for (int y = 0; y < c.S; ++y) worst.add(abs(squared_loss(c, 1, 0, y)), T(2) * c.bound);
       return worst.sides();
     }},
    {.id = "false-variance",
     .source = "gen-variance",
     .statement = "E l² ≤ 3C E l",
     .shape = Shape::kDensity,
     .assumes = kDensities,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {loss_moment(c, 0, 2), T(3) * c.bound * loss_moment(c, 0, 1)};
     }},
    {.id = "false-loss-mean-sign",
     .source = "gen-loss-mean",
     .relation = Relation::kEqual,
     .statement = "E l = ‖f‖² − ‖f*‖²",
     .shape = Shape::kDensity,
     .assumes = kDensities,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {loss_moment(c, 0, 1), density_power(c, 1) - density_power(c, 0)};
     }},
    {.id = "false-decoupling-half",
     .source = "decoupling-lemma",
     .statement = "≤ 1/2 instead of ≤ 1",
     .shape = Shape::kProcess,
     .assumes = kDensities | kProcessValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Process<T> process{c};
       T mean = T(0);
       for_each_data_set(process, [&](const T& p, const std::vector<int>& z) {
         mean = mean + p * worst_estimator(process, z).ratio();
       });
       return {mean / T(c.F), fraction<T>(1, 2)};
     }},
    {.id = "false-objective-factor",
     .source = "population-objective-expansion",
     .relation = Relation::kEqual,
     .statement = "−1 instead of −2 before the cross term",
     .shape = Shape::kObjective,
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return {model_loss(c, c.phi_hat, c.mu_hat), model_power(c, c.phi, c.mu) -
                                                       transition_mean(c, c.phi_hat, c.mu_hat) +
                                                       model_power(c, c.phi_hat, c.mu_hat)};
     }},
    {.id = "false-trace-rank",
     .source = "trace-under-constraint",
     .relation = Relation::kEqual,
     .statement = "E[φφᵀ] = I/d gives /d²",
     .shape = Shape::kObjective,
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> phi = whitened(c, c.phi_hat);
       if (phi.empty()) return undefined<T>();
       const Table<T> gram = weighted_gram(c, c.mu_hat);
       return {trace(covariance(phi, c.weights, T(1), T(0)) * gram), trace(gram) / T(c.d * c.d)};
     }},
    {.id = "false-base-measure",
     .source = "bellman-q",
     .relation = Relation::kEqual,
     .statement = "∑_s' P(s'|s,a) = 1 for densities, forgetting ν",
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Table<T> P = kernel(c, c.phi, c.mu);
       T total = T(0);
       for (int s = 0; s < c.S; ++s) total = total + P(0, s) / c.nu(s);
       return {total, T(1)};
     }},
    {.id = "false-gap-sup",
     .source = "optimism-gap-sup",
     .statement = "g ≤ (1/2)/(1−γ)",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Online<T> o = online(c);
       const Column<T> V = value(o.P, o.r, c.pi, c.gamma);
       return {max_abs(model_gap(o.P, o.P_hat, V)), fraction<T>(1, 2) / (T(1) - c.gamma)};
     }},
    {.id = "false-d-over-n",
     .source = "regret-bonus-d-over-n-corrected",
     .statement = "≤ 1/n instead of d/n",
     .assumes = kOnline,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Online<T> o = online(c);
       const Table<T> Sigma = covariance(c.phi_hat, o.rho_uniform, o.n, c.lambda);
       return {dot(o.rho_uniform, squared_norms(c.phi_hat, Sigma)), T(1) / o.n};
     }},
    {.id = "false-step-back",
     .source = "offline-step-back",
     .statement = "ωE g² with ω − 1 for ω/γ",
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       const Offline<T> o = offline(c, true);
       return {dot(o.pairs, squares(o.P * average(c.pi, c.g))),
               (o.omega - T(1)) * dot(o.pairs, squares(c.g))};
     }},
    {.id = "false-generalisation-long",
     .source = "gen-theorem",
     .statement = "with C' = C, i.i.d. data",
     .shape = Shape::kLongErm,
     .assumes = kDensities | kProcessValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return failure_probability(c, c.bound);
     }},
    {.id = "false-generalisation-adaptive",
     .source = "gen-theorem-adaptive",
     .statement = "with C' = C, adaptive data",
     .shape = Shape::kAdversary,
     .assumes = kDensities | kProcessValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> { return adaptive_failure(c, c.bound); }},
    {.id = "false-concentration",
     .source = "bonus-concentration-explicit",
     .statement = "Σ ⪯ 1.02 Σ̂ and Σ̂ ⪯ 1.02 Σ",
     .shape = Shape::kWalk,
     .assumes = kWalkValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       return explicit_concentration(c, fraction<T>(102, 100), fraction<T>(102, 100));
     }},
    {.id = "false-svd-one-less",
     .source = "svd-form-top-d",
     .statement = "k features gain at most σ₁² + … + σ²_{k−1}",
     .shape = Shape::kObjective,
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       if (c.d < 2) return undefined<T>();
       return features_against_singular_values(c, c.d - 1, c.d - 2);
     }},
    {.id = "false-history-first-policy",
     .source = "history-dependent-policies",
     .relation = Relation::kEqual,
     .statement = "a policy that changes after the first step has the value of its first policy",
     .assumes = kMdpValid,
     .check = []<class T>(const Case<T>& c) -> Sides<T> {
       Sides<T> sides = with_memory(c, false);
       sides.left = dot(c.rho, value(kernel(c, c.phi, c.mu), reward(c), c.pi, c.gamma));
       return sides;
     }},
};

}  // namespace

std::span<const Entry> false_statements() { return kFalse; }

}  // namespace speder::audit

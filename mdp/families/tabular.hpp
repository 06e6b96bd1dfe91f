#pragma once

#include "speder/core/rng.hpp"
#include "speder/mdp/families/instance.hpp"

namespace speder {

/// DEVIATION-7: one more coordinate, with μ = 0, carries the reward.
/// Exact features of any tabular MDP with any reward in [0,1], P: (SA × S) probabilities. With n
/// the number of states that some pair leads to and d = n + 1,
///   φ(s,a) = (√(n/d) P(·|s,a), r(s,a)/√d),   μ(s') = (√(d/n) e_{s'}, 0),   θ_r = (0, √d),
/// so that |φ|² ≤ n/d + 1/d = 1, |θ_r| = √d and sup_g |∑ μ g| = √(d/n) √n = √d: Assumption
/// [assump:low_rank_mdp] holds. The last coordinate carries the reward alone, hence rank(P) ≤ d
/// − 1.
[[nodiscard]] Blueprint tabular_blueprint(const SparseMatrix& P, Vector reward, Vector rho);

/// A distribution on `successors` distinct states, weights Dirichlet(1); `forced` (if ≥ 0) is among
/// them.
[[nodiscard]] std::vector<std::pair<Index, double>> random_successors(Index states,
                                                                      Index successors,
                                                                      Index forced, Rng& rng);

/// (SA × S) kernel of random_successors, one stream per state. One random action of each state s
/// can reach σ(s), σ a random permutation: then some S rows have a non-zero diagonal up to
/// permutation, and with continuous weights rank(P) = S almost surely.
[[nodiscard]] SparseMatrix random_sparse_kernel(const InstanceSpec& spec, const SeedTree& seeds);

/// Fisher–Yates.
[[nodiscard]] std::vector<Index> random_permutation(Index n, Rng& rng);

}  // namespace speder

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "speder/deep/learn/agents/agent.hpp"
#include "speder/deep/sim/exact/exact_task.hpp"
#include "speder/learning/dataset.hpp"

namespace speder::deep {

/// What a learner makes of the data of one run on an exact MDP.
struct ExactModel {
  std::string name;
  Matrix P;                      // (SA × S)  as learned: rows need not be distributions
  std::optional<Policy> policy;  // its actor's, beside the one planned in P
  std::optional<Policy> greedy;  // in its Q: what the actor would be without a bonus
};

/// How far a model is from the truth. With ρ the pairs' frequencies in the data and p = ρᵀP*,
///   K = D_ρ^½ P D_p^−½,  K* the same of P*;  f, f*: their leading left singular functions, as many as P* has rank.
struct ExactRow {
  std::string name;
  std::vector<double> angles;  // between the spans of f and f* in L²(ρ), degrees, ascending
  Vector singular_values;      // of K, as many
  double kernel_error = 0;     // ∑ ρ ‖P̂ − P*‖₁, P̂ the kernel nearest to P
  double plan_gap = 0;         // J* − J of the optimal policy of P̂
  std::optional<double> policy_gap = {};  // J* − J of its actor's likeliest actions
  std::optional<double> greedy_gap = {};  // J* − J of the policy greedy in its Q
};

struct ExactReport {
  Index rank = 0;          // of P*
  Index steps = 0;         // of data
  Index pairs_seen = 0;    // different (s,a) in them
  double best = 0;         // J*
  double uniform = 0;      // J of the uniform policy
  Vector singular_values;  // of K*
  std::vector<ExactRow> rows;
};

/// ⟨φ̄(s,a), μ(s')⟩ p̂(s') of a trained agent, p̂ the next states' frequencies in the data: what the
/// networks say of P; and the agent's policy. Throws unless the agent has φ and μ.
[[nodiscard]] ExactModel deep_model(const Agent& agent, const ExactMdp& exact,
                                    const std::vector<Step>& data);
/// Least squares over all kernels of rank d, and over a class of `size` kernels around P* with P* in it.
[[nodiscard]] ExactModel spectral_model(const TabularMdp& mdp, const std::vector<Step>& data);
[[nodiscard]] ExactModel class_model(const TabularMdp& mdp, const std::vector<Step>& data, int size,
                                     const SeedTree& seeds);

[[nodiscard]] ExactReport compare_with_truth(const TabularMdp& mdp, const std::vector<Step>& data,
                                             const std::vector<ExactModel>& models);

/// Which state an observation is; throws when it is none.
[[nodiscard]] Index state_of_observation(const ExactMdp& exact, std::span<const float> observation);

}  // namespace speder::deep

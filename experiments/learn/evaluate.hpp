#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "speder/core/types.hpp"
#include "speder/mdp/model/policy.hpp"
#include "speder/mdp/model/tabular_mdp.hpp"
#include "speder/mdp/planners/planning.hpp"

namespace speder {

/// A policy in the true MDP, exactly.
struct PolicyTruth {
  double value = 0;  // E_ρ V^π = ⟨d^π, r_π⟩ / (1−γ)
  Vector mass;       // (S)  d^π
};

/// The truth, asked about what a learner proposes. Policies repeat, so deterministic ones are
/// remembered (a bounded number of them).
class TruthEvaluator {
 public:
  explicit TruthEvaluator(std::shared_ptr<const TabularMdp> mdp);

  [[nodiscard]] const TabularMdp& mdp() const { return *mdp_; }
  [[nodiscard]] double optimal_value() const { return optimal_value_; }  // E_ρ V*
  [[nodiscard]] const PlanResult& optimal() const { return optimal_; }
  /// The reference is invalidated by the next call.
  const PolicyTruth& at(const Policy& policy);

  /// Law of s' for s ~ mass, a ~ U(A), s' ~ P*.                                 (S)
  [[nodiscard]] Vector next_mass(const Vector& mass) const;

 private:
  struct Hash {
    std::size_t operator()(const std::vector<std::int32_t>& policy) const;
  };
  [[nodiscard]] PolicyTruth compute(const Policy& policy) const;

  std::shared_ptr<const TabularMdp> mdp_;
  PlanMethod method_;
  PlanResult optimal_;
  double optimal_value_ = 0;
  std::unordered_map<std::vector<std::int32_t>, PolicyTruth, Hash> seen_;
  PolicyTruth last_;
};

}  // namespace speder

#pragma once

#include "speder/core/eigen_instances.hpp"
#include "speder/mdp/planners/planning.hpp"

namespace speder {

/// Policy iteration in feature space, with its workspace: no allocation after construction, and
/// each call starts from the last call's policy, so that replanning a slightly changed problem is
/// one or two steps.
///
///   w = ∫ μ(s') V(s') ds'     V_π = R_π + γ Φ_π w     (I − γ K_π) w = Mᵀ(ν ∘ R_π)
///   K_π = Mᵀ diag(ν) Φ_π      (d × d)
///
/// One step costs one pass over Φ (SA·d) and S·d² + d³; memory is O(SA + d²).
class FactoredPlanner {
 public:
  struct View {
    Eigen::Ref<const Matrix> Phi;     // (SA × d)
    Eigen::Ref<const Matrix> Mu;      // (S × d)
    Eigen::Ref<const Vector> nu;      // (S)
    Eigen::Ref<const Vector> reward;  // (SA)
    double gamma;
  };

  FactoredPlanner(Index states, Index actions, Index rank);

  /// The next call starts from the actions that earn most at once.
  void start_greedy(const Vector& reward);
  const PlanResult& plan(const View& problem, const PlanOptions& options = {});
  [[nodiscard]] const PlanResult& result() const { return result_; }
  [[nodiscard]] PlanResult take() { return std::move(result_); }

 private:
  template <class Visit>
  void backup(const View& problem, const Visit& visit);
  void evaluate(const View& problem);   // w_ of the current policy
  double improve(const View& problem);  // q, value, greedy policy; returns max advantage
  double certify(const View& problem);  // ‖TV − V‖∞ from scratch
  Index states_;
  Index actions_;
  Matrix K_;  // (d × d)
  Vector k_;  // (d)  Mᵀ(ν ∘ R_π)
  Vector w_;  // (d)
  Eigen::PartialPivLU<Matrix> lu_;
  PlanResult result_;
};

}  // namespace speder

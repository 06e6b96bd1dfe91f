#pragma once

#include <Eigen/LU>

#include "speder/core/eigen_instances.hpp"
#include "speder/core/types.hpp"
#include "speder/mdp/model/kernel.hpp"
#include "speder/mdp/model/policy.hpp"

namespace speder {

/// P^π(s'|s) = ∑_a π(a|s) P(s'|s,a), as probabilities: P^π = Φ^π (νM)ᵀ with Φ^π(s) = E_π φ(s,·).
/// Never formed unless asked for. The kernel must outlive it.   [table:spectral_connections]
class StateDynamics {
 public:
  StateDynamics(const Kernel& kernel, const Policy& policy);

  [[nodiscard]] Index states() const { return kernel_->states(); }
  [[nodiscard]] Index rank() const { return kernel_->rank(); }
  [[nodiscard]] Vector times(const Vector& f) const {  // P^π f: expectations       (S)
    return phi_pi_.times(kernel_->project(f));
  }
  [[nodiscard]] Vector transpose_times(const Vector& d) const {  // (P^π)ᵀ d         (S)
    return kernel_->nu().cwiseProduct(kernel_->mu().times(phi_pi_.transpose_times(d)));
  }
  [[nodiscard]] Matrix dense() const;                                        // (S × S)
  [[nodiscard]] const Factor& averaged_features() const { return phi_pi_; }  // Φ^π  (S × d)
  [[nodiscard]] const Kernel& kernel() const { return *kernel_; }

 private:
  const Kernel* kernel_;
  Factor phi_pi_;
};

/// (I − γP^π)⁻¹ = ∑_t γ^t (P^π)^t, through the smaller of a d × d and an |S| × |S| system.
class Resolvent {
 public:
  static constexpr Index kLargest = 8192;  // order of the dense system: 512 MiB
  Resolvent(const StateDynamics& dynamics, double gamma);
  [[nodiscard]] Vector times(const Vector& f) const;            // (I − γP^π)⁻¹ f
  [[nodiscard]] Vector transpose_times(const Vector& d) const;  // (I − γP^π)⁻ᵀ d

 private:
  [[nodiscard]] Vector solve(const Vector& f) const;
  [[nodiscard]] Vector transpose_solve(const Vector& d) const;
  const StateDynamics* dynamics_;
  double gamma_;
  bool factored_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
};

}  // namespace speder

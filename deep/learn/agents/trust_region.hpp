#pragma once

#include <functional>

#include "speder/deep/learn/nn/mlp.hpp"

namespace speder::deep {

/// N(m_θ(s), diag σ²) with a σ that is the same in every state. θ and log σ move together.
struct GaussianPolicy {
  Mlp mean;        // m_θ
  Tensor log_std;  // (A)

  [[nodiscard]] Tensor log_prob(const Tensor& states, const Tensor& actions) const;  // (n)
  /// Those of the mean, then log σ.
  [[nodiscard]] std::vector<Tensor> parameters() const { return with(mean.parameters(), log_std); }
};

/// Where a policy is in action space: m_θ(s) (n, A) and log σ (A), without gradient.
struct PolicyPoint {
  Tensor mean, log_std;
};
[[nodiscard]] PolicyPoint policy_point(const GaussianPolicy& policy, const Tensor& states);
/// mean over states of KL(old ‖ now) = ∑ log σ/σ₀ + (σ₀² + (m₀ − m)²)/2σ² − ½.
[[nodiscard]] Tensor mean_kl(const PolicyPoint& old, const GaussianPolicy& policy,
                             const Tensor& states);

/// mean ρA, ρ = π/π_old.
[[nodiscard]] Tensor surrogate(const Tensor& log_prob, const Tensor& old_log_prob,
                               const Tensor& advantage);

/// Several tensors as one vector in double precision, and back.
[[nodiscard]] Tensor flattened(const std::vector<Tensor>& tensors);
[[nodiscard]] std::vector<Tensor> unflattened(const Tensor& flat, const std::vector<Tensor>& like);

/// Jv of one network: the derivative of its output when the parameters move by `tangents`.
/// ż_l = ḣ_{l−1}W_lᵀ + h_{l−1}Ẇ_lᵀ + ḃ_l,  ḣ_l = f′(z_l) ż_l.
[[nodiscard]] Tensor pushforward(const Mlp& network, const Tensor& x,
                                 const std::vector<Tensor>& tangents);  // (n, out)

/// (F + ξI)v, F the Fisher matrix of the policy at its own parameters, averaged over the states:
/// F = ((1/n) ∑ Jᵀσ⁻²J, 2I). Jv is a tangent pass and Jᵀu an ordinary backward one: the network is one
/// node of the graph and cannot be differentiated twice.
[[nodiscard]] Tensor fisher_product(const GaussianPolicy& policy, const Tensor& states,
                                    const Tensor& v, double damping);

/// x with Ax = b from 0, at most so many iterations; stays where it is once the squared residual is
/// below 1e-10. Nothing is read off the device.
[[nodiscard]] Tensor conjugate_gradient(const std::function<Tensor(const Tensor&)>& product,
                                        const Tensor& b, int iterations);

struct TrustRegionOptions {
  double radius = 0.01;  // δ
  int iterations = 10;
  double damping = 0.1;  // ξ
};

struct TrustRegionStep {
  bool taken = false;
  int backtracks = 0;
  double improvement = 0;  // of the surrogate
  double kl = 0;           // mean KL(old‖new) of the step taken, 0 if none was
};

/// One step of the policy up `objective`, a function of its present parameters: the natural gradient
/// F⁻¹g scaled to ½xᵀFx = δ, halved until the objective has risen by a tenth of its linear prediction
/// and mean KL(old‖new) ≤ 1.5 δ. After ten halvings the parameters are what they were, bit for bit.
TrustRegionStep trust_region_step(const GaussianPolicy& policy, const Tensor& states,
                                  const std::function<Tensor()>& objective,
                                  const TrustRegionOptions& options);

}  // namespace speder::deep

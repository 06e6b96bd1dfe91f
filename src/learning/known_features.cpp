#include "speder/learning/known_features.hpp"

#include <cmath>

#include "speder/core/check.hpp"
#include "speder/core/tolerance.hpp"

namespace speder {

KnownFeaturesModel::KnownFeaturesModel(const Matrix& Phi, Index actions, const OfflineTask& task,
                                       const ModelOptions& options)
    : Phi_(Phi),
      actions_(actions),
      reward_(task.reward),
      gamma_(task.gamma),
      options_(options),
      covariance_(Phi.rows(), Phi.cols()) {
  require(Phi.rows() == reward_.size(), "phi must have |S||A| rows", Phi.rows());
  const Index states = Phi.rows() / actions;
  covariance_.set_features(Phi);
  targets_ = Matrix::Zero(Phi.cols(), states);
  plan_.value = Vector::Zero(states);
  plan_.policy.resize(static_cast<std::size_t>(states));
}

void KnownFeaturesModel::add(const Step& step, double count) {
  covariance_.visit(step.pair, count);
  targets_.col(step.next) += count * Phi_.row(step.pair).transpose();
}

const ModelPlan& KnownFeaturesModel::plan(double n) {
  const auto d = static_cast<double>(Phi_.cols());
  const double ceiling = 1 / (1 - gamma_);
  plan_.lambda = options_.bonus.lambda;
  // β = c_α d √log(2dn/δ) / (1−γ)
  plan_.alpha =
      options_.bonus.alpha * d * std::sqrt(std::log(2 * d * n / options_.delta)) * ceiling;
  plan_.bonus = covariance_.bonus(plan_.alpha, plan_.lambda);
  const double sign = options_.attitude == Attitude::kOptimistic ? 1 : -1;
  const Vector shaped = reward_ + sign * plan_.bonus;
  // M̂ = Λ⁻¹ ∑ᵢ φ(xᵢ) e_{yᵢ}ᵀ                                                         (d × S)
  const Eigen::LLT<Matrix> Lambda(covariance_.covariance(plan_.lambda));
  const Matrix M = Lambda.solve(targets_);
  const auto horizon =
      static_cast<int>(std::ceil(std::log(tol::kBellman * (1 - gamma_)) / std::log(gamma_)));
  plan_.value.setZero();
  double change = ceiling;
  // V ← clip(max_a r ± b + γ φᵀ M̂ V, 0, 1/(1−γ)); a sweep that changes nothing ends the recursion.
  for (int h = 0; h < horizon && change > 0; ++h) {
    const Vector w = gamma_ * (M * plan_.value);
    q_.noalias() = Phi_ * w;
    q_ += shaped;
    change = greedy_backup(q_, actions_, ceiling, plan_.value, plan_.policy);
  }
  return plan_;
}

}  // namespace speder

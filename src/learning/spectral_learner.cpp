#include "speder/learning/spectral_learner.hpp"

#include <cmath>

#include "speder/core/check.hpp"

namespace speder {
namespace {

// Free numbers of an |S||A| × |S| matrix of rank d.
double free_numbers(const SpectralShape& shape, Index rank) {
  return static_cast<double>(rank * (shape.pairs() + shape.states() - rank));
}

}  // namespace

SpectralModel::SpectralModel(SpectralShape shape, const OfflineTask& task,
                             const ModelOptions& options, double concentrability)
    : estimator_(shape),
      covariance_(shape.pairs(), estimator_.rank()),
      planner_(shape.states(), shape.actions, shape.states()),
      reward_(task.reward),
      gamma_(task.gamma),
      options_(options),
      concentrability_(concentrability),
      rank_(static_cast<double>(estimator_.rank())),
      entropy_(free_numbers(shape, estimator_.rank()) + std::log(1 / options.delta)),
      identity_(Matrix::Identity(shape.states(), shape.states())),
      ones_(Vector::Ones(shape.states())) {
  require(reward_.size() == shape.pairs(), "the reward must have |S||A| entries", reward_.size());
}

void SpectralModel::add(const Step& step, double count) {
  estimator_.add(step, count);
  covariance_.visit(step.pair, count);
}

const Vector& SpectralModel::bonus() {
  bonus_ = covariance_.bonus(plan_.alpha, plan_.lambda);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> spectrum(
      Eigen::MatrixXd(covariance_.covariance(plan_.lambda)), Eigen::EigenvaluesOnly);
  const double largest = plan_.alpha / std::sqrt(spectrum.eigenvalues()[0]);
  for (Index x = 0; x < bonus_.size(); ++x) {
    if (estimator_.visits(x) == 0) bonus_[x] = largest;
  }
  return bonus_;
}

const ModelPlan& SpectralModel::plan(double n) {
  // Line 6: φ̂, μ̂ from D ∪ D'.   Line 7: Σ̂ in the new features.
  const SpectralFit& fit = estimator_.fit();
  covariance_.set_features(fit.Phi);
  // Line 8: b̂ = α ‖φ̂‖_{Σ̂⁻¹}.
  plan_.alpha =
      options_.bonus.alpha * rank_ * std::sqrt(concentrability_ * entropy_) / (1 - gamma_);
  plan_.lambda = options_.bonus.lambda * rank_ * (entropy_ + std::log(n));
  plan_.bonus = bonus();
  // Line 9: argmax_π V^π_{P̂, r ± b̂}, from the last policy.
  const double sign = options_.attitude == Attitude::kOptimistic ? 1 : -1;
  const Vector shaped = reward_ + sign * plan_.bonus;
  const PlanResult& planned = planner_.plan({fit.P, identity_, ones_, shaped, gamma_});
  if (planned.termination != Termination::kConverged) {
    throw std::runtime_error(
        fmt::format("planning in the spectral model ended with {} (residual {})",
                    to_string(planned.termination), planned.residual));
  }
  plan_.policy = planned.policy;
  plan_.value = planned.value;
  return plan_;
}

}  // namespace speder

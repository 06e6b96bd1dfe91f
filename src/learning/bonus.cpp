#include "speder/learning/bonus.hpp"

#include <cmath>

#include "speder/core/check.hpp"

namespace speder {

BonusConstants bonus_constants(std::string_view kind) {
  if (kind == "theory") return {1, 1};
  if (kind == "tuned") return {kTunedAlpha, 1};
  if (kind == "none") return {0, 1};
  throw InputError(fmt::format("unknown bonus '{}': use theory, tuned or none", kind));
}

double BonusSchedule::zeta(double n) const { return std::log(class_size / delta) / n; }

double BonusSchedule::lambda(double n) const {
  return constants.lambda * static_cast<double>(rank) * std::log(n * class_size / delta);
}

double BonusSchedule::alpha(double n) const {
  return constants.alpha * static_cast<double>(rank) * std::sqrt(concentrability * n * zeta(n)) /
         (1 - gamma);
}

EllipticalBonus::EllipticalBonus(Index pairs, Index rank)
    : counts_(Vector::Zero(pairs)),
      PhiT_(Matrix::Zero(rank, pairs)),
      sum_(Matrix::Zero(rank, rank)),
      Z_(rank, pairs),
      bonus_(Vector::Zero(pairs)) {}

void EllipticalBonus::set_features(const Matrix& Phi) {
  require(Phi.rows() == counts_.size() && Phi.cols() == sum_.rows(), "phi must be |S||A| × d",
          fmt::format("{} × {}", Phi.rows(), Phi.cols()));
  PhiT_ = Phi.transpose();
  // ∑_x N(x) φ φᵀ = Φᵀ diag(N) Φ
  sum_.noalias() = PhiT_ * counts_.asDiagonal() * Phi;
}

void EllipticalBonus::visit(Index pair, double count) {
  counts_[pair] += count;
  const auto phi = PhiT_.col(pair);
  for (Index k = 0; k < sum_.rows(); ++k) {
    for (Index l = 0; l < sum_.cols(); ++l) sum_(k, l) += count * phi[k] * phi[l];
  }
}

Matrix EllipticalBonus::covariance(double lambda) const {
  return sum_ + lambda * Matrix::Identity(sum_.rows(), sum_.cols());
}

const Vector& EllipticalBonus::bonus(double alpha, double lambda) {
  require(lambda > 0, "the regulariser λ must be positive", lambda);
  const Eigen::LLT<Matrix> chol(covariance(lambda));  // Σ̂ = L Lᵀ
  require(chol.info() == Eigen::Success, "the covariance is not positive definite");
  const auto& L = chol.matrixLLT();
  // b(x) = α √(φᵀ Σ̂⁻¹ φ) = α ‖L⁻¹ φ(x)‖₂, row k of Z at a time for all x.
  bonus_.setZero();
  for (Index k = 0; k < Z_.rows(); ++k) {
    Z_.row(k) = PhiT_.row(k);
    for (Index l = 0; l < k; ++l) Z_.row(k) -= L(k, l) * Z_.row(l);
    Z_.row(k) /= L(k, k);
    bonus_ += Z_.row(k).cwiseAbs2().transpose();
  }
  bonus_ = alpha * bonus_.cwiseSqrt();
  return bonus_;
}

}  // namespace speder

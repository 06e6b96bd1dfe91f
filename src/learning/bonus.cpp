#include "speder/learning/bonus.hpp"

#include <algorithm>
#include <cmath>

#include "speder/core/check.hpp"

namespace speder {
namespace {

constexpr Index kStrip = 16;  // pairs: eight registers of two doubles
using Strip = Eigen::Array<double, kStrip, 1>;

}  // namespace

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
      PhiT_(Matrix::Zero(rank, (pairs + kStrip - 1) / kStrip * kStrip)),
      sum_(Matrix::Zero(rank, rank)),
      Z_(rank, kStrip),
      bonus_(Vector::Zero(pairs)) {}

void EllipticalBonus::set_features(const Matrix& Phi) {
  require(Phi.rows() == counts_.size() && Phi.cols() == sum_.rows(), "phi must be |S||A| × d",
          fmt::format("{} × {}", Phi.rows(), Phi.cols()));
  PhiT_.leftCols(Phi.rows()) = Phi.transpose();
  // ∑_x N(x) φ φᵀ, pair by pair: the order does not depend on the machine, and most N are 0 at first.
  sum_.setZero();
  for (Index x = 0; x < Phi.rows(); ++x) {
    if (counts_[x] == 0) continue;
    for (Index k = 0; k < sum_.rows(); ++k) sum_.row(k) += counts_[x] * Phi(x, k) * Phi.row(x);
  }
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
  // b(x) = α √(φᵀ Σ̂⁻¹ φ) = α ‖L⁻¹ φ(x)‖₂, a strip of pairs at a time: it stays in registers and in L1.
  for (Index first = 0; first < bonus_.size(); first += kStrip) {
    Strip squares = Strip::Zero();
    for (Index k = 0; k < Z_.rows(); ++k) {
      Strip z = Eigen::Map<const Strip>(&PhiT_(k, first));
      for (Index l = 0; l < k; ++l) z -= L(k, l) * Eigen::Map<const Strip>(&Z_(l, 0));
      z /= L(k, k);
      Eigen::Map<Strip>(&Z_(k, 0)) = z;
      squares += z * z;
    }
    const Index count = std::min(kStrip, bonus_.size() - first);
    bonus_.segment(first, count) = (alpha * squares.sqrt()).matrix().head(count);
  }
  return bonus_;
}

}  // namespace speder

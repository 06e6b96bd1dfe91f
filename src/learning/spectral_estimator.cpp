#include "speder/learning/spectral_estimator.hpp"

#include <algorithm>
#include <cmath>

#include "speder/core/check.hpp"
#include "speder/core/spectral.hpp"

namespace speder {
namespace {

constexpr Index kGuard = 4;     // vectors beyond d: the iteration converges like σ²_{d+5}/σ_d²
constexpr int kMaxPowers = 24;  // beyond that starting from scratch is cheaper

void require_shape(const SpectralShape& shape) {
  require(shape.actions >= 1 && shape.states() >= 1, "spectral: no state or no action",
          shape.pairs());
  require(shape.rank >= 1, "spectral: the rank must be at least 1", shape.rank);
  require(shape.nu.allFinite() && shape.nu.minCoeff() > 0, "the base measure must be positive");
  if (shape.states() > SpectralEstimator::kMaxStates) {
    throw InputError(
        fmt::format("spectral: |S|={} is above {}, where the dense SVD takes minutes: use "
                    "a smaller MDP or --algorithm speder",
                    shape.states(), SpectralEstimator::kMaxStates));
  }
  const double bytes = 3.0 * sizeof(double) * static_cast<double>(shape.pairs()) *
                       static_cast<double>(shape.states());
  if (bytes <= static_cast<double>(SpectralEstimator::kMaxBytes)) return;
  throw InputError(fmt::format(
      "spectral: |S|={}, |A|={} need {:.0f} MiB for |S||A| x |S| tables, the limit is {} MiB: use "
      "a "
      "smaller MDP or --algorithm speder",
      shape.states(), shape.actions, bytes / (1 << 20), SpectralEstimator::kMaxBytes >> 20U));
}

}  // namespace

void project_row(Eigen::Ref<Eigen::RowVectorXd> q, const Vector& nu) {
  // τ over the entries that stay; each round drops those it makes negative, none comes back.
  double tau = (q.sum() - 1) / nu.sum();
  for (Index round = 0; round < q.size(); ++round) {
    double mass = 0;
    double measure = 0;
    for (Index y = 0; y < q.size(); ++y) {
      const bool stays = q[y] > tau * nu[y];
      mass += stays ? q[y] : 0;
      measure += stays ? nu[y] : 0;
    }
    const double next = (mass - 1) / measure;
    if (!(next > tau)) break;
    tau = next;
  }
  q = (q.transpose() - tau * nu).cwiseMax(0).transpose();
  q /= q.sum();  // rounding
}

SpectralEstimator::SpectralEstimator(SpectralShape shape) : shape_(std::move(shape)) {
  require_shape(shape_);
  const Index S = shape_.states();
  const Index pairs = shape_.pairs();
  rank_ = std::min(shape_.rank, S);
  inverse_ = shape_.nu.cwiseSqrt().cwiseInverse();
  counts_ = Matrix::Zero(pairs, S);
  visits_ = Vector::Zero(pairs);
  G_ = Matrix::Zero(S, S);
  is_changed_.assign(static_cast<std::size_t>(pairs), 0);
  fit_.Phi = Matrix::Zero(pairs, rank_);
  fit_.Mu = Matrix::Zero(S, rank_);
  fit_.P = Vector::Ones(pairs) * (shape_.nu / shape_.nu.sum()).transpose();
  fit_.spectrum = Vector::Zero(rank_);
}

// ± a aᵀ, a(y) = N(x,y) / √(N(x) ν(y)): row x of A.
void SpectralEstimator::add_share(Index x, double sign) {
  if (visits_[x] == 0) return;
  share_ = counts_.row(x).transpose().cwiseProduct(inverse_);
  const double weight = sign / visits_[x];
  for (Index y = 0; y < share_.size(); ++y) {
    if (share_[y] != 0) G_.row(y) += weight * share_[y] * share_.transpose();
  }
}

void SpectralEstimator::add(const Step& step, double count) {
  require(0 <= step.pair && step.pair < shape_.pairs(), "no such pair (s,a)", step.pair);
  require(0 <= step.next && step.next < shape_.states(), "no such state", step.next);
  char& changed = is_changed_[static_cast<std::size_t>(step.pair)];
  if (changed == 0) {
    add_share(step.pair, -1);
    changed_.push_back(step.pair);
    changed = 1;
  }
  counts_(step.pair, step.next) += count;
  visits_[step.pair] += count;
}

// All shares anew: what was added and taken away has left rounding errors.
void SpectralEstimator::rebuild() {
  G_.setZero();
  for (Index x = 0; x < visits_.size(); ++x) add_share(x, 1);
  rebuilt_at_ = data();
}

const SpectralFit& SpectralEstimator::fit() {
  if (changed_.empty()) return fit_;
  const bool doubled = data() >= 2 * rebuilt_at_;
  for (const Index x : changed_) {
    if (!doubled) add_share(x, 1);
    is_changed_[static_cast<std::size_t>(x)] = 0;
  }
  if (doubled) rebuild();
  const bool few = static_cast<Index>(changed_.size()) <= kGuard;
  if (doubled || !few || !power_iteration()) solve_from_scratch();
  changed_.clear();
  make_factors();
  return fit_;
}

void SpectralEstimator::solve_from_scratch() {
  // Dense: counts have repeated and vanishing singular values, on which Lanczos breaks down.
  const EigenResult solved =
      largest_eigenpairs(as_operator(G_), rank_ + kGuard, {SpectralMethod::kDense});
  if (solved.termination != Termination::kConverged) {
    throw std::runtime_error(fmt::format("spectral: the SVD of the empirical kernel ended with {}",
                                         to_string(solved.termination)));
  }
  basis_ = solved.vectors;
  fit_.spectrum = solved.values.head(rank_);
  fit_.steps = 0;
}

// X ← orth(G X) turned to the Ritz vectors of its span, until G x = θ x for the first d. X starts as
// the last basis and the rows that changed: a direction new with them may be orthogonal to the basis.
bool SpectralEstimator::power_iteration() {
  const Index m = basis_.cols();
  const auto rows = static_cast<Index>(changed_.size());
  Eigen::MatrixXd X(basis_.rows(), m + rows);
  X.leftCols(m) = basis_;
  for (Index i = 0; i < rows; ++i) {
    const Index x = changed_[static_cast<std::size_t>(i)];
    X.col(m + i) = counts_.row(x).transpose().cwiseProduct(inverse_) / visits_[x];
  }
  const Index width = std::min(m + rows, X.rows());
  X = thin_q(Eigen::HouseholderQR<Eigen::MatrixXd>(X), width);
  Eigen::MatrixXd GX = G_ * X;
  for (int step = 1; step <= kMaxPowers; ++step) {
    const Eigen::MatrixXd Q = thin_q(Eigen::HouseholderQR<Eigen::MatrixXd>(GX), width);
    const Eigen::MatrixXd GQ = G_ * Q;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> ritz(Eigen::MatrixXd(Q.transpose() * GQ));
    const Eigen::MatrixXd W = ritz.eigenvectors().rowwise().reverse();
    const Vector theta = ritz.eigenvalues().reverse();
    X.noalias() = Q * W;
    GX.noalias() = GQ * W;
    const double residual =
        (GX.leftCols(rank_) - X.leftCols(rank_) * theta.head(rank_).asDiagonal())
            .colwise()
            .norm()
            .maxCoeff();
    if (!(residual <= kResidual * theta[0])) continue;
    basis_ = X.leftCols(m);
    fit_.spectrum = theta.head(rank_);
    fit_.steps = step;
    return true;
  }
  return false;
}

void SpectralEstimator::make_factors() {
  const auto V = basis_.leftCols(rank_);
  const Matrix right = inverse_.asDiagonal() * V;  // V(y)/√ν(y)                         (S × d)
  // ∑_y p̂(x,y) √ν(y) V(y) = ∑_y N(x,y) V(y)/√ν(y) / N(x)
  fit_.Phi.noalias() = counts_ * right;
  for (Index x = 0; x < visits_.size(); ++x) fit_.Phi.row(x) /= std::max(visits_[x], tol::kUnit);
  const Matrix mass = shape_.nu.cwiseSqrt().asDiagonal() * V;  // μ(y)ν(y)/c              (S × d)
  fit_.P.noalias() = fit_.Phi * mass.transpose();
  for (Index x = 0; x < visits_.size(); ++x) project_row(fit_.P.row(x), shape_.nu);
  const double c = fit_.Phi.rowwise().norm().maxCoeff();
  fit_.Phi /= c;
  fit_.Mu = c * right;
  fit_.loss = -fit_.spectrum.sum();
}

}  // namespace speder

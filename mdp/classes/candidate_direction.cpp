#include "speder/mdp/classes/candidate_direction.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "speder/core/check.hpp"
#include "speder/core/tolerance.hpp"
#include "speder/mdp/classes/feature_class.hpp"

namespace speder {
namespace {

constexpr int kHalvings = 60;  // of an interval inside [0,1]: down to the last bit of a double
constexpr Index kHullRows = 3;

// ∑_s (∑_a ‖φ(s,a)‖₂)² ν(s)
double representation_spread(const Matrix& phi, Index actions, const Vector& nu) {
  double total = 0;
  for (Index s = 0; s < nu.size(); ++s) {
    const double sum = phi.middleRows(s * actions, actions).rowwise().norm().sum();
    total += sum * sum * nu[s];
  }
  return total;
}

bool normalised(const KnownKernel& truth, const Matrix& phi) {
  const double slack = 1 + tol::kSimplex;  // a truth on the boundary must count as inside
  return phi.rowwise().norm().maxCoeff() <= truth.row_norm * slack &&
         representation_spread(phi, truth.actions, truth.nu) <= truth.spread * slack;
}

Vector simplex_point(Index n, Rng& rng) {  // Dirichlet(1, …, 1)
  Vector p(n);
  for (double& x : p) x = rng.exponential();
  return p / p.sum();
}

Matrix target_phi(const KnownKernel& truth, double support, Rng& rng) {
  Matrix target = truth.phi;
  for (Index x = 0; x < target.rows(); ++x) {
    if (support < 1 && !rng.bernoulli(support)) continue;
    if (truth.mixture) {
      target.row(x) = simplex_point(target.cols(), rng).transpose();
    } else {
      const Vector w = simplex_point(kHullRows, rng);
      target.row(x).setZero();
      for (const double weight : w)
        target.row(x) += weight * truth.phi.row(rng.index(target.rows()));
    }
  }
  return target;
}

Matrix target_mu(const KnownKernel& truth, Rng& rng) {
  Matrix target(truth.mu.rows(), truth.mu.cols());
  for (Index k = 0; k < target.cols(); ++k) {
    target.col(k) = simplex_point(target.rows(), rng).cwiseQuotient(truth.nu);
  }
  return target;
}

// The d × d products that ‖P(t) − P*‖² is made of, one side each.
struct PhiSide {
  PhiSide(const KnownKernel& truth, const Matrix& U)
      : UU(U.transpose() * truth.weights.asDiagonal() * U),
        phiU(truth.phi.transpose() * truth.weights.asDiagonal() * U) {}
  Matrix UU;    // Uᵀ W U
  Matrix phiU;  // φᵀ W U
};
struct MuSide {
  MuSide(const KnownKernel& truth, const Matrix& V)
      : VV(V.transpose() * truth.nu.asDiagonal() * V),
        Vmu(V.transpose() * truth.nu.asDiagonal() * truth.mu) {}
  Matrix VV;   // Vᵀ N V
  Matrix Vmu;  // Vᵀ N μ
};

double trace(const Matrix& A, const Matrix& B) { return A.cwiseProduct(B.transpose()).sum(); }

// Coefficients of D(t)². With ⟨ABᵀ, CDᵀ⟩ = tr((AᵀWC)(DᵀNB)) and
// P(t) − P* = t (U μᵀ + φ Vᵀ) + t² U Vᵀ.
void set_coefficients(const KnownKernel& truth, const PhiSide& p, const MuSide& m,
                      Direction& direction) {
  direction.a = trace(p.UU, truth.mu_gram) + 2 * trace(p.phiU.transpose(), m.Vmu) +
                trace(truth.phi_gram, m.VV);
  direction.b = trace(p.UU, m.Vmu) + trace(p.phiU, m.VV);
  direction.c = trace(p.UU, m.VV);
}

}  // namespace

KnownKernel::KnownKernel(const Kernel& kernel, const Vector& pair_weights)
    : actions(kernel.actions()),
      phi(kernel.phi().to_dense()),
      mu(kernel.mu().to_dense()),
      nu(kernel.nu()),
      weights(pair_weights),
      mixture(has_mixture_form(phi, mu, nu)) {
  if (weights.size() == 0) {
    weights = Vector::Constant(phi.rows(), 1.0 / static_cast<double>(phi.rows()));
  }
  require(weights.size() == phi.rows(), "the class weights must have |S||A| entries",
          weights.size());
  require(weights.minCoeff() >= 0 && std::abs(weights.sum() - 1) <= tol::kSimplex,
          "the class weights must be a distribution over pairs; their sum is", weights.sum());
  phi_gram = phi.transpose() * weights.asDiagonal() * phi;
  mu_gram = mu.transpose() * nu.asDiagonal() * mu;
  row_norm = std::max(1.0, phi.rowwise().norm().maxCoeff());
  spread = std::max(static_cast<double>(phi.cols()), representation_spread(phi, actions, nu));
}

double Direction::distance(double t) const {
  return t * std::sqrt(std::max(0.0, a + 2 * b * t + c * t * t));
}

double Direction::solve(double radius) const {
  double low = 0;  // D(low) < radius ≤ D(high)
  double high = reach;
  if (distance(high) <= radius) return high;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (distance(middle) < radius ? low : high) = middle;
  }
  return high;
}

Direction random_direction(const KnownKernel& truth, const DirectionOptions& options, Rng& rng) {
  const bool move_mu = options.move_mu && truth.mixture && options.support >= 1;
  Direction direction{Matrix::Zero(truth.phi.rows(), truth.phi.cols()),
                      Matrix::Zero(truth.mu.rows(), truth.mu.cols())};
  if (options.move_phi) direction.U = target_phi(truth, options.support, rng) - truth.phi;
  if (move_mu) direction.V = target_mu(truth, rng) - truth.mu;
  while (direction.reach > tol::kSimplex &&
         !normalised(truth, truth.phi + direction.reach * direction.U)) {
    direction.reach /= 2;
  }
  set_coefficients(truth, {truth, direction.U}, {truth, direction.V}, direction);
  return direction;
}

double distance_to(const KnownKernel& truth, const Matrix& phi, const Matrix& mu) {
  Direction whole;
  set_coefficients(truth, {truth, phi - truth.phi}, {truth, mu - truth.mu}, whole);
  return whole.distance(1);
}

Vector product_distances(const KnownKernel& truth, std::span<const Matrix> phi,
                         std::span<const Matrix> mu) {
  std::vector<MuSide> mu_sides;
  for (const Matrix& m : mu) mu_sides.emplace_back(truth, m - truth.mu);
  Vector distance(static_cast<Index>(phi.size() * mu.size()));
  Index at = 0;
  Direction whole;
  for (const Matrix& f : phi) {
    const PhiSide phi_side(truth, f - truth.phi);
    for (const MuSide& mu_side : mu_sides) {
      set_coefficients(truth, phi_side, mu_side, whole);
      distance[at++] = whole.distance(1);
    }
  }
  return distance;
}

}  // namespace speder

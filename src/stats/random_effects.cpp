#include "speder/stats/random_effects.hpp"

#include <algorithm>
#include <cmath>

#include "speder/core/eigen_instances.hpp"
#include "speder/core/tolerance.hpp"
#include "speder/stats/statistics.hpp"

namespace speder {
namespace {

constexpr int kMostNewtonSteps = 100;
constexpr int kMostDoublings = 200;
constexpr int kHalvings = 60;

// b at a given τ²: weighted least squares, or Newton's method where rows are censored (the likelihood
// is concave in b).
struct Conditional {
  Vector b;
  Matrix information;
  double residual = 0;  // ∑ r²/σ² + ∑ z h(z)
};

struct Score {
  double value = 0;  // of the log-likelihood
  Vector gradient;
  Matrix information;
  double residual = 0;
};

Score score(const EffectsData& data, const Vector& sigma2, const Vector& b) {
  const Index p = data.X.cols();
  Score out{0, Vector::Zero(p), Matrix::Zero(p, p), 0};
  for (Index i = 0; i < data.X.rows(); ++i) {
    const double sigma = std::sqrt(sigma2[i]);
    const Vector x = data.X.row(i).transpose();
    const double z = (data.y[i] - x.dot(b)) / sigma;
    if (data.censored[static_cast<std::size_t>(i)]) {
      const double h = normal_hazard(z);
      out.value += normal_log_upper_tail(z);
      out.gradient += h / sigma * x;
      out.information += std::max(h * (h - z), 0.0) / sigma2[i] * x * x.transpose();
      out.residual += z * h;
    } else {
      out.value -= z * z / 2;
      out.gradient += z / sigma * x;
      out.information += x * x.transpose() / sigma2[i];
      out.residual += z * z;
    }
  }
  return out;
}

// The known rows alone: exact when there are no others.
Vector least_squares(const EffectsData& data, const Vector& sigma2) {
  const Index p = data.X.cols();
  Matrix normal = Matrix::Zero(p, p);
  Vector moment = Vector::Zero(p);
  for (Index i = 0; i < data.X.rows(); ++i) {
    if (data.censored[static_cast<std::size_t>(i)]) continue;
    const Vector x = data.X.row(i).transpose();
    normal += x * x.transpose() / sigma2[i];
    moment += data.y[i] / sigma2[i] * x;
  }
  return normal.ldlt().solve(moment);
}

Conditional conditional(const EffectsData& data, double tau2) {
  const Vector sigma2 = data.s2.array() + tau2;
  Vector b = least_squares(data, sigma2);
  Score at = score(data, sigma2, b);
  const bool any = std::ranges::find(data.censored, true) != data.censored.end();
  for (int step = 0; any && step < kMostNewtonSteps; ++step) {
    const Vector direction = at.information.ldlt().solve(at.gradient);
    if (!(direction.dot(at.gradient) > tol::kLikelihood)) break;
    double length = 1;
    Score next = score(data, sigma2, b + direction);
    for (int i = 0; i < kHalvings && !(next.value >= at.value); ++i) {
      length /= 2;
      next = score(data, sigma2, b + length * direction);
    }
    b += length * direction;
    at = std::move(next);
  }
  return {std::move(b), std::move(at.information), at.residual};
}

}  // namespace

EffectsFit fit_effects(const EffectsData& data) {
  EffectsFit out;
  const auto known = std::ranges::count(data.censored, false);
  out.freedom = static_cast<double>(known - data.X.cols());
  const auto excess = [&](double tau2) { return conditional(data, tau2).residual > out.freedom; };
  if (excess(0)) {
    double low = 0, high = 1;
    for (int i = 0; i < kMostDoublings && excess(high); ++i) high *= 2;
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = (low + high) / 2;
      (excess(middle) ? low : high) = middle;
    }
    out.tau2 = high;
  }
  Conditional at = conditional(data, out.tau2);
  out.b = std::move(at.b);
  out.covariance = at.information.ldlt().solve(Matrix::Identity(data.X.cols(), data.X.cols()));
  return out;
}

}  // namespace speder

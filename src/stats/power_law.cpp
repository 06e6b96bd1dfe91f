#include "speder/stats/power_law.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <vector>

#include "speder/core/tolerance.hpp"
#include "speder/stats/statistics.hpp"

namespace speder {
namespace {

constexpr int kMaxSteps = 200;            // Newton steps; a dozen are usual
constexpr double kShortestStep = 1e-10;   // of a Newton step: below it rounding hides any rise
constexpr double kLeastVariance = 1e-18;  // σ² of an exact fit: keeps the hazard finite

struct Datum {
  double u, v, w;
  Censoring censoring;
};

using Coefficients = Eigen::Vector3d;

Eigen::Vector3d basis(double u, Shape shape) { return {1, u, shape == Shape::kCurved ? u * u : 0}; }

Coefficients least_squares(const std::vector<Datum>& data, Shape shape) {
  Eigen::Matrix3d gram = Eigen::Matrix3d::Zero();
  Eigen::Vector3d moment = Eigen::Vector3d::Zero();
  for (const Datum& d : data) {
    const Eigen::Vector3d f = basis(d.u, shape);
    gram += d.w * f * f.transpose();
    moment += d.w * d.v * f;
  }
  if (shape == Shape::kStraight) gram(2, 2) = 1;
  return gram.ldlt().solve(moment);
}

// θ = (β/σ, 1/σ): in these coordinates the log-likelihood is concave (Olsen 1978).
using Theta = Eigen::Vector4d;
struct Likelihood {
  double value = 0;
  Theta gradient = Theta::Zero();
  Eigen::Matrix4d curvature = Eigen::Matrix4d::Zero();  // −Hessian
};

// z = √w (v/σ − f·β/σ): uncensored log(1/σ) − z²/2, above log(1 − Φ(z)), below log Φ(z).
Likelihood likelihood(const std::vector<Datum>& data, const Theta& theta, Shape shape) {
  Likelihood out;
  const double h = theta[3];
  for (const Datum& d : data) {
    const double root = std::sqrt(d.w);
    Theta dz;  // ∂z/∂θ
    dz << -root * basis(d.u, shape), root * d.v;
    const double z = dz.dot(theta);
    if (d.censoring == Censoring::kNone) {
      out.value += std::log(h) - z * z / 2;
      out.gradient -= z * dz;
      out.gradient[3] += 1 / h;
      out.curvature += dz * dz.transpose();
      out.curvature(3, 3) += 1 / (h * h);
      continue;
    }
    const double side = d.censoring == Censoring::kAbove ? 1 : -1;
    const double tail = normal_hazard(side * z);
    out.value += normal_log_upper_tail(side * z);
    out.gradient -= side * tail * dz;
    out.curvature += std::max(tail * (tail - side * z), 0.0) * dz * dz.transpose();
  }
  const double pull = kLeastVariance * static_cast<double>(data.size());
  out.value -= pull * h * h / 2;  // keeps σ > 0 when the fit is exact
  out.gradient[3] -= pull * h;
  out.curvature(3, 3) += pull;
  if (shape == Shape::kStraight) out.curvature(2, 2) = 1;
  return out;
}

// Newton's method with step halving from θ = (β/σ, 1/σ) of the uncensored reading.
Coefficients maximise(const std::vector<Datum>& data, const Coefficients& start, Shape shape) {
  double variance = kLeastVariance;
  for (const Datum& d : data) {
    const double residual = d.v - start.dot(basis(d.u, shape));
    variance += d.w * residual * residual / static_cast<double>(data.size());
  }
  Theta theta;
  theta << start / std::sqrt(variance), 1 / std::sqrt(variance);
  Likelihood at = likelihood(data, theta, shape);
  for (int step = 0; step < kMaxSteps; ++step) {
    const Theta direction = at.curvature.ldlt().solve(at.gradient);
    if (!(direction.dot(at.gradient) > tol::kLikelihood)) break;  // the gain still to be had
    double length = 1;
    Theta next = theta + direction;
    while (length > kShortestStep &&
           (!(next[3] > 0) || !(likelihood(data, next, shape).value >= at.value))) {
      length /= 2;
      next = theta + length * direction;
    }
    if (length <= kShortestStep) break;
    theta = next;
    at = likelihood(data, theta, shape);
  }
  return theta.head<3>() / theta[3];
}

Coefficients solve(const std::vector<Datum>& data, Shape shape) {
  const Coefficients beta = least_squares(data, shape);
  const bool censored =
      std::ranges::any_of(data, [](const Datum& d) { return d.censoring != Censoring::kNone; });
  return censored ? maximise(data, beta, shape) : beta;
}

double explained(const std::vector<Datum>& data, const Coefficients& beta, Shape shape) {
  double w = 0, mean = 0, residual = 0, total = 0;
  for (const Datum& d : data) {
    if (d.censoring != Censoring::kNone) continue;
    w += d.w;
    mean += d.w * d.v;
  }
  mean /= w;
  for (const Datum& d : data) {
    if (d.censoring != Censoring::kNone) continue;
    const double r = d.v - beta.dot(basis(d.u, shape));
    residual += d.w * r * r;
    total += d.w * (d.v - mean) * (d.v - mean);
  }
  return total > 0 ? 1 - residual / total : 1;
}

}  // namespace

double PowerLaw::slope_at(double x) const { return b + 2 * c * (std::log(x) - centre); }
double PowerLaw::value_at(double x) const {
  const double u = std::log(x) - centre;
  return std::exp(a + b * u + c * u * u);
}

std::optional<PowerLaw> fit_power_law(std::span<const CurvePoint> points, Shape shape) {
  std::vector<Datum> data;
  int uncensored = 0;
  double low = INFINITY, high = -INFINITY;
  for (const CurvePoint& p : points) {
    if (!(p.x > 0 && p.y > 0 && p.weight > 0 && std::isfinite(p.y))) continue;
    data.push_back({std::log(p.x), std::log(p.y), p.weight, p.censoring});
    uncensored += p.censoring == Censoring::kNone ? 1 : 0;
    low = std::min(low, data.back().u);
    high = std::max(high, data.back().u);
  }
  if (uncensored < static_cast<int>(shape) + 3 || !(high > low)) return std::nullopt;
  PowerLaw out;
  out.centre = (low + high) / 2;
  double mean_weight = 0;
  for (const Datum& d : data) mean_weight += d.w / static_cast<double>(data.size());
  for (Datum& d : data) {
    d.u -= out.centre;
    d.w /= mean_weight;
  }
  const Coefficients beta = solve(data, shape);
  out.a = beta[0];
  out.b = beta[1];
  out.c = shape == Shape::kCurved ? beta[2] : 0;
  out.r2 = explained(data, beta, shape);
  return out;
}

}  // namespace speder

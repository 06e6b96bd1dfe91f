#include "core/power_law.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/tolerance.hpp"

namespace speder {
namespace {

constexpr int kMaxSteps = 500;           // EM steps; each one raises the likelihood
constexpr double kLeastVariance = 1e-18;  // σ² of an exact fit: keeps the hazard finite

struct Datum {
  double u, v, w;
  Censoring censoring;
};

// φ(z)/(1 − Φ(z)): the mean of a standard normal known to lie above z.
double hazard(double z) {
  constexpr double kAsymptotic = 30;  // 1 − Φ underflows further out; hazard = z + 1/z + O(z⁻³)
  if (z > kAsymptotic) return z + 1 / z;
  const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  return density / (std::erfc(z / std::numbers::sqrt2) / 2);
}

struct Moments {
  double mean, variance;
};

// Mean and variance of N(μ, σ²) known to lie above (or below) the limit.
Moments truncated(double mu, double sigma, const Datum& d) {
  const double sign = d.censoring == Censoring::kAbove ? 1 : -1;
  const double z = sign * (d.v - mu) / sigma;
  const double h = hazard(z);
  const double shrink = std::clamp(1 - h * (h - z), 0.0, 1.0);
  return {mu + sign * sigma * h, sigma * sigma * shrink};
}

using Coefficients = Eigen::Vector3d;

Eigen::Vector3d basis(double u, Shape shape) {
  return {1, u, shape == Shape::kCurved ? u * u : 0};
}

Coefficients least_squares(const std::vector<Datum>& data, const std::vector<double>& v,
                           Shape shape) {
  Eigen::Matrix3d gram = Eigen::Matrix3d::Zero();
  Eigen::Vector3d moment = Eigen::Vector3d::Zero();
  for (std::size_t i = 0; i < data.size(); ++i) {
    const Eigen::Vector3d f = basis(data[i].u, shape);
    gram += data[i].w * f * f.transpose();
    moment += data[i].w * v[i] * f;
  }
  if (shape == Shape::kStraight) gram(2, 2) = 1;
  return gram.ldlt().solve(moment);
}

// One EM step: replaces censored values by their expectations, refits, re-estimates σ².
Coefficients em_step(const std::vector<Datum>& data, const Coefficients& beta, double& variance,
                     Shape shape) {
  std::vector<double> v(data.size());
  std::vector<double> spread(data.size(), 0.0);
  for (std::size_t i = 0; i < data.size(); ++i) {
    v[i] = data[i].v;
    if (data[i].censoring == Censoring::kNone) continue;
    const double mu = beta.dot(basis(data[i].u, shape));
    const Moments m = truncated(mu, std::sqrt(variance / data[i].w), data[i]);
    v[i] = m.mean;
    spread[i] = m.variance;
  }
  const Coefficients next = least_squares(data, v, shape);
  double total = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const double residual = v[i] - next.dot(basis(data[i].u, shape));
    total += data[i].w * (residual * residual + spread[i]);
  }
  variance = std::max(total / static_cast<double>(data.size()), kLeastVariance);
  return next;
}

Coefficients solve(const std::vector<Datum>& data, Shape shape) {
  std::vector<double> v;
  bool censored = false;
  for (const Datum& d : data) {
    v.push_back(d.v);
    censored = censored || d.censoring != Censoring::kNone;
  }
  Coefficients beta = least_squares(data, v, shape);
  if (!censored) return beta;
  double variance = 1;
  for (int step = 0; step < kMaxSteps; ++step) {
    const Coefficients next = em_step(data, beta, variance, shape);
    const double moved = (next - beta).cwiseAbs().maxCoeff();
    beta = next;
    if (moved < tol::kPowerLaw) break;
  }
  return beta;
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

#include "speder/stats/scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "speder/core/check.hpp"
#include "speder/core/eigen_instances.hpp"
#include "speder/core/rng.hpp"

namespace speder {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

double student(double p, double degrees_of_freedom) {
  return boost::math::quantile(boost::math::students_t(degrees_of_freedom), p);
}

// Weighted least squares of y on the columns of X with variances τ² + s².
struct Plane {
  Vector b;        // coefficients
  Matrix inverse;  // (XᵀWX)⁻¹
  double q = 0;    // ∑ w (y − Xb)²
};

Plane solve(const Matrix& X, const Vector& y, const Vector& s2, double tau2) {
  const Vector w = (s2.array() + tau2).inverse();
  const Matrix normal = X.transpose() * w.asDiagonal() * X;
  Plane out;
  out.inverse = normal.ldlt().solve(Matrix::Identity(X.cols(), X.cols()));
  out.b = out.inverse * (X.transpose() * w.cwiseProduct(y));
  out.q = w.dot((y - X * out.b).cwiseAbs2());
  return out;
}

// The τ² ≥ 0 at which the weighted residual sum is its expectation (Paule and Mandel): q falls in τ².
double between_variance(const Matrix& X, const Vector& y, const Vector& s2) {
  const auto freedom = static_cast<double>(X.rows() - X.cols());
  double low = 0, high = 1;
  if (solve(X, y, s2, 0).q <= freedom) return 0;
  while (solve(X, y, s2, high).q > freedom) high *= 2;
  constexpr int kHalvings = 60;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (solve(X, y, s2, middle).q > freedom ? low : high) = middle;
  }
  return high;
}

struct RandomEffects {
  Plane plane;
  Matrix covariance;
  double tau2 = 0;
  double freedom = 0;
};

RandomEffects random_effects(const Matrix& X, const Vector& y, const Vector& s2) {
  RandomEffects out;
  out.freedom = static_cast<double>(X.rows() - X.cols());
  out.tau2 = between_variance(X, y, s2);
  out.plane = solve(X, y, s2, out.tau2);
  out.covariance = out.plane.inverse * std::max(1.0, out.plane.q / out.freedom);
  return out;
}

}  // namespace

Interval ScalingFit::interval(Index k, double level) const {
  if (!fitted) return {-kEndless, kEndless};
  const double half = student((1 + level) / 2, degrees_of_freedom) * std::sqrt(covariance(k, k));
  return {exponent[k] - half, exponent[k] + half};
}

double ScalingFit::detectable(Index k) const {
  if (!fitted) return kEndless;
  constexpr double kTwoSided = 0.975, kPower = 0.9;
  return (student(kTwoSided, degrees_of_freedom) + student(kPower, degrees_of_freedom)) *
         std::sqrt(covariance(k, k));
}

namespace {
// (v − p)ᵀ C⁻¹ (v − p) ≤ 2 F.
double ellipse_radius(double degrees_of_freedom, double level) {
  return std::sqrt(2 * boost::math::quantile(boost::math::fisher_f(2, degrees_of_freedom), level));
}
}  // namespace

bool ScalingFit::ellipse_contains(double p, double q, double level) const {
  require(fitted && exponent.size() == 2, "an ellipse needs a fit in two axes");
  const Eigen::Vector2d off(p - exponent[0], q - exponent[1]);
  const Eigen::Matrix2d C = covariance;
  const double radius = ellipse_radius(degrees_of_freedom, level);
  return off.dot(C.ldlt().solve(off)) <= radius * radius;
}

std::vector<std::pair<double, double>> ScalingFit::ellipse(int count, double level) const {
  require(fitted && exponent.size() == 2, "an ellipse needs a fit in two axes");
  const Eigen::Matrix2d L = Eigen::Matrix2d(covariance).llt().matrixL();
  const double radius = ellipse_radius(degrees_of_freedom, level);
  std::vector<std::pair<double, double>> out;
  for (int i = 0; i <= count; ++i) {
    const double angle = 2 * std::numbers::pi * i / count;
    const Eigen::Vector2d at = radius * L * Eigen::Vector2d(std::cos(angle), std::sin(angle));
    out.emplace_back(exponent[0] + at[0], exponent[1] + at[1]);
  }
  return out;
}

ScalingFit fit_scaling(std::span<const ScalingPoint> points) {
  ScalingFit out;
  std::vector<const ScalingPoint*> used;
  for (const ScalingPoint& p : points) {
    if (p.censored) {
      ++out.censored;
    } else {
      used.push_back(&p);
    }
  }
  out.points = static_cast<int>(used.size());
  if (used.empty()) return out;
  const Index k = used.front()->x.size();
  const auto n = static_cast<Index>(used.size());
  if (n < k + 3) return out;
  Matrix X(n, 1 + k);
  Vector y(n), s2(n);
  for (Index i = 0; i < n; ++i) {
    const ScalingPoint& p = *used[static_cast<std::size_t>(i)];
    X(i, 0) = 1;
    X.row(i).tail(k) = p.x.transpose();
    y[i] = p.log_n;
    s2[i] = p.variance;
  }
  // A quantile of few runs may not move under resampling: no point is better than the typical one.
  std::vector<double> sorted(s2.begin(), s2.end());
  std::ranges::sort(sorted);
  constexpr double kTiny = 1e-8;  // all runs alike: the residuals alone decide
  s2 = s2.cwiseMax(std::max(sorted[sorted.size() / 2] / 4, kTiny));
  const RandomEffects fit = random_effects(X, y, s2);
  out.fitted = true;
  out.intercept = fit.plane.b[0];
  out.exponent = fit.plane.b.tail(k);
  out.covariance = fit.covariance.bottomRightCorner(k, k);
  out.tau = std::sqrt(fit.tau2);
  out.degrees_of_freedom = fit.freedom;
  // One axis at a time bent by a square, everything else as before.
  for (Index axis = 0; axis < k && n >= k + 4; ++axis) {
    const Vector x = X.col(1 + axis);
    const double middle = (x.maxCoeff() + x.minCoeff()) / 2;
    const double range = x.maxCoeff() - x.minCoeff();
    Matrix bent(n, 2 + k);
    bent.leftCols(1 + k) = X;
    bent.col(1 + k) = (x.array() - middle).square();
    if (range <= 0 || Eigen::FullPivLU<Eigen::MatrixXd>(bent).rank() < bent.cols()) continue;
    const RandomEffects square = random_effects(bent, y, s2);
    const double c = square.plane.b[1 + k];
    const double t = std::abs(c) / std::sqrt(square.covariance(1 + k, 1 + k));
    const double p =
        2 * boost::math::cdf(boost::math::complement(boost::math::students_t(square.freedom), t));
    if (p * static_cast<double>(k) < out.bend_p) {
      out.bend_p = p * static_cast<double>(k);
      out.bend = 2 * c * range;
    }
  }
  return out;
}

QuantilePoint run_quantile(std::span<const double> ends, double q) {
  require(!ends.empty(), "a quantile needs runs");
  const auto runs = ends.size();
  const auto of = [&](std::vector<double> values) {
    const auto rank = static_cast<std::size_t>(
        std::ceil(q * static_cast<double>(runs) * (1 - std::numeric_limits<double>::epsilon())));
    const std::size_t i = std::clamp<std::size_t>(rank, 1, runs) - 1;
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(i), values.end());
    return values[i];
  };
  QuantilePoint out{of({ends.begin(), ends.end()}), 0};
  if (!std::isfinite(out.n)) return out;
  constexpr int kResamples = 400;
  Rng rng = SeedTree(runs).stream("run-quantile");
  RunningMean logs;
  for (int r = 0; r < kResamples; ++r) {
    std::vector<double> sample(runs);
    for (double& x : sample)
      x = ends[static_cast<std::size_t>(rng.index(static_cast<Index>(runs)))];
    if (const double n = of(std::move(sample)); std::isfinite(n)) logs.add(std::log(n));
  }
  out.log_variance = logs.variance();
  return out;
}

ScalingJudgement judge_scaling(const ScalingFit& fit, Index k, double theory,
                               const ScalingGate& gate) {
  if (!gate.premises_hold || !gate.control_fails) return {Verdict::kNotATest, gate.reason};
  using enum Verdict;
  if (!fit.fitted || fit.points < kFewestScalingPoints)
    return {kInconclusive, fmt::format("{} points are too few", fit.points)};
  if (fit.censored > 0)
    return {kInconclusive, fmt::format("{} points lie beyond the budget", fit.censored)};
  const Interval i = fit.interval(k);
  const std::string where = fmt::format("[{:.2f}, {:.2f}] against {:g}", i.low, i.high, theory);
  if (fit.bend_p < kBendAlarm && std::abs(fit.bend) > kLeastBend)
    return {kInconclusive, fmt::format("bent: an exponent changes by {:+.2f} over its range; {}",
                                       fit.bend, where)};
  if ((i.high - i.low) / 2 > kWidestExponent) return {kInconclusive, "too wide: " + where};
  if (i.low > theory) return {kViolated, "the interval lies above the theory: " + where};
  if (i.high < theory)
    return {kBelow, fmt::format("under the theory by {:.2f} or more: {}", theory - i.high, where)};
  return {kTight, "the interval contains the theory's exponent: " + where};
}

}  // namespace speder

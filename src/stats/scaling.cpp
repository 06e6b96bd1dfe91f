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

namespace speder {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

double student(double p, double degrees_of_freedom) {
  return boost::math::quantile(boost::math::students_t(degrees_of_freedom), p);
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

double ScalingFit::value(const Vector& x) const { return intercept + exponent.dot(x); }

Interval ScalingFit::prediction(const Vector& x, double variance, double level) const {
  if (!fitted) return {-kEndless, kEndless};
  Vector row(1 + x.size());
  row << 1, x;
  const double spread = std::sqrt(row.dot(joint * row) + tau * tau + variance);
  const double half = student((1 + level) / 2, degrees_of_freedom) * spread;
  return {value(x) - half, value(x) + half};
}

namespace {

EffectsData effects_data(std::span<const ScalingPoint> points) {
  const Index k = points.front().x.size();
  const auto n = static_cast<Index>(points.size());
  EffectsData data{Matrix(n, 1 + k), Vector(n), Vector(n), {}};
  std::vector<double> sorted;
  for (Index i = 0; i < n; ++i) {
    const ScalingPoint& p = points[static_cast<std::size_t>(i)];
    data.X(i, 0) = 1;
    data.X.row(i).tail(k) = p.x.transpose();
    data.y[i] = p.log_n;
    data.s2[i] = p.variance;
    data.censored.push_back(p.censored);
    if (!p.censored) sorted.push_back(p.variance);
  }
  // A quantile of few runs may not move under resampling: no point is better than the typical one. A
  // bound has no variance of its own.
  std::ranges::sort(sorted);
  const double typical = sorted[sorted.size() / 2];
  constexpr double kTiny = 1e-8;  // all runs alike: the residuals alone decide
  for (Index i = 0; i < n; ++i) {
    if (data.censored[static_cast<std::size_t>(i)]) data.s2[i] = typical;
    data.s2[i] = std::max({data.s2[i], typical / 4, kTiny});
  }
  return data;
}

// One axis at a time bent by a square, everything else as before.
void test_bend(const EffectsData& data, ScalingFit& out) {
  const Index k = data.X.cols() - 1;
  if (out.points < k + 4) return;
  for (Index axis = 0; axis < k; ++axis) {
    const Vector x = data.X.col(1 + axis);
    const double middle = (x.maxCoeff() + x.minCoeff()) / 2;
    const double range = x.maxCoeff() - x.minCoeff();
    EffectsData bent = data;
    bent.X.conservativeResize(Eigen::NoChange, 2 + k);
    bent.X.col(1 + k) = (x.array() - middle).square();
    std::vector<Index> known;
    for (Index i = 0; i < bent.X.rows(); ++i)
      if (!data.censored[static_cast<std::size_t>(i)]) known.push_back(i);
    const Eigen::MatrixXd rows = bent.X(known, Eigen::all);
    if (range <= 0 || Eigen::FullPivLU<Eigen::MatrixXd>(rows).rank() < rows.cols()) continue;
    const EffectsFit square = fit_effects(bent);
    const double c = square.b[1 + k];
    const double t = std::abs(c) / std::sqrt(square.covariance(1 + k, 1 + k));
    const double p =
        2 * boost::math::cdf(boost::math::complement(boost::math::students_t(square.freedom), t));
    if (p * static_cast<double>(k) < out.bend_p) {
      out.bend_p = p * static_cast<double>(k);
      out.bend = 2 * c * range;
    }
  }
}

ScalingFit fit_plane(std::span<const ScalingPoint> points, bool straight_alone) {
  ScalingFit out;
  out.censored = static_cast<int>(std::ranges::count_if(points, &ScalingPoint::censored));
  out.points = static_cast<int>(points.size()) - out.censored;
  if (out.points == 0) return out;
  const Index k = points.front().x.size();
  if (out.points < k + 3) return out;
  const EffectsData data = effects_data(points);
  const EffectsFit fit = fit_effects(data);
  out.fitted = true;
  out.intercept = fit.b[0];
  out.exponent = fit.b.tail(k);
  out.joint = fit.covariance;
  out.covariance = fit.covariance.bottomRightCorner(k, k);
  out.tau = std::sqrt(fit.tau2);
  out.degrees_of_freedom = fit.freedom;
  if (straight_alone) return out;
  test_bend(data, out);
  for (Index axis = 0; axis < k; ++axis) out.models.push_back(compare_models(data, fit, axis));
  return out;
}

}  // namespace

ScalingFit fit_scaling(std::span<const ScalingPoint> points) { return fit_plane(points, false); }

HeldOutPoint hold_out_last(std::span<const ScalingPoint> points) {
  HeldOutPoint out;
  if (points.empty()) return out;
  const Index k = points.front().x.size();
  Vector low = points.front().x, high = low;
  for (const ScalingPoint& p : points) {
    low = low.cwiseMin(p.x);
    high = high.cwiseMax(p.x);
  }
  const auto distance = [&](const ScalingPoint& p) {
    double sum = 0;
    for (Index i = 0; i < k; ++i)
      if (high[i] > low[i]) sum += (p.x[i] - low[i]) / (high[i] - low[i]);
    return sum;
  };
  const auto last = std::ranges::max_element(points, {}, distance);
  out.index = static_cast<std::size_t>(last - points.begin());
  out.log_n = last->log_n;
  std::vector<ScalingPoint> others;
  for (const ScalingPoint& p : points)
    if (&p != &*last) others.push_back(p);
  const ScalingFit fit = fit_plane(others, true);
  if (!fit.fitted) return out;
  out.predicted = true;
  double variance = last->variance;
  if (last->censored) {  // as an average one of the others
    variance = 0;
    for (const ScalingPoint& p : others) variance += p.censored ? 0 : p.variance / fit.points;
  }
  out.prediction = fit.value(last->x);
  out.interval = fit.prediction(last->x, variance);
  out.inside = out.log_n <= out.interval.high && (last->censored || out.log_n >= out.interval.low);
  return out;
}

QuantilePoint run_quantile(std::span<const double> ends, double q) {
  require(!ends.empty(), "a quantile needs runs");
  std::vector<double> sorted(ends.begin(), ends.end());
  std::ranges::sort(sorted);
  const auto runs = static_cast<std::int64_t>(sorted.size());
  const auto wanted = static_cast<std::int64_t>(
      std::ceil(q * static_cast<double>(runs) * (1 - std::numeric_limits<double>::epsilon())));
  const std::int64_t rank = std::clamp<std::int64_t>(wanted, 1, runs);
  QuantilePoint out{sorted[static_cast<std::size_t>(rank - 1)], 0};
  if (!std::isfinite(out.n)) return out;
  // A resample's quantile is at most the j-th smallest run when `rank` of its draws are.
  double before = 0, weight = 0, mean = 0, square = 0;
  for (std::int64_t j = 1; j <= runs && std::isfinite(sorted[static_cast<std::size_t>(j - 1)]);
       ++j) {
    const double up_to =
        j == runs
            ? 1
            : binomial_upper_tail(runs, static_cast<double>(j) / static_cast<double>(runs), rank);
    const double log_n = std::log(sorted[static_cast<std::size_t>(j - 1)]);
    weight += up_to - before;
    mean += (up_to - before) * log_n;
    square += (up_to - before) * log_n * log_n;
    before = up_to;
  }
  mean /= weight;
  out.log_variance = std::max(0.0, square / weight - mean * mean);
  return out;
}

bool surely_late(std::span<const double> ends, double n, double delta) {
  constexpr double kLevel = 0.95;
  const auto late = std::ranges::count_if(ends, [=](double end) { return end > n; });
  return clopper_pearson(static_cast<std::int64_t>(ends.size()), late, kLevel).low > delta;
}

ScalingJudgement judge_scaling(const ScalingFit& fit, Index k, double theory,
                               const ScalingGate& gate) {
  if (!gate.premises_hold || !gate.control_fails) return {Verdict::kNotATest, gate.reason};
  using enum Verdict;
  if (!fit.fitted || fit.points < kFewestScalingPoints)
    return {kInconclusive, fmt::format("{} points are too few", fit.points)};
  const int all = fit.points + fit.censored;
  if (fit.censored > kCensoredShare * all)
    return {kInconclusive, fmt::format("{} of {} points lie beyond the budget", fit.censored, all)};
  const Interval i = fit.interval(k);
  const std::string where = fmt::format("[{:.2f}, {:.2f}] against {:g}", i.low, i.high, theory);
  if (fit.bend_p < kBendAlarm && std::abs(fit.bend) > kLeastBend)
    return {kInconclusive, fmt::format("bent: an exponent changes by {:+.2f} over its range; {}",
                                       fit.bend, where)};
  const ModelComparison& models = fit.models[static_cast<std::size_t>(k)];
  if (models.preferred == ScalingModel::kFloorPower)
    return {kInconclusive,
            fmt::format("c + x^p predicts left-out points better, with p = {:.2f}; {}",
                        models.of(ScalingModel::kFloorPower).exponent, where)};
  if ((i.high - i.low) / 2 > kWidestExponent) return {kInconclusive, "too wide: " + where};
  if (i.low > theory) {
    const ModelFit& log = models.of(ScalingModel::kPowerLog);
    if (log.fitted && log.interval.low <= theory)
      return {kInconclusive,
              fmt::format("above the theory, but x^p log x has p in [{:.2f}, {:.2f}]: {}",
                          log.interval.low, log.interval.high, where)};
    return {kViolated, "the interval lies above the theory: " + where};
  }
  if (i.high < theory)
    return {kBelow, fmt::format("under the theory by {:.2f} or more: {}", theory - i.high, where)};
  return {kTight, "the interval contains the theory's exponent: " + where};
}

}  // namespace speder

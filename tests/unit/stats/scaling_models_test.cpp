// Other laws than x^p, points beyond the budget, the point held out, power: by simulation.
#include <boost/math/distributions/gamma.hpp>
#include <cmath>
#include <functional>

#include "speder/core/rng.hpp"
#include "speder/stats/scaling.hpp"
#include "tests/catch.hpp"

using namespace speder;

namespace scaling_models_test {
namespace {

constexpr int kRepetitions = 1000;
constexpr double kSampling = 0.15;  // sd of log N from the runs of a cell
constexpr double kBetween = 0.1;    // sd that the runs do not show
constexpr double kOne = 1.0 / kRepetitions;

using Law = std::function<double(double)>;

ScalingPoint point(double x, double log_n) {
  return {.x = Vector::Constant(1, x), .log_n = log_n, .variance = kSampling * kSampling};
}

// Points at even distances of log x = log 8 … log 8 + log `range`.
std::vector<ScalingPoint> line(const Law& law, Rng& rng, int count = 8, double range = 8) {
  std::vector<ScalingPoint> out;
  for (int i = 0; i < count; ++i) {
    const double x = std::log(8.0) + i * std::log(range) / (count - 1);
    out.push_back(point(x, law(x) + kSampling * rng.normal() + kBetween * rng.normal()));
  }
  return out;
}

bool covers(Interval i, double truth) { return i.low <= truth && truth <= i.high; }

void censor_above(std::vector<ScalingPoint>& points, double budget) {
  for (ScalingPoint& p : points) {
    if (p.log_n <= budget) continue;
    p.log_n = budget;
    p.censored = true;
  }
}

}  // namespace

TEST_CASE("models: the exponent of x^p log x and of c + x^p is recovered", "[stats][scaling]") {
  Rng rng(11);
  double covered = 0, floors = 0, better = 0, false_alarms = 0, false_logs = 0;
  for (int r = 0; r < kRepetitions; ++r) {
    const Law log_law = [](double x) { return 1.5 * x + std::log(x); };
    covered +=
        covers(fit_scaling(line(log_law, rng)).models[0].of(ScalingModel::kPowerLog).interval, 1.5)
            ? kOne
            : 0;
    // c + x³ leaves its floor in the middle of sixteen points.
    const Law floor = [](double x) {
      return std::log(std::exp(3 * std::log(24.0)) + std::exp(3 * x));
    };
    const ModelComparison bent = fit_scaling(line(floor, rng, 16, 16)).models[0];
    floors += std::abs(bent.of(ScalingModel::kFloorPower).exponent - 3) < 1 ? kOne : 0;
    better += bent.preferred == ScalingModel::kFloorPower ? kOne : 0;
    const ModelComparison straight =
        fit_scaling(line([](double x) { return 2 * x; }, rng, 16, 16)).models[0];
    false_alarms += straight.preferred == ScalingModel::kFloorPower ? kOne : 0;
    false_logs += straight.preferred == ScalingModel::kPowerLog ? kOne : 0;
  }
  CHECK(covered >= 0.93);
  CHECK(floors >= 0.9);
  CHECK(better >= 0.9);
  CHECK(false_alarms <= 0.03);
  CHECK(false_logs <= 0.03);
}

TEST_CASE("censored points enter as bounds: coverage kept, bias halved", "[stats][scaling]") {
  // A flat law near the budget: which points are beyond it is a matter of noise, and those left are
  // the small ones.
  constexpr double kSlope = 0.3;
  Rng rng(12);
  double covered = 0;
  RunningMean as_bounds, dropped;
  for (int r = 0; r < kRepetitions; ++r) {
    std::vector<ScalingPoint> points = line([](double x) { return kSlope * x; }, rng, 10);
    censor_above(points, kSlope * (std::log(8.0) + 0.75 * std::log(8.0)));
    const ScalingFit fit = fit_scaling(points);
    std::erase_if(points, [](const ScalingPoint& p) { return p.censored; });
    const ScalingFit without = fit_scaling(points);
    if (!fit.fitted || !without.fitted) continue;
    covered += covers(fit.interval(0), kSlope) ? 1 : 0;
    as_bounds.add(fit.exponent[0] - kSlope);
    dropped.add(without.exponent[0] - kSlope);
  }
  CHECK(static_cast<double>(as_bounds.count()) >= 0.9 * kRepetitions);
  CHECK(covered >= 0.93 * static_cast<double>(as_bounds.count()));
  CHECK(dropped.mean() < -5 * dropped.standard_error());
  CHECK(std::abs(as_bounds.mean()) < std::abs(dropped.mean()) / 2);
}

TEST_CASE("a bound that the line contradicts widens the fit", "[stats][scaling]") {
  Rng rng(13);
  std::vector<ScalingPoint> points = line([](double x) { return 2 * x; }, rng);
  const ScalingFit before = fit_scaling(points);
  points.push_back(point(points.back().x[0] + 0.3, points.back().log_n + 10));
  points.back().censored = true;
  const ScalingFit after = fit_scaling(points);
  CHECK(after.exponent[0] > before.exponent[0]);
  CHECK(after.tau > before.tau + kSampling);
  // One that it does not changes next to nothing.
  points.back().log_n = points.front().log_n;
  const ScalingFit same = fit_scaling(points);
  CHECK(std::abs(same.exponent[0] - before.exponent[0]) < 1e-3);
}

TEST_CASE("the point held out lies in its prediction interval at least as often as stated",
          "[stats][scaling]") {
  Rng rng(14);
  double straight = 0, kinked = 0, bounded = 0;
  for (int r = 0; r < kRepetitions; ++r) {
    std::vector<ScalingPoint> points = line([](double x) { return 2 * x; }, rng);
    const HeldOutPoint last = hold_out_last(points);
    CHECK(last.index + 1 == points.size());
    straight += last.inside ? kOne : 0;
    points.back().log_n -= 3;  // only a bound, and far below
    points.back().censored = true;
    bounded += hold_out_last(points).inside ? kOne : 0;
    const Law kink = [](double x) { return x < std::log(48.0) ? 2 * x : 2 * x + 4; };
    kinked += hold_out_last(line(kink, rng)).inside ? kOne : 0;
  }
  CHECK(straight >= 0.93);
  CHECK(kinked <= 0.05);
  CHECK(bounded >= 0.99);
}

TEST_CASE("power: an exponent wrong by what is detectable is rejected nine times in ten",
          "[stats][scaling]") {
  // The distance from the average design, tried on fresh data.
  Rng rng(15);
  RunningMean distance;
  for (int r = 0; r < kRepetitions; ++r)
    distance.add(std::pow(fit_scaling(line([](double x) { return 2 * x; }, rng)).detectable(0), 2));
  const double wrong = std::sqrt(distance.mean());
  double rejected = 0;
  for (int r = 0; r < kRepetitions; ++r) {
    const Interval i = fit_scaling(line([](double x) { return 2 * x; }, rng)).interval(0);
    rejected += covers(i, 2 + wrong) ? 0 : kOne;
  }
  CHECK(rejected >= 0.86);
  CHECK(rejected <= 0.96);
}

TEST_CASE("runs of a toy with known N(d, A): the fit is right to its interval",
          "[stats][scaling]") {
  // A run ends at d² A times the mean of five exponentials: N is d² A times a number.
  constexpr int kRuns = 30;
  constexpr int kParts = 5;
  Rng rng(16);
  double p = 0, q = 0, both = 0, n_right = 0;
  for (int r = 0; r < kRepetitions; ++r) {
    std::vector<ScalingPoint> points;
    for (const double d : {6.0, 10.0, 16.0, 26.0, 40.0}) {
      for (const double A : {2.0, 4.0, 8.0, 16.0}) {
        std::vector<double> ends;
        for (int run = 0; run < kRuns; ++run) {
          double sum = 0;
          for (int i = 0; i < kParts; ++i) sum += rng.exponential();
          ends.push_back(d * d * A * sum / kParts);
        }
        const QuantilePoint n = run_quantile(ends, 0.9);
        Vector x(2);
        x << std::log(d), std::log(A);
        points.push_back({.x = x, .log_n = std::log(n.n), .variance = n.log_variance});
      }
    }
    const ScalingFit fit = fit_scaling(points);
    p += covers(fit.interval(0), 2) ? kOne : 0;
    q += covers(fit.interval(1), 1) ? kOne : 0;
    both += fit.ellipse_contains(2, 1) ? kOne : 0;
    // N(40, 16) is that times the 0.9-quantile of the gamma law with five parts.
    const boost::math::gamma_distribution<> law(kParts, 1.0 / kParts);
    Vector far(2);
    far << std::log(40.0), std::log(16.0);
    const double truth = std::log(1600 * 16 * boost::math::quantile(law, 0.9));
    n_right += std::abs(fit.value(far) - truth) < 0.2 ? kOne : 0;
  }
  CHECK(p >= 0.93);
  CHECK(q >= 0.93);
  CHECK(both >= 0.93);
  CHECK(n_right >= 0.9);
}

}  // namespace scaling_models_test

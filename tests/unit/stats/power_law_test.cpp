#include "speder/stats/power_law.hpp"

#include <cmath>
#include <vector>

#include "speder/core/rng.hpp"
#include "speder/core/tolerance.hpp"
#include "speder/stats/statistics.hpp"
#include "tests/catch.hpp"

using namespace speder;

namespace power_law_test {
TEST_CASE("fit_power_law: an exact power law is found exactly, whatever the weights",
          "[core][fit]") {
  std::vector<CurvePoint> points;
  for (const double x : {1.0, 2.0, 5.0, 30.0, 400.0}) {
    points.push_back({x, 3 * std::pow(x, -0.75), 1 + x, Censoring::kNone});
  }
  const auto fit = fit_power_law(points);
  REQUIRE(fit);
  CHECK_THAT(fit->b, WithinAbs(-0.75, tol::kLinearSolve));
  CHECK_THAT(fit->value_at(7), WithinRel(3 * std::pow(7, -0.75), tol::kLinearSolve));
  CHECK_THAT(fit->r2, WithinAbs(1, tol::kLinearSolve));
  const auto curve = fit_power_law(points, Shape::kCurved);
  REQUIRE(curve);
  CHECK_THAT(curve->c, WithinAbs(0, tol::kLinearSolve));
}

TEST_CASE("fit_power_law: weights decide, as in a hand-solved example", "[core][fit]") {
  // log y = 0, 0, 0, h at u = -1.5, -0.5, 0.5, 1.5 with h = 1: slope Σuv/Σu² = 1.5/5 = 0.3.
  const double e = std::exp(1.0);
  std::vector<CurvePoint> points;
  for (int k = 0; k < 4; ++k) points.push_back({std::exp(k), k == 3 ? e : 1.0});
  CHECK_THAT(fit_power_law(points)->b, WithinAbs(0.3, tol::kLinearSolve));
  // The line takes 0.3² · 5 = 0.45 of the sum of squares 0.75.
  CHECK_THAT(fit_power_law(points)->r2, WithinAbs(0.6, tol::kLinearSolve));
  // Weight w at the last point: x̄ = (3 + 3w)/(3 + w), slope = w·3·(3 − x̄)/… by Cramer's rule.
  const double w = 5;
  points[3].weight = w;
  const double sw = 3 + w, sx = 3 + 3 * w, sxx = 5 + 9 * w, sy = w, sxy = 3 * w;
  CHECK_THAT(fit_power_law(points)->b,
             WithinAbs((sw * sxy - sx * sy) / (sw * sxx - sx * sx), tol::kLinearSolve));
}

TEST_CASE("fit_power_law: a quadratic is found exactly, slopes at both ends", "[core][fit]") {
  std::vector<CurvePoint> points;
  for (int k = 0; k <= 6; ++k) {
    const double u = k - 3.0;
    points.push_back({std::exp(k), std::exp(2 - u + 0.1 * u * u)});
  }
  const auto fit = fit_power_law(points, Shape::kCurved);
  REQUIRE(fit);
  CHECK_THAT(fit->c, WithinAbs(0.1, tol::kLinearSolve));
  CHECK_THAT(fit->slope_at(std::exp(6)), WithinAbs(-1 + 0.6, tol::kLinearSolve));
  CHECK_THAT(fit->slope_at(1), WithinAbs(-1 - 0.6, tol::kLinearSolve));
}

TEST_CASE("fit_power_law: too few points are no fit, zeros have no logarithm", "[core][fit]") {
  std::vector<CurvePoint> points = {{1, 1}, {2, 2}, {4, 4}};
  CHECK(!fit_power_law(points));
  points.push_back({8, 0});
  CHECK(!fit_power_law(points));
  points.push_back({8, 8});
  CHECK(fit_power_law(points));
  points.back().censoring = Censoring::kAbove;
  CHECK(!fit_power_law(points));
  CHECK(!fit_power_law(std::vector<CurvePoint>{{2, 1}, {2, 2}, {2, 3}, {2, 4}}));
}

TEST_CASE("fit_power_law: censored points remove the bias that dropping them has", "[core][fit]") {
  // y = x² e^{noise}, only known as "> limit" above the limit: the mean slope over many samples is
  // 2 up to its standard error; dropping the censored points falls short by far more.
  constexpr int kSamples = 400;
  RunningMean kept, dropped;
  for (int s = 0; s < kSamples; ++s) {
    Rng rng = SeedTree(11).stream("censored", static_cast<std::uint64_t>(s));
    std::vector<CurvePoint> all, uncensored;
    for (int k = 0; k < 16; ++k) {
      const double x = std::exp2(k / 4.0);
      const double y = x * x * std::exp(0.5 * rng.normal());
      const double limit = 60;
      all.push_back({x, std::min(y, limit), 1, y > limit ? Censoring::kAbove : Censoring::kNone});
      if (y <= limit) uncensored.push_back(all.back());
    }
    kept.add(fit_power_law(all)->b);
    dropped.add(fit_power_law(uncensored)->b);
  }
  constexpr double kSigmas = 5;  // two-sided normal tail 6e-7 < tol::kFalseAlarm
  CHECK_THAT(kept.mean(), WithinAbs(2, kSigmas * kept.standard_error()));
  CHECK(dropped.mean() < 2 - kSigmas * dropped.standard_error());
}

TEST_CASE("fit_power_law: a censored point on the right side of an exact line changes nothing",
          "[core][fit]") {
  std::vector<CurvePoint> points;
  for (int k = 0; k < 6; ++k) points.push_back({std::exp2(k), std::exp2(3 * k)});
  points.push_back({64, 10, 1, Censoring::kAbove});   // truth 2^18 > 10
  points.push_back({0.5, 10, 1, Censoring::kBelow});  // truth 1/8 < 10
  CHECK_THAT(fit_power_law(points)->b, WithinAbs(3, tol::kAgreement));
}

}  // namespace power_law_test

#include "speder/stats/verdict.hpp"

#include <cmath>

#include "tests/catch.hpp"

using namespace speder;

namespace verdict_test {
namespace {

// 30 runs of y(x) with a run's own factor and noise.
RateFit measured(const std::function<double(double)>& y, double noise = 0.1, int octaves = 8,
                 int runs = 30) {
  Rng rng = SeedTree(7).stream("verdict");
  CurveTable table;
  for (int k = 0; k <= octaves; ++k) table.x.push_back(32 * std::exp2(k));
  std::vector<Cluster> clusters;
  for (int i = 0; i < runs; ++i) {
    clusters.push_back({0, i});
    table.y.emplace_back();
    for (const double x : table.x) table.y.back().push_back(y(x) * std::exp(noise * rng.normal()));
  }
  return fit_rate(clusters, mean_curve(table), rng);
}

Verdict verdict(const RateFit& fit, RateClaim claim) { return judge(fit, claim).verdict; }

}  // namespace

TEST_CASE("judge: a rate at or better than the claim is consistent, a slower one is violated",
          "[core][verdict]") {
  const RateFit inverse = measured([](double x) { return 1 / x; });
  CHECK(verdict(inverse, {.exponent = -1}) == Verdict::kConsistent);
  CHECK(verdict(inverse, {.exponent = -0.5}) == Verdict::kConsistent);
  CHECK(verdict(inverse, {.exponent = -1.5}) == Verdict::kViolated);
  const RateFit root = measured([](double x) { return 1 / std::sqrt(x); });
  CHECK(verdict(root, {.exponent = -1}) == Verdict::kViolated);
  CHECK(verdict(measured([](double x) { return x; }), {.exponent = 0.5}) == Verdict::kViolated);
}

TEST_CASE("judge: a floor under the curve flips the verdict", "[core][verdict]") {
  // What a class without the truth does to the error: 1/x down to a floor.
  const Judgement j = judge(measured([](double x) { return 1 / x + 0.002; }), {.exponent = -1});
  CHECK(j.verdict == Verdict::kViolated);
  CHECK_THAT(j.reason, Catch::Contains("far end"));
}

TEST_CASE("judge: logarithms of the claim belong to its slope", "[core][verdict]") {
  const RateFit fit = measured([](double x) { return std::sqrt(x) * std::log(x); }, 0.02);
  CHECK(verdict(fit, {.exponent = 0.5}) == Verdict::kViolated);
  const Judgement j = judge(fit, {.exponent = 0.5, .log_power = 1});
  CHECK(j.verdict == Verdict::kConsistent);
  CHECK(j.theory_slope > 0.6);
}

TEST_CASE("judge: the claim's slope is that at every point, known or bounded", "[core][verdict]") {
  RateFit fit;
  for (int k = 0; k <= 8; ++k) fit.points.push_back({.x = 32 * std::exp2(k), .y = 1});
  const RateClaim claim{.exponent = 0.5, .log_power = 1};
  const double whole = judge(fit, claim).theory_slope;
  fit.points.back().censoring = Censoring::kBelow;
  CHECK(judge(fit, claim).theory_slope == whole);
  fit.points.back().y = 0;                        // nothing is known of it
  CHECK(judge(fit, claim).theory_slope > whole);  // x^½ log x is flatter at its far end
}

TEST_CASE("judge: what cannot decide says why", "[core][verdict]") {
  const auto inverse = [](double x) { return 1 / x; };
  const auto reason = [](const RateFit& fit) {
    const Judgement j = judge(fit, {.exponent = -1});
    CHECK(j.verdict == Verdict::kInconclusive);
    return j.reason;
  };
  CHECK_THAT(reason(measured(inverse, 0.1, 4)), Catch::Contains("decades"));
  CHECK_THAT(reason(measured(inverse, 1.5, 8, 8)), Catch::Contains("too wide"));
  CHECK_THAT(reason(measured(inverse, 0.1, 8, 7)), Catch::Contains("too few runs"));
  CHECK_THAT(reason(measured(inverse, 0.1, 2)), Catch::Contains("a fit needs four"));
  CHECK_THAT(reason(measured([](double x) { return x > 300 ? 0.0 : 1 / x; })),
             Catch::Contains("censored"));
  // Steepening: −0.5 first, −2 at the end. Consistent at no single exponent.
  CHECK_THAT(
      reason(measured([](double x) { return 1 / std::sqrt(x) / (1 + std::pow(x / 512, 1.5)); })),
      Catch::Contains("curved"));
  // Above the claim, but by less than a finite range can be trusted with.
  CHECK_THAT(reason(measured([](double x) { return std::pow(x, -0.97); }, 0.01)),
             Catch::Contains("by less than"));
}

}  // namespace verdict_test

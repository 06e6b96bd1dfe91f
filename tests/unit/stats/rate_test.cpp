#include "speder/stats/rate.hpp"

#include <cmath>

#include "speder/core/tolerance.hpp"
#include "speder/stats/isotonic.hpp"
#include "speder/stats/statistics.hpp"
#include "tests/catch.hpp"

using namespace speder;

namespace rate_test {
namespace {

constexpr int kDataSets = 200;
constexpr double kLevel = 0.95;
const RateOptions kOptions{.replicates = 400, .level = kLevel};

// The interval missed the planted exponent more often than 5% explains.
bool too_many_misses(int misses) {
  return binomial_upper_tail(kDataSets, 1 - kLevel, misses) <= tol::kFalseAlarm;
}

std::vector<Cluster> separate(int runs) {
  std::vector<Cluster> out;
  for (int i = 0; i < runs; ++i) out.push_back({0, i});
  return out;
}

bool covers(const RateFit& fit, double exponent) {
  return fit.slope.low <= exponent && exponent <= fit.slope.high;
}

// Whole learning curves y = C_run x^p e^{noise}, dependent along the curve through C_run.
CurveTable planted(int runs, double exponent, Rng& rng) {
  CurveTable table;
  for (int k = 0; k < 9; ++k) table.x.push_back(16 * std::exp2(k));
  for (int i = 0; i < runs; ++i) {
    const double own = std::exp(0.4 * rng.normal());
    std::vector<double> y;
    for (const double x : table.x) {
      y.push_back(own * std::pow(x, exponent) * std::exp(0.3 * rng.normal()));
    }
    table.y.push_back(std::move(y));
  }
  return table;
}

}  // namespace

TEST_CASE("fit_rate: interval and band of a mean curve cover the planted power law 95% of the time",
          "[core][rate]") {
  const double mean = std::exp((0.4 * 0.4 + 0.3 * 0.3) / 2);  // of the noise in planted()
  for (const int runs : {8, 30}) {
    int misses = 0, band_misses = 0;
    for (int t = 0; t < kDataSets; ++t) {
      Rng rng = SeedTree(1).stream("mean", static_cast<std::uint64_t>(t));
      const CurveTable table = planted(runs, -1, rng);
      const RateFit fit = fit_rate(separate(runs), mean_curve(table), rng, kOptions);
      misses += covers(fit, -1) ? 0 : 1;
      REQUIRE(fit.band.size() > 2);
      const RateFit::Band& end = fit.band.back();
      CHECK(end.x == Approx(table.x.back()));
      band_misses += end.y.low <= mean / end.x && mean / end.x <= end.y.high ? 0 : 1;
    }
    CAPTURE(runs, misses, band_misses);
    CHECK(!too_many_misses(misses));
    CHECK(misses > 0);  // an interval that never misses is no 95% interval
    CHECK(!too_many_misses(band_misses));
    CHECK(band_misses > 0);
  }
}

TEST_CASE("fit_rate: the same for a 0.9 quantile curve", "[core][rate]") {
  int misses = 0;
  for (int t = 0; t < kDataSets; ++t) {
    Rng rng = SeedTree(2).stream("quantile", static_cast<std::uint64_t>(t));
    const CurveTable table = planted(30, 0.5, rng);
    misses +=
        covers(fit_rate(separate(30), quantile_curve(table, 0.9), rng, kOptions), 0.5) ? 0 : 1;
  }
  CAPTURE(misses);
  CHECK(!too_many_misses(misses));
}

TEST_CASE("fit_rate: dependence within an instance is not mistaken for information",
          "[core][rate]") {
  // Each instance tilts its curve; four runs of an instance share the tilt. Ignoring the instances
  // makes the interval too short, resampling them does not.
  constexpr int kInstances = 12, kRuns = 4;
  int misses = 0, naive_misses = 0;
  for (int t = 0; t < kDataSets; ++t) {
    Rng rng = SeedTree(4).stream("instances", static_cast<std::uint64_t>(t));
    CurveTable table;
    for (int k = 0; k < 7; ++k) table.x.push_back(std::exp2(k));
    std::vector<Cluster> clusters;
    for (int i = 0; i < kInstances; ++i) {
      const double tilt = 0.2 * rng.normal();
      for (int s = 0; s < kRuns; ++s) {
        clusters.push_back({i, s});
        table.y.emplace_back();
        for (const double x : table.x) {
          table.y.back().push_back(std::pow(x / 8, -1 + tilt) * std::exp(0.1 * rng.normal()));
        }
      }
    }
    // The mean of tilted curves is not a power law; its log-log slope at the centre is −1.
    misses += covers(fit_rate(clusters, mean_curve(table), rng, kOptions), -1) ? 0 : 1;
    naive_misses +=
        covers(fit_rate(separate(kInstances * kRuns), mean_curve(table), rng, kOptions), -1) ? 0
                                                                                             : 1;
  }
  CAPTURE(misses, naive_misses);
  CHECK(!too_many_misses(misses));
  CHECK(too_many_misses(naive_misses));
}

TEST_CASE("fit_rate: N(ε, δ) from noisy curves with censoring covers the planted exponent",
          "[core][rate]") {
  // gap(n) = own · sqrt(x² / n): N(ε, δ) ∝ x². The budget ends before the largest x succeed.
  const std::vector<int> grid = quarter_octaves(16, 4096);
  int misses = 0, censored = 0;
  for (int t = 0; t < kDataSets; ++t) {
    Rng rng = SeedTree(5).stream("complexity", static_cast<std::uint64_t>(t));
    std::vector<GapTable> tables;
    for (int k = 0; k < 9; ++k) {
      const double x = std::exp2(k / 2.0);
      GapTable table{.x = x, .epsilon = 0.25, .n = {grid.begin(), grid.end()}, .gap = {}};
      for (int i = 0; i < 40; ++i) {
        const double own = std::exp(0.5 * rng.normal());
        table.gap.emplace_back();
        for (const double n : table.n) {
          table.gap.back().push_back(own * x / std::sqrt(n) * std::exp(0.1 * rng.normal()));
        }
      }
      tables.push_back(std::move(table));
    }
    RateOptions options = kOptions;
    options.variance_floor = quarter_octave_variance();
    const RateFit fit = fit_rate(separate(40), complexity_curve(tables, 0.2), rng, options);
    misses += covers(fit, 2) ? 0 : 1;
    censored += fit.censored;
  }
  CAPTURE(misses, censored);
  CHECK(censored > kDataSets);  // more than one point of nine on average
  CHECK(!too_many_misses(misses));
}

TEST_CASE("fit_rate: too few clusters give no interval, zeros count as censored", "[core][rate]") {
  CurveTable table{.x = {1, 2, 4, 8, 16}, .y = {{1, 2, 4, 8, 0}}};
  Rng rng(1);
  const RateFit fit = fit_rate(separate(1), mean_curve(table), rng, kOptions);
  CHECK(fit.censored == 1);
  CHECK(fit.line->b == Approx(1));
  CHECK(std::isinf(fit.slope.high));
  CHECK(fit.decades == Approx(std::log10(8)));
}

TEST_CASE("quantile_curve: the smallest value a share of the runs does not exceed",
          "[core][rate]") {
  const CurveTable table{.x = {1}, .y = {{30}, {10}, {20}, {40}, {std::nan("")}}};
  const auto at = [&](double q, std::vector<int> multiplicity) {
    return quantile_curve(table, q)(multiplicity)[0].y;
  };
  CHECK(at(0.25, {1, 1, 1, 1, 1}) == 10);
  CHECK(at(0.5, {1, 1, 1, 1, 1}) == 20);
  CHECK(at(0.51, {1, 1, 1, 1, 1}) == 30);
  CHECK(at(1, {1, 1, 1, 1, 1}) == 40);
  CHECK(at(0.5, {0, 3, 0, 1, 9}) == 10);
  CHECK(at(0.9, {0, 3, 0, 1, 9}) == 40);
}

TEST_CASE("fit_rate: four points off their line, each known well, have no narrow slope",
          "[core][rate]") {
  // Means known to 1%, which a straight line misses by a factor of two and more.
  const std::vector<double> x = {10, 18, 34, 66}, y = {1700, 2000, 28000, 260000};
  CurveTable off{.x = x, .y = {}}, on{.x = x, .y = {}};
  Rng rng = SeedTree(6).stream("scatter");
  for (int i = 0; i < 40; ++i) {
    off.y.emplace_back();
    on.y.emplace_back();
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double noise = std::exp(0.06 * rng.normal());
      off.y.back().push_back(y[k] * noise);
      on.y.back().push_back(std::pow(x[k], 3.5) * noise);
    }
  }
  const RateFit bad = fit_rate(separate(40), mean_curve(off), rng, kOptions);
  const RateFit good = fit_rate(separate(40), mean_curve(on), rng, kOptions);
  CHECK(good.scatter == 1);
  CHECK(covers(good, 3.5));
  CHECK(bad.scatter > 1);
  // By hand, unweighted: slope 2.83, standard error 0.56, t(2) = 4.30. At least half of that.
  CHECK(bad.slope.high - bad.slope.low > 0.56 * 4.30);
  CHECK(bad.slope.low < 4);
  CHECK(bad.slope.high > 4);
}

TEST_CASE("mean_curve: a run without a number counts neither as a number nor as zero",
          "[core][rate]") {
  const CurveTable table{.x = {1, 2}, .y = {{1, NAN}, {3, 5}}};
  const CurveStatistic mean = mean_curve(table);
  const auto at = [&](int first, int second, std::size_t k) {
    return mean(std::vector<int>{first, second})[k].y;
  };
  CHECK(at(1, 1, 0) == 2);
  CHECK(at(3, 1, 0) == 1.5);
  CHECK(at(1, 1, 1) == 5);
  CHECK(at(2, 0, 1) == 0);  // nobody has one
}

TEST_CASE("quarter_octave_variance: of a length that is known to a quarter of an octave",
          "[stats][rate]") {
  constexpr int kSteps = 1000;
  RunningMean square;
  for (int i = 0; i < kSteps; ++i) {
    const double octaves = ((i + 0.5) / kSteps - 0.5) / 4;
    square.add(std::pow(std::log(std::exp2(octaves)), 2));
  }
  CHECK_THAT(quarter_octave_variance(), WithinRel(square.mean(), 1e-5));
}

}  // namespace rate_test

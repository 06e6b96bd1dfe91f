#include "speder/stats/statistics.hpp"

#include <cmath>
#include <numbers>

#include "speder/core/rng.hpp"
#include "speder/core/tolerance.hpp"
#include "tests/catch.hpp"

namespace speder::statistics_test {
namespace {
const SeedTree kSeeds(12);
constexpr double kRounding = 1e-12;  // closed forms evaluated twice, relative
}  // namespace

TEST_CASE("running mean: hand values, and merged halves equal the whole", "[statistics]") {
  RunningMean all, left, right, empty;
  for (const double x : {2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0}) {
    all.add(x);
    (all.count() <= 3 ? left : right).add(x);
  }
  CHECK(all.mean() == Approx(5).epsilon(kRounding));
  CHECK(all.variance() == Approx(32.0 / 7).epsilon(kRounding));
  CHECK(all.standard_error() == Approx(std::sqrt(32.0 / 56)).epsilon(kRounding));
  left.merge(right);
  left.merge(empty);
  empty.merge(left);
  CHECK(empty.count() == 8);
  CHECK(empty.mean() == Approx(5).epsilon(kRounding));
  CHECK(empty.variance() == Approx(32.0 / 7).epsilon(kRounding));
  CHECK(RunningMean().variance() == 0);
}

TEST_CASE("χ² tail: two degrees of freedom give exp(−x/2)", "[statistics]") {
  for (const double x : {0.1, 1.0, 10.0, 40.0})
    CHECK(chi_square_upper_tail(x, 2) == Approx(std::exp(-x / 2)).epsilon(kRounding));
  CHECK(chi_square_upper_tail(0, 3) == 1);
  CHECK(chi_square_upper_tail(INFINITY, 3) == 0);
}

TEST_CASE("χ² test: hand-computed statistic, pooling and impossible outcomes", "[statistics]") {
  const std::vector<std::int64_t> counts = {60, 40};
  const auto test = chi_square_test(counts, Vector{{0.5, 0.5}});
  CHECK(test.statistic == Approx(4.0).epsilon(kRounding));  // 2 · 10²/50
  CHECK(test.degrees_of_freedom == 1);
  CHECK(test.p_value == Approx(std::erfc(std::sqrt(2.0))).epsilon(kRounding));  // Pr|N| ≥ 2
  // 100 draws: cells of probability 0.04 and 0.03 expect 4 and 3 and join the cell before them.
  const std::vector<std::int64_t> thin = {50, 43, 4, 3};
  CHECK(chi_square_test(thin, Vector{{0.5, 0.43, 0.04, 0.03}}).degrees_of_freedom == 1);
  const std::vector<std::int64_t> impossible = {99, 1};
  CHECK(chi_square_test(impossible, Vector{{1.0, 0.0}}).p_value == 0);
}

TEST_CASE("binomial tail against direct sums", "[statistics]") {
  CHECK(binomial_upper_tail(10, 0.5, 10) == Approx(std::pow(0.5, 10)).epsilon(kRounding));
  CHECK(binomial_upper_tail(3, 0.25, 2) == Approx(10.0 / 64).epsilon(kRounding));
  CHECK(binomial_upper_tail(5, 0.3, 0) == 1);
  CHECK(binomial_upper_tail(5, 0.3, 6) == 0);
  CHECK(binomial_upper_tail(5, 0, 1) == 0);
  CHECK(binomial_upper_tail(5, 1, 5) == Approx(1).epsilon(kRounding));
}

TEST_CASE("Clopper–Pearson: closed forms at the ends, tails at the limits", "[statistics]") {
  const auto none = clopper_pearson(20, 0, 0.95);
  CHECK(none.low == 0);
  CHECK(none.high == Approx(1 - std::pow(0.025, 1.0 / 20)).epsilon(kRounding));
  const auto all = clopper_pearson(20, 20, 0.95);
  CHECK(all.high == 1);
  CHECK(all.low == Approx(std::pow(0.025, 1.0 / 20)).epsilon(kRounding));
  const auto some = clopper_pearson(40, 7, 0.9);  // each limit leaves 5% in its tail
  CHECK(binomial_upper_tail(40, some.low, 7) == Approx(0.05).epsilon(1e-9));
  CHECK(1 - binomial_upper_tail(40, some.high, 8) == Approx(0.05).epsilon(1e-9));
}

TEST_CASE("statistics refuse nonsense", "[statistics]") {
  CHECK_THROWS_AS(clopper_pearson(5, 6, 0.95), std::invalid_argument);
  CHECK_THROWS_AS(binomial_upper_tail(5, 1.5, 2), std::invalid_argument);
  const std::vector<std::int64_t> counts = {1, 2};
  CHECK_THROWS_AS(chi_square_test(counts, Vector::Ones(3)), std::invalid_argument);
}

TEST_CASE("mean_interval: Student's t by hand, and its coverage", "[core][statistics]") {
  RunningMean two;
  two.add(1);
  CHECK(std::isinf(mean_interval(two, 0.95).high));
  two.add(3);  // mean 2, standard error 1; t_{0.975, 1} = tan(0.475 π)
  CHECK_THAT(mean_interval(two, 0.95).high,
             WithinRel(2 + std::tan(0.475 * std::numbers::pi), tol::kAgreement));
  constexpr int kTrials = 2000;
  int misses = 0;
  for (int t = 0; t < kTrials; ++t) {
    Rng rng = SeedTree(8).stream("mean interval", static_cast<std::uint64_t>(t));
    RunningMean mean;
    for (int i = 0; i < 5; ++i) mean.add(rng.normal());
    const Interval interval = mean_interval(mean, 0.95);
    misses += interval.low <= 0 && 0 <= interval.high ? 0 : 1;
  }
  CHECK(binomial_upper_tail(kTrials, 0.05, misses) > tol::kFalseAlarm);
  CHECK(binomial_upper_tail(kTrials, 0.95, kTrials - misses) > tol::kFalseAlarm);
}

TEST_CASE("normal hazard: between z and z + 1/z, far out too", "[statistics]") {
  for (const double z : {0.5, 5.0, 29.0, 31.0, 1000.0}) {
    CAPTURE(z);
    CHECK(normal_hazard(z) > z);
    CHECK(normal_hazard(z) <= z + 1 / z);
  }
}

}  // namespace speder::statistics_test

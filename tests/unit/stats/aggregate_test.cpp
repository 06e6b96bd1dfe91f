#include "speder/stats/aggregate.hpp"

#include <cmath>

#include "tests/catch.hpp"
#include "tests/unit/stats/rliable_numbers.hpp"

using namespace speder;
namespace fixed = rliable_numbers;

namespace aggregate_test {
namespace {

constexpr double kExact = 1e-12;  // sums of a few dozen numbers of size one

std::vector<double> four(const TaskScores& s) {
  return {median_score(s), interquartile_mean(s), mean_score(s), optimality_gap(s)};
}

void check_equal(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(std::abs(a[i] - b[i]) <= kExact);
}

}  // namespace

TEST_CASE("aggregate: rliable's numbers on its own resamples", "[stats][aggregate]") {
  check_equal(four(fixed::kX), fixed::kFour);
  CHECK(std::abs(improvement_probability(fixed::kX, fixed::kY) - fixed::kImprovement) <= kExact);
  check_equal(performance_profile(fixed::kX, fixed::kTau), fixed::kProfile);
  std::vector<std::vector<double>> by_metric(4);
  for (std::size_t r = 0; r < fixed::kDraws.size(); ++r) {
    const TaskScores x = resampled(fixed::kX, fixed::kDraws[r]);
    const std::vector<double> got = four(x);
    check_equal(got, fixed::kResults[r]);
    for (std::size_t k = 0; k < 4; ++k) by_metric[k].push_back(got[k]);
    CHECK(std::abs(improvement_probability(x, resampled(fixed::kY, fixed::kOther[r])) -
                   fixed::kBetter[r]) <= kExact);
  }
  for (std::size_t k = 0; k < 4; ++k) {
    const Interval interval = percentile_interval(by_metric[k], 0.95);
    check_equal({interval.low, interval.high}, {fixed::kLow[k], fixed::kHigh[k]});
  }
}

TEST_CASE("aggregate: solved by hand", "[stats][aggregate]") {
  const TaskScores s = {{0, 1, 2, 3}, {10, 0.5, 0.5, 1}};
  CHECK(interquartile_mean(s) ==
        Approx((0.5 + 1 + 1 + 2) / 4));  // of 0 .5 .5 1 1 2 3 10 the middle four
  CHECK(mean_score(s) == Approx((1.5 + 3) / 2));
  CHECK(optimality_gap(s) == Approx(1 - (0 + 1 + 1 + 1 + 1 + 0.5 + 0.5 + 1) / 8));
  CHECK(improvement_probability({{1, 2}}, {{1, 0}}) == Approx((0.5 + 1 + 1 + 1) / 4));
  CHECK(improvement_probability({{1, 2}}, {{5, 6}}) == 0);
  CHECK_THROWS(improvement_probability({{1}}, {{1}, {2}}));
  CHECK_THROWS(interquartile_mean({}));
}

TEST_CASE("aggregate: intervals cover the truth as often as they say", "[stats][aggregate]") {
  // Normal scores of two tasks with 20 runs each; the mean of the tasks is 0.5. Of 400 intervals of 90%
  // 360 cover it on average; below 330 or above 385 lies less than one in 10⁴.
  Rng rng = SeedTree(5).stream("aggregate");
  int covered = 0;
  for (int trial = 0; trial < 400; ++trial) {
    TaskScores s(2);
    for (int i = 0; i < 20; ++i) {
      for (std::size_t t = 0; t < 2; ++t) s[t].push_back(static_cast<double>(t) + rng.normal());
    }
    const Aggregate a = stratified_bootstrap(s, mean_score, rng, 200, 0.9);
    covered += a.interval.low <= 0.5 && 0.5 <= a.interval.high ? 1 : 0;
    CHECK((a.interval.low <= a.value && a.value <= a.interval.high));
  }
  CHECK(covered > 330);
  CHECK(covered < 385);
}

}  // namespace aggregate_test

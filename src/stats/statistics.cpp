#include "speder/stats/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "speder/core/check.hpp"

namespace speder {

void RunningMean::add(double x) {
  ++n_;
  const double delta = x - mean_;
  mean_ += delta / static_cast<double>(n_);
  m2_ += delta * (x - mean_);
}

void RunningMean::merge(const RunningMean& other) {
  if (other.n_ == 0) return;
  const auto na = static_cast<double>(n_);
  const auto nb = static_cast<double>(other.n_);
  const double delta = other.mean_ - mean_;
  n_ += other.n_;
  mean_ += delta * nb / (na + nb);
  m2_ += other.m2_ + delta * delta * na * nb / (na + nb);
}

double RunningMean::variance() const { return n_ < 2 ? 0.0 : m2_ / static_cast<double>(n_ - 1); }
double RunningMean::standard_error() const {
  return n_ < 2 ? 0.0 : std::sqrt(variance() / static_cast<double>(n_));
}

Interval mean_interval(const RunningMean& mean, double confidence) {
  require(confidence > 0 && confidence < 1, "a confidence lies in (0, 1)", confidence);
  if (mean.count() < 2) return {-INFINITY, INFINITY};
  const boost::math::students_t law(static_cast<double>(mean.count() - 1));
  const double half = boost::math::quantile(law, (1 + confidence) / 2) * mean.standard_error();
  return {mean.mean() - half, mean.mean() + half};
}

double chi_square_upper_tail(double x, double degrees_of_freedom) {
  if (std::isinf(x)) return x > 0 ? 0.0 : 1.0;  // p-values that have underflowed sum to this
  const boost::math::chi_squared law(degrees_of_freedom);
  return x <= 0 ? 1.0 : boost::math::cdf(boost::math::complement(law, x));
}

ChiSquareTest chi_square_test(std::span<const std::int64_t> counts, const Vector& probabilities,
                              double least_expected) {
  require(static_cast<Index>(counts.size()) == probabilities.size(), "one probability per count",
          counts.size());
  const auto n =
      static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
  std::vector<Index> order(counts.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index i, Index j) { return probabilities[i] > probabilities[j]; });
  ChiSquareTest test;
  double expected = 0, seen = 0, left = n;  // the pool being filled; what later cells still expect
  for (const Index i : order) {
    const auto count = static_cast<double>(counts[static_cast<std::size_t>(i)]);
    if (probabilities[i] <= 0 && count > 0) return {INFINITY, test.degrees_of_freedom, 0.0};
    expected += n * probabilities[i];
    seen += count;
    left -= n * probabilities[i];
    if (expected < least_expected || (left < least_expected && i != order.back())) continue;
    test.statistic += (seen - expected) * (seen - expected) / expected;
    test.degrees_of_freedom += 1;
    expected = seen = 0;
  }
  test.degrees_of_freedom -= 1;
  if (test.degrees_of_freedom < 1) return {0, 0, 1};  // one pool: nothing to test
  test.p_value = chi_square_upper_tail(test.statistic, test.degrees_of_freedom);
  return test;
}

double binomial_upper_tail(std::int64_t n, double p, std::int64_t k) {
  require(n >= 0 && 0 <= p && p <= 1, "binomial tail: n ≥ 0 and p in [0,1]", p);
  if (k <= 0) return 1;
  if (k > n) return 0;
  const boost::math::binomial law(static_cast<double>(n), p);
  return boost::math::cdf(boost::math::complement(law, static_cast<double>(k - 1)));
}

Interval clopper_pearson(std::int64_t n, std::int64_t k, double confidence) {
  require(n >= 1 && 0 <= k && k <= n, "Clopper–Pearson: 0 ≤ k ≤ n and n ≥ 1", k);
  require(0 < confidence && confidence < 1, "confidence must lie in (0,1)", confidence);
  using Law = boost::math::binomial;
  const double tail = (1 - confidence) / 2;
  const auto trials = static_cast<double>(n);
  const auto hits = static_cast<double>(k);
  const double low = k == 0 ? 0 : Law::find_lower_bound_on_p(trials, hits, tail);
  const double high = k == n ? 1 : Law::find_upper_bound_on_p(trials, hits, tail);
  return {low, high};
}

namespace {
constexpr double kAsymptotic = 30;  // 1 − Φ(z) underflows soon after
}

double normal_hazard(double z) {
  // hazard = z + 1/z + O(z⁻³)
  if (z > kAsymptotic) return z + 1 / z;
  const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  return density / (std::erfc(z / std::numbers::sqrt2) / 2);
}

double normal_log_upper_tail(double z) {
  // 1 − Φ(z) = φ(z)/z (1 + O(z⁻²))
  if (z > kAsymptotic) return -z * z / 2 - std::log(z * std::sqrt(2 * std::numbers::pi));
  return std::log(std::erfc(z / std::numbers::sqrt2) / 2);
}

}  // namespace speder

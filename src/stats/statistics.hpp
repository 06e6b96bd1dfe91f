#pragma once

#include <cstdint>
#include <span>

#include "speder/core/types.hpp"

namespace speder {

/// Mean and variance in one pass (Welford 1962); merging two halves gives the whole up to rounding.
class RunningMean {
 public:
  void add(double x);
  void merge(const RunningMean& other);
  [[nodiscard]] std::int64_t count() const { return n_; }
  [[nodiscard]] double mean() const { return mean_; }
  [[nodiscard]] double variance() const;        // unbiased; 0 below two values
  [[nodiscard]] double standard_error() const;  // sqrt(variance / n); 0 below two values

 private:
  std::int64_t n_ = 0;
  double mean_ = 0;
  double m2_ = 0;  // ∑ (x − mean)²
};

struct Interval {
  double low = 0;
  double high = 0;
};

/// Student's interval of the mean; (−∞, ∞) below two values.
[[nodiscard]] Interval mean_interval(const RunningMean& mean, double confidence);

/// Pr[χ²_k ≥ x].
[[nodiscard]] double chi_square_upper_tail(double x, double degrees_of_freedom);

struct ChiSquareTest {
  double statistic = 0;
  double degrees_of_freedom = 0;
  double p_value = 1;  // Pr of a statistic this large when the law is the expected one
};
/// Pearson's test of counts against probabilities. Cells are pooled in order of probability until
/// each expects at least `least_expected` counts, so that the limit law applies; a count in a cell
/// of probability zero gives p_value 0.
[[nodiscard]] ChiSquareTest chi_square_test(std::span<const std::int64_t> counts,
                                            const Vector& probabilities,
                                            double least_expected = 10);

/// Pr[Bin(n, p) ≥ k].
[[nodiscard]] double binomial_upper_tail(std::int64_t n, double p, std::int64_t k);

/// φ(z)/(1 − Φ(z)) and log(1 − Φ(z)) of the standard normal, for any z.
[[nodiscard]] double normal_hazard(double z);
[[nodiscard]] double normal_log_upper_tail(double z);

/// Exact (Clopper–Pearson) interval for a probability seen k times in n, coverage ≥ confidence.
[[nodiscard]] Interval clopper_pearson(std::int64_t n, std::int64_t k, double confidence);

}  // namespace speder

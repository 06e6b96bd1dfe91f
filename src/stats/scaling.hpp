#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "speder/core/types.hpp"
#include "speder/stats/scaling_models.hpp"
#include "speder/stats/statistics.hpp"
#include "speder/stats/verdict.hpp"

namespace speder {

/// log N at one setting: the numbers it may depend on, already as logarithms, and the variance of its
/// sampling error.
struct ScalingPoint {
  Vector x;  // (k)  log d, log |A|, …
  double log_n = 0;
  double variance = 0;    // of log_n, from the runs of this setting alone
  bool censored = false;  // only log N > log_n is known
};

/// log N_i = a + ∑ p_k x_ik + u_i + e_i: e_i is the sampling error of the point, u_i ~ N(0, τ²) what
/// the points scatter about the plane beyond that (stats/random_effects.hpp). Intervals are Student's
/// with (known points − coefficients) degrees of freedom. Censored points enter as bounds.
struct ScalingFit {
  bool fitted = false;  // false: fewer than two known points more than coefficients
  double intercept = 0;
  Vector exponent;    // (k)
  Matrix covariance;  // (k × k)  of the exponents
  Matrix joint;       // (1+k × 1+k)  of intercept and exponents
  double tau = 0;     // τ
  double degrees_of_freedom = 0;
  int points = 0;  // known
  int censored = 0;
  double bend = 0;    // most that an exponent changes over its range, second-order fit
  double bend_p = 1;  // that there is no bend at all, Bonferroni over the axes
  std::vector<ModelComparison> models;  // (k)  x^p against other laws on each axis
  [[nodiscard]] Interval interval(Index k, double level = 0.95) const;
  /// Smallest distance from the true exponent at which a wrong one is rejected at 95% with probability 0.9.
  [[nodiscard]] double detectable(Index k) const;
  /// log N on the plane, and where a point with that sampling variance lies.
  [[nodiscard]] double value(const Vector& x) const;
  [[nodiscard]] Interval prediction(const Vector& x, double variance, double level = 0.95) const;
  /// Whether a pair of exponents lies in the joint ellipse (two axes).
  [[nodiscard]] bool ellipse_contains(double p, double q, double level = 0.95) const;
  /// Its boundary, for figures.
  [[nodiscard]] std::vector<std::pair<double, double>> ellipse(int points = 64,
                                                               double level = 0.95) const;
};
[[nodiscard]] ScalingFit fit_scaling(std::span<const ScalingPoint> points);

/// The farthest point of the design, predicted from all others.
struct HeldOutPoint {
  bool predicted = false;  // false: the others are too few
  std::size_t index = 0;   // in the points given
  double log_n = 0;        // measured, or its bound
  double prediction = 0;
  Interval interval{};  // of log N, 95%
  bool inside = false;  // a bound: whether the interval reaches above it
};
[[nodiscard]] HeldOutPoint hold_out_last(std::span<const ScalingPoint> points);

/// The q-quantile of runs that end at n_i (infinity: did not end), the smallest value that a share q
/// of them does not exceed, and the variance of its logarithm under resampling, exactly (Hutson and
/// Ernst 2000). Of R runs it lies at level qR/(R + 1) on average: low, by the same factor wherever the
/// runs spread alike.
struct QuantilePoint {
  double n = 0;  // +∞: more than a share 1 − q did not end
  double log_variance = 0;
};
[[nodiscard]] QuantilePoint run_quantile(std::span<const double> ends, double q);

/// Whether a control needs more than n: the share of its runs that end after n is above δ with 95%
/// confidence (exact binomial), so that its own N(ε, δ) is larger.
[[nodiscard]] bool surely_late(std::span<const double> ends, double n, double delta);

/// What makes a scaling study a test of the theorem at all.
struct ScalingGate {
  bool premises_hold = true;
  bool control_fails = true;  // without its bonus the learner does not get there
  std::string reason;         // of the first that is false
};
/// tight: the interval contains the theory's exponent. below: it lies under it. violated: it lies above
/// it, and would with one logarithm more (the theory hides them). inconclusive: too wide, too few
/// points, bent, better told by c + x^p, or more than a third censored. not a test: the premises fail,
/// or exploration does not matter, so that there is no evidence either way.
struct ScalingJudgement {
  Verdict verdict = Verdict::kInconclusive;
  std::string reason;
};
[[nodiscard]] ScalingJudgement judge_scaling(const ScalingFit& fit, Index k, double theory,
                                             const ScalingGate& gate = {});

inline constexpr double kWidestExponent = 1;  // half width of an interval that says anything
inline constexpr int kFewestScalingPoints = 5;
inline constexpr double kBendAlarm = 0.01;  // probability of calling a straight plane bent
inline constexpr double kLeastBend = 0.5;   // a change of exponent that matters

}  // namespace speder

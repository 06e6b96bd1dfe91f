#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "speder/core/rng.hpp"
#include "speder/stats/power_law.hpp"
#include "speder/stats/statistics.hpp"

namespace speder {

/// Runs that share an instance are dependent, and so are all numbers of one run.
struct Cluster {
  int instance = 0;
  int seed = 0;
};

/// A curve computed from runs counted with multiplicities (all 1: the sample itself). Weights are
/// set by fit_rate.
using CurveStatistic = std::function<std::vector<CurvePoint>(std::span<const int> multiplicity)>;

struct RateOptions {
  int replicates = 1000;
  double level = 0.95;
  double variance_floor = 0;  // Var(log y) that resampling cannot see, such as the grid's step
};

/// Fewer clusters have too few distinct resamples: no interval is given.
inline constexpr int kFewestClusters = 8;

struct RateFit {
  struct Band {
    double x = 0;
    Interval y = {};
  };
  std::vector<CurvePoint> points;  // of the sample, with the weights used
  std::vector<Interval> errors;    // of each point's y over the resamples; empty: too few clusters
  std::vector<Band> band;          // of the line, widened as `slope` is
  std::optional<PowerLaw> line;    // empty: too few points
  std::optional<PowerLaw> curve;   // the same with a quadratic term
  Interval slope;                  // of line->b; (−∞, ∞) when resamples cannot be fitted
  double scatter = 1;              // how much wider `slope` is for points off the line
  Interval curvature;              // of curve->c
  Interval end_slope;              // of the curved fit's slope at the largest x
  double decades = 0;              // log₁₀ of the range of x of the fitted points
  int clusters = 0;
  int censored = 0;  // points known only as bounds, and points at zero
};

/// Weighted log-log fit of statistic(sample) with a percentile bootstrap over clusters: instances
/// are drawn first, then runs within them. Weights are 1/Var(log y) from the same resamples. The
/// interval is widened for few clusters (Hesterberg 2015, "expanded percentile": Student's t
/// quantile for the normal one) and where the points lie off the line by more than their errors.
[[nodiscard]] RateFit fit_rate(std::span<const Cluster> clusters, const CurveStatistic& statistic,
                               Rng& rng, const RateOptions& options = {});

/// y[run][k] measured at x[k]; NaN where a run has no number.
struct CurveTable {
  std::vector<double> x;
  std::vector<std::vector<double>> y;
};
[[nodiscard]] CurveStatistic mean_curve(const CurveTable& table);
/// The smallest value that a share q of the runs does not exceed.
[[nodiscard]] CurveStatistic quantile_curve(const CurveTable& table, double q);

/// The largest of several curves at each x: the worst of a family of instances.
[[nodiscard]] CurveStatistic worst_curve(std::vector<CurveStatistic> curves);

/// gap[run][k] at sample size n[k] for one setting x; NaN (a run that ended early) never counts as
/// a success.
struct GapTable {
  double x = 0;
  double epsilon = 0;
  std::vector<double> n;
  std::vector<std::vector<double>> gap;
};
/// N(ε, δ) against x, censored points kept as censored.
[[nodiscard]] CurveStatistic complexity_curve(std::vector<GapTable> tables, double delta);
/// Variance of log N given that N lies in one step of the 2^(1/4) grid: (log 2 / 4)² / 12.
[[nodiscard]] double quarter_octave_variance();

}  // namespace speder

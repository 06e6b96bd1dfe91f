#include "speder/stats/rate.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "speder/core/check.hpp"
#include "speder/core/tolerance.hpp"

namespace speder {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Positions of the runs of each instance.
std::vector<std::vector<std::size_t>> by_instance(std::span<const Cluster> clusters) {
  std::map<int, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < clusters.size(); ++i) groups[clusters[i].instance].push_back(i);
  std::vector<std::vector<std::size_t>> out;
  for (auto& [instance, members] : groups) out.push_back(std::move(members));
  return out;
}

std::vector<int> resample(const std::vector<std::vector<std::size_t>>& groups, std::size_t runs,
                          Rng& rng) {
  std::vector<int> multiplicity(runs, 0);
  const auto draw = [&](std::size_t n) {
    return static_cast<std::size_t>(rng.index(static_cast<Index>(n)));
  };
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const std::vector<std::size_t>& group = groups[draw(groups.size())];
    for (std::size_t i = 0; i < group.size(); ++i) ++multiplicity[group[draw(group.size())]];
  }
  return multiplicity;
}

// Tail probability whose percentile interval has the coverage of Student's t with m clusters:
// α' / 2 = Φ(−√(m/(m−1)) t_{1−α/2, m−1}).
double expanded_tail(double level, std::size_t m) {
  if (m < static_cast<std::size_t>(kFewestClusters)) return 0;
  const double count = static_cast<double>(m);
  const boost::math::students_t student(count - 1);
  const double t = boost::math::quantile(student, (1 + level) / 2);
  return boost::math::cdf(boost::math::normal(), -std::sqrt(count / (count - 1)) * t);
}

Interval percentile(std::vector<double> values, double tail) {
  if (values.empty() || tail <= 0) return {-kInfinity, kInfinity};
  std::ranges::sort(values);
  const auto last = static_cast<double>(values.size() - 1);
  const auto at = [&](double p) {  // linear between order statistics
    const double position = p * last;
    const auto k = static_cast<std::size_t>(position);
    const double next = values[std::min(k + 1, values.size() - 1)];
    return values[k] + (position - static_cast<double>(k)) * (next - values[k]);
  };
  return {at(tail), at(1 - tail)};
}

bool usable(const CurvePoint& p) { return p.censoring == Censoring::kNone && p.y > 0; }

// 1/Var(log y_k) over the resamples; no point weighs more than tol::kWeightRatio times the median.
void set_weights(std::vector<CurvePoint>& points,
                 const std::vector<std::vector<CurvePoint>>& resamples, double variance_floor) {
  std::vector<double> variance(points.size(), 0.0);
  for (std::size_t k = 0; k < points.size(); ++k) {
    double n = 0, mean = 0, square = 0;
    for (const auto& curve : resamples) {
      if (!usable(curve[k])) continue;
      const double v = std::log(curve[k].y);
      ++n;
      const double step = v - mean;
      mean += step / n;
      square += step * (v - mean);
    }
    variance[k] = (n > 1 ? square / (n - 1) : 0) + variance_floor;
  }
  std::vector<double> sorted = variance;
  std::ranges::sort(sorted);
  const double median = sorted.empty() ? 0 : sorted[sorted.size() / 2];
  for (std::size_t k = 0; k < points.size(); ++k) {
    points[k].weight = median > 0 ? 1 / std::max(variance[k], median / tol::kWeightRatio) : 1;
  }
}

// Points that scatter about the line more than their own errors explain (χ² on ν = points − 2)
// widen its interval by √(χ²/ν) (Birge 1932); Student's quantile goes with it, since that scatter is
// known from the points alone.
double scatter_factor(const std::vector<CurvePoint>& points, const PowerLaw& line, double level) {
  double chi_square = 0;
  int used = 0;
  for (const CurvePoint& p : points) {
    if (!usable(p)) continue;
    ++used;
    chi_square += p.weight * std::pow(std::log(p.y / line.value_at(p.x)), 2);
  }
  const double freedom = used - 2;
  if (freedom < 1 || chi_square_upper_tail(chi_square, freedom) > tol::kFalseAlarm) return 1;
  const double p = (1 + level) / 2;
  return std::sqrt(chi_square / freedom) *
         boost::math::quantile(boost::math::students_t(freedom), p) /
         boost::math::quantile(boost::math::normal(), p);
}

struct Replicates {
  std::vector<double> slope, curvature, end_slope;
  std::vector<PowerLaw> lines;
};

// What the resamples say of every point: an interval where nearly all of them have a number.
std::vector<Interval> point_intervals(const std::vector<std::vector<CurvePoint>>& resamples,
                                      const std::vector<CurvePoint>& points, double tail) {
  std::vector<Interval> out;
  for (std::size_t k = 0; k < points.size(); ++k) {
    std::vector<double> values;
    for (const auto& curve : resamples) {
      if (usable(curve[k])) values.push_back(curve[k].y);
    }
    const auto lost = static_cast<double>(resamples.size() - values.size());
    const bool enough = tail > 0 && lost <= tail * static_cast<double>(resamples.size());
    const Interval y = enough ? percentile(values, tail) : Interval{points[k].y, points[k].y};
    out.push_back({std::min(y.low, points[k].y), std::max(y.high, points[k].y)});
  }
  return tail > 0 ? out : std::vector<Interval>{};
}

std::vector<RateFit::Band> line_band(const std::vector<PowerLaw>& lines, const PowerLaw& line,
                                     double from, double to, double tail, double scatter) {
  constexpr int kSteps = 8;
  std::vector<RateFit::Band> out;
  for (int i = 0; i <= kSteps && tail > 0 && to > from; ++i) {
    const double x = from * std::pow(to / from, static_cast<double>(i) / kSteps);
    const double middle = std::log(line.value_at(x));
    std::vector<double> logs;
    for (const PowerLaw& l : lines) logs.push_back(std::log(l.value_at(x)));
    const Interval y = percentile(std::move(logs), tail);
    if (!std::isfinite(y.low) || !std::isfinite(y.high)) return {};
    out.push_back({x,
                   {std::exp(std::min(middle, middle - (middle - y.low) * scatter)),
                    std::exp(std::max(middle, middle + (y.high - middle) * scatter))}});
  }
  return out;
}

Replicates fit_resamples(std::vector<std::vector<CurvePoint>>& resamples,
                         const std::vector<CurvePoint>& points, double largest_x) {
  Replicates out;
  for (auto& curve : resamples) {
    for (std::size_t k = 0; k < curve.size(); ++k) curve[k].weight = points[k].weight;
    if (const auto line = fit_power_law(curve, Shape::kStraight)) {
      out.slope.push_back(line->b);
      out.lines.push_back(*line);
    }
    if (const auto bent = fit_power_law(curve, Shape::kCurved)) {
      out.curvature.push_back(bent->c);
      out.end_slope.push_back(bent->slope_at(largest_x));
    }
  }
  return out;
}

}  // namespace

RateFit fit_rate(std::span<const Cluster> clusters, const CurveStatistic& statistic, Rng& rng,
                 const RateOptions& options) {
  require(!clusters.empty(), "fit_rate: no runs");
  RateFit out;
  const std::vector<int> once(clusters.size(), 1);
  out.points = statistic(once);
  const auto groups = by_instance(clusters);
  std::vector<std::vector<CurvePoint>> resamples;
  for (int r = 0; r < options.replicates; ++r) {
    resamples.push_back(statistic(resample(groups, clusters.size(), rng)));
  }
  set_weights(out.points, resamples, options.variance_floor);
  double low = kInfinity, high = 0;
  for (const CurvePoint& p : out.points) {
    out.censored += usable(p) ? 0 : 1;
    if (!(p.y > 0)) continue;
    low = std::min(low, p.x);
    high = std::max(high, p.x);
  }
  out.decades = high > low ? std::log10(high / low) : 0;
  out.line = fit_power_law(out.points, Shape::kStraight);
  out.curve = fit_power_law(out.points, Shape::kCurved);
  out.clusters = static_cast<int>(groups.size() > 1 ? groups.size() : clusters.size());
  const Replicates fits = fit_resamples(resamples, out.points, high);
  const double tail = expanded_tail(options.level, static_cast<std::size_t>(out.clusters));
  const auto interval = [&](const std::vector<double>& values) {
    // A resample that cannot be fitted could have had any slope.
    const auto lost = static_cast<double>(resamples.size() - values.size());
    const bool enough = lost <= tail * static_cast<double>(resamples.size());
    return enough ? percentile(values, tail) : Interval{-kInfinity, kInfinity};
  };
  out.slope = interval(fits.slope);
  if (out.line) {
    const double b = out.line->b;
    out.scatter = scatter_factor(out.points, *out.line, options.level);
    const bool known = std::isfinite(out.slope.low) && std::isfinite(out.slope.high);
    out.slope = {b - (b - out.slope.low) * out.scatter, b + (out.slope.high - b) * out.scatter};
    if (known) out.band = line_band(fits.lines, *out.line, low, high, tail, out.scatter);
  }
  out.errors = point_intervals(resamples, out.points, tail);
  out.curvature = interval(fits.curvature);
  out.end_slope = interval(fits.end_slope);
  return out;
}

CurveStatistic mean_curve(const CurveTable& table) {
  return [table](std::span<const int> multiplicity) {
    std::vector<CurvePoint> out;
    for (std::size_t k = 0; k < table.x.size(); ++k) {
      double total = 0, count = 0;
      for (std::size_t i = 0; i < table.y.size(); ++i) {
        if (multiplicity[i] == 0 || std::isnan(table.y[i][k])) continue;
        total += multiplicity[i] * table.y[i][k];
        count += multiplicity[i];
      }
      out.push_back({.x = table.x[k], .y = count > 0 ? total / count : 0});
    }
    return out;
  };
}

CurveStatistic quantile_curve(const CurveTable& table, double q) {
  require(q > 0 && q <= 1, "quantile_curve: the share lies in (0, 1]", q);
  std::vector<std::vector<std::size_t>> order(table.x.size());  // runs by value, per column
  for (std::size_t k = 0; k < order.size(); ++k) {
    for (std::size_t i = 0; i < table.y.size(); ++i) {
      if (!std::isnan(table.y[i][k])) order[k].push_back(i);
    }
    std::ranges::sort(order[k], {}, [&](std::size_t i) { return table.y[i][k]; });
  }
  return [table, order, q](std::span<const int> multiplicity) {
    std::vector<CurvePoint> out;
    for (std::size_t k = 0; k < table.x.size(); ++k) {
      double count = 0;
      for (const std::size_t i : order[k]) count += multiplicity[i];
      double left = q * count * (1 - 4 * tol::kUnit);  // q·count may round above an integer
      double value = 0;
      for (const std::size_t i : order[k]) {
        value = table.y[i][k];
        left -= multiplicity[i];
        if (left <= 0) break;
      }
      out.push_back({.x = table.x[k], .y = value});
    }
    return out;
  };
}

CurveStatistic worst_curve(std::vector<CurveStatistic> curves) {
  require(!curves.empty(), "worst_curve: at least one curve");
  return [curves = std::move(curves)](std::span<const int> multiplicity) {
    std::map<double, CurvePoint> worst;
    for (const CurveStatistic& curve : curves) {
      for (const CurvePoint& p : curve(multiplicity)) {
        CurvePoint& at = worst.emplace(p.x, p).first->second;
        at.y = std::max(at.y, p.y);
      }
    }
    std::vector<CurvePoint> out;
    for (const auto& [x, p] : worst) out.push_back(p);
    return out;
  };
}

}  // namespace speder

#include "speder/stats/scaling_models.hpp"

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "speder/core/eigen_instances.hpp"

namespace speder {
namespace {

constexpr double kGainAlarm = 0.01;  // probability of preferring another model on a straight line
constexpr double kLevel = 0.95;

// The known rows with their weights; `column` of X is the axis.
struct KnownRows {
  Matrix X;
  Vector y, w;
  Index column = 0;
};

KnownRows known_rows(const EffectsData& data, double tau2, Index axis) {
  std::vector<Index> rows;
  for (Index i = 0; i < data.X.rows(); ++i)
    if (!data.censored[static_cast<std::size_t>(i)]) rows.push_back(i);
  return {data.X(rows, Eigen::all), data.y(rows), (data.s2(rows).array() + tau2).inverse().matrix(),
          1 + axis};
}

// Weighted least squares on the columns of X, without row `out` when it is not negative.
struct Linear {
  Vector b;
  double residual = 0;
};
Linear solve_linear(const Matrix& X, const Vector& y, Vector w, Index out) {
  if (out >= 0) w[out] = 0;
  const Matrix normal = X.transpose() * w.asDiagonal() * X;
  Linear fit;
  fit.b = normal.ldlt().solve(X.transpose() * w.cwiseProduct(y));
  fit.residual = w.dot((y - X * fit.b).cwiseAbs2());
  return fit;
}

// c + x^p as log N = a + log(1 + (x/x₀)^p) + the other axes: two numbers that are searched for, the
// rest linear.
struct FloorFit {
  double corner = 0;    // log x₀
  double exponent = 1;  // p
  Linear rest;
  double residual = std::numeric_limits<double>::infinity();
};

double bend(double x, const FloorFit& at) {
  const double u = at.exponent * (x - at.corner);
  return u > 0 ? u + std::log1p(std::exp(-u)) : std::log1p(std::exp(u));
}

class FloorSearch {
 public:
  explicit FloorSearch(const KnownRows& rows)
      : rows_(rows), x_(rows.X.col(rows.column)), others_(rows.X.rows(), rows.X.cols() - 1) {
    others_ << rows.X.leftCols(rows.column), rows.X.rightCols(rows.X.cols() - 1 - rows.column);
    range_ = x_.maxCoeff() - x_.minCoeff();
  }

  // The whole rectangle, then around the best.
  [[nodiscard]] FloorFit everywhere() const {
    FloorFit best;
    for (int i = 0; i < kGrid; ++i) {
      for (int j = 0; j < kGrid; ++j)
        attempt(x_.minCoeff() + range_ * (2.0 * i / (kGrid - 1) - 1), kLeast * std::pow(ratio(), j),
                -1, best);
    }
    return around(best, -1);
  }

  [[nodiscard]] FloorFit around(FloorFit best, Index out) const {
    best.residual = std::numeric_limits<double>::infinity();
    double step = 2;  // of the grid
    attempt(best.corner, best.exponent, out, best);
    for (int round = 0; round < kRounds; ++round, step /= 2) {
      const FloorFit centre = best;
      for (int i = -1; i <= 1; ++i) {
        for (int j = -1; j <= 1; ++j)
          attempt(centre.corner + i * step * 2 * range_ / (kGrid - 1),
                  centre.exponent * std::pow(ratio(), j * step), out, best);
      }
    }
    return best;
  }

  [[nodiscard]] double error(const FloorFit& fit, Index i) const {
    return rows_.y[i] - bend(x_[i], fit) - others_.row(i).dot(fit.rest.b);
  }

 private:
  static constexpr int kGrid = 11;
  static constexpr int kRounds = 6;
  static constexpr double kLeast = 0.2, kMost = 12;  // of the exponent
  static double ratio() { return std::pow(kMost / kLeast, 1.0 / (kGrid - 1)); }

  void attempt(double corner, double exponent, Index out, FloorFit& best) const {
    FloorFit fit{corner, std::clamp(exponent, kLeast, kMost), {}, 0};
    Vector y(rows_.y.size());
    for (Index i = 0; i < y.size(); ++i) y[i] = rows_.y[i] - bend(x_[i], fit);
    fit.rest = solve_linear(others_, y, rows_.w, out);
    fit.residual = fit.rest.residual;
    if (fit.residual < best.residual) best = std::move(fit);
  }

  const KnownRows& rows_;
  Vector x_;
  Matrix others_;
  double range_ = 0;
};

// Errors at points left out one at a time.
Vector left_out_linear(const KnownRows& rows, const Vector& offset) {
  Vector out(rows.y.size());
  const Vector y = rows.y - offset;
  for (Index i = 0; i < y.size(); ++i)
    out[i] = y[i] - rows.X.row(i).dot(solve_linear(rows.X, y, rows.w, i).b);
  return out;
}

Interval exponent_interval(const EffectsFit& fit, Index column) {
  const boost::math::students_t student(fit.freedom);
  const double half =
      boost::math::quantile(student, (1 + kLevel) / 2) * std::sqrt(fit.covariance(column, column));
  return {fit.b[column] - half, fit.b[column] + half};
}

void set_errors(ModelFit& model, const Vector& errors, const Vector& straight) {
  model.fitted = true;
  model.held_out = std::sqrt(errors.squaredNorm() / static_cast<double>(errors.size()));
  RunningMean gain;
  for (Index i = 0; i < errors.size(); ++i)
    gain.add(straight[i] * straight[i] - errors[i] * errors[i]);
  model.gain = gain.mean();
  model.gain_error = gain.standard_error();
}

// That one more coefficient lowers the residual sum so much by chance.
double nested_p(double without, double with, double freedom) {
  const double ratio = (without - with) / (with / freedom);
  if (!(ratio > 0)) return 1;
  return boost::math::cdf(boost::math::complement(boost::math::fisher_f(1, freedom), ratio));
}

ScalingModel preferred_model(const ModelComparison& models, Index points, double floor_p) {
  const ModelFit& log = models.of(ScalingModel::kPowerLog);
  const ModelFit& floor = models.of(ScalingModel::kFloorPower);
  if (floor.fitted && floor.gain > 0 && floor_p < kGainAlarm) return ScalingModel::kFloorPower;
  const double beyond_chance = boost::math::quantile(
      boost::math::students_t(static_cast<double>(points - 1)), 1 - kGainAlarm);
  if (log.fitted && log.gain > beyond_chance * log.gain_error) return ScalingModel::kPowerLog;
  return ScalingModel::kPower;
}

}  // namespace

std::string_view to_string(ScalingModel model) {
  switch (model) {
    case ScalingModel::kPower:
      return "x^p";
    case ScalingModel::kPowerLog:
      return "x^p log x";
    case ScalingModel::kFloorPower:
      return "c + x^p";
  }
  return "unknown";
}

ModelComparison compare_models(const EffectsData& data, const EffectsFit& straight, Index axis) {
  ModelComparison out;
  for (int m = 0; m < kScalingModels; ++m)
    out.models[static_cast<std::size_t>(m)].model = static_cast<ScalingModel>(m);
  auto& [power, with_log, with_floor] = out.models;
  const KnownRows rows = known_rows(data, straight.tau2, axis);
  const Vector x = rows.X.col(rows.column);
  const Index n = x.size();
  if (n < rows.X.cols() + 2 || !(x.maxCoeff() > x.minCoeff())) return out;

  const Vector line = left_out_linear(rows, Vector::Zero(n));
  set_errors(power, line, line);
  power.exponent = straight.b[rows.column];
  power.interval = exponent_interval(straight, rows.column);

  if (data.X.col(rows.column).minCoeff() > 0) {
    set_errors(with_log, left_out_linear(rows, x.array().log()), line);
    EffectsData shifted = data;
    shifted.y.array() -= data.X.col(rows.column).array().log();
    const EffectsFit fit = fit_effects(shifted);
    with_log.exponent = fit.b[rows.column];
    with_log.interval = exponent_interval(fit, rows.column);
  }
  double floor_p = 1;
  if (n >= rows.X.cols() + 3) {
    const FloorSearch search(rows);
    const FloorFit best = search.everywhere();
    floor_p = nested_p(solve_linear(rows.X, rows.y, rows.w, -1).residual, best.residual,
                       static_cast<double>(n - rows.X.cols() - 1));
    Vector errors(n);
    for (Index i = 0; i < n; ++i) errors[i] = search.error(search.around(best, i), i);
    set_errors(with_floor, errors, line);
    with_floor.exponent = best.exponent;
    constexpr double kWhole = std::numeric_limits<double>::infinity();
    with_floor.interval = {-kWhole, kWhole};
  }
  out.preferred = preferred_model(out, n, floor_p);
  return out;
}

}  // namespace speder

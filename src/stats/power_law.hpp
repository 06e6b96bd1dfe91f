#pragma once

#include <optional>
#include <span>

namespace speder {

/// What is known of a measured value: the value itself, or only a bound on it.
enum class Censoring { kNone, kAbove, kBelow };  // kAbove: the truth lies above y

struct CurvePoint {
  double x = 0;
  double y = 0;
  double weight = 1;  // ∝ 1 / Var(log y)
  Censoring censoring = Censoring::kNone;
};

/// log y = a + b u + c u²,  u = log x − centre. A straight fit has c = 0.
struct PowerLaw {
  double centre = 0;  // middle of the range of log x
  double a = 0;
  double b = 0;   // the exponent of a straight fit; the slope at the centre of a curved one
  double c = 0;   // curvature
  double r2 = 0;  // weighted share of the variance of log y explained, over uncensored points
  [[nodiscard]] double slope_at(double x) const;
  [[nodiscard]] double value_at(double x) const;
};

enum class Shape { kStraight = 1, kCurved = 2 };

/// Weighted least squares in log-log coordinates. Censored points enter through the
/// probability of lying beyond their bound, for normal errors of variance ∝ 1/weight (Tobit
/// regression by maximum likelihood): dropping them would bias the exponent. Empty unless two more
/// points than coefficients are uncensored; points with y ≤ 0 have no logarithm and are left out.
[[nodiscard]] std::optional<PowerLaw> fit_power_law(std::span<const CurvePoint> points,
                                                    Shape shape = Shape::kStraight);

}  // namespace speder

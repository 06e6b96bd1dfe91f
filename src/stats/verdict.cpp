#include "speder/stats/verdict.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

namespace speder {
namespace {

// Log-log slope of x^p log(x)^q fitted at the same points with the same weights.
double theory_slope(const RateFit& fit, const RateClaim& claim) {
  if (claim.log_power == 0) return claim.exponent;
  std::vector<CurvePoint> theory;
  for (CurvePoint p : fit.points) {
    if (!(p.y > 0 && p.x > 1)) continue;
    p.y = std::pow(p.x, claim.exponent) * std::pow(std::log(p.x), claim.log_power);
    p.censoring = Censoring::kNone;
    theory.push_back(p);
  }
  const auto line = fit_power_law(theory);
  return line ? line->b : claim.exponent;
}

double slope_change(const RateFit& fit) { return 2 * fit.curve->c * fit.decades * std::log(10.0); }

bool bent(const RateFit& fit) {
  if (!fit.curve) return false;
  const bool significant = fit.curvature.low > 0 || fit.curvature.high < 0;
  return significant && std::abs(slope_change(fit)) > kSlopeChange;
}

std::string shown(Interval i) { return fmt::format("[{:.2f}, {:.2f}]", i.low, i.high); }

// Why the data cannot decide, whatever the exponent turned out to be.
std::optional<std::string> unfit(const RateFit& fit, const RateClaim& claim) {
  if (!fit.line) {
    return fmt::format("{} of {} points are known, not only bounded; a fit needs four",
                       static_cast<int>(fit.points.size()) - fit.censored, fit.points.size());
  }
  if (fit.censored > kCensoredShare * static_cast<double>(fit.points.size())) {
    return fmt::format("{} of {} points are censored", fit.censored, fit.points.size());
  }
  if (fit.decades < claim.min_decades) {
    return fmt::format("the range is {:.2f} decades, {:.2f} are needed", fit.decades,
                       claim.min_decades);
  }
  if (!std::isfinite(fit.slope.low) || !std::isfinite(fit.slope.high)) {
    return "too few runs or fittable resamples for an interval";
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kConsistent:
      return "consistent";
    case Verdict::kTight:
      return "tight";
    case Verdict::kBelow:
      return "below";
    case Verdict::kViolated:
      return "violated";
    case Verdict::kInconclusive:
      return "inconclusive";
    case Verdict::kNotATest:
      return "not a test";
  }
  return "unknown";
}

Judgement judge(const RateFit& fit, const RateClaim& claim) {
  Judgement out{Verdict::kInconclusive, "", theory_slope(fit, claim)};
  const double theory = out.theory_slope;
  if (const auto reason = unfit(fit, claim)) {
    out.reason = *reason;
    return out;
  }
  if (bent(fit)) {
    // The asymptotic end decides: a rate that has already flattened is broken there.
    if (fit.end_slope.low > theory + kExponentMargin) {
      out.verdict = Verdict::kViolated;
      out.reason = fmt::format("curved; the slope at the far end, {}, lies above {:.2f}",
                               shown(fit.end_slope), theory);
      return out;
    }
    out.reason = fmt::format("curved: the slope changes by {:+.2f} over the range, {} at its end",
                             slope_change(fit), shown(fit.end_slope));
    return out;
  }
  const std::string where = fmt::format("{} against {:.2f}", shown(fit.slope), theory);
  if (fit.slope.low > theory + kExponentMargin) {
    out.verdict = Verdict::kViolated;
    out.reason = "the interval lies above the theory: " + where;
  } else if (fit.slope.low > theory) {
    out.reason = fmt::format("above the theory by less than {}: {}", kExponentMargin, where);
  } else if (fit.slope.high > theory + kExponentResolution) {
    out.reason = "the interval is too wide to exclude slower rates: " + where;
  } else {
    out.verdict = Verdict::kConsistent;
    out.reason = "the interval lies at or below the theory: " + where;
  }
  return out;
}

}  // namespace speder

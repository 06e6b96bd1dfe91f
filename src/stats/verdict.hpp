#pragma once

#include <string>
#include <string_view>

#include "speder/stats/rate.hpp"

namespace speder {

/// The theory's rates are upper bounds, so `consistent` never claims equality. Tight and below are
/// the two-sided forms of it (stats/scaling.hpp).
enum class Verdict { kConsistent, kTight, kBelow, kViolated, kInconclusive, kNotATest };
[[nodiscard]] std::string_view to_string(Verdict verdict);
/// Evidence for the claim: consistent, tight or below.
[[nodiscard]] constexpr bool supports(Verdict verdict) {
  return verdict == Verdict::kConsistent || verdict == Verdict::kTight ||
         verdict == Verdict::kBelow;
}

/// y grows at most like x^exponent · log(x)^log_power (decays at least so fast when negative).
struct RateClaim {
  double exponent = 0;
  double log_power = 0;
  double min_decades = 1.5;  // a shorter range decides nothing; less only where the axis is short
};

struct Judgement {
  Verdict verdict = Verdict::kInconclusive;
  std::string reason;
  double theory_slope = 0;  // the claim's own log-log slope over the same points and weights
};

/// violated: the 95% interval of the exponent lies above the theory's by more than
/// kExponentMargin. consistent: it lies at or below it, up to kExponentResolution above. All else
/// is inconclusive, with the reason: too few runs, too short, curved, censored, too wide.
[[nodiscard]] Judgement judge(const RateFit& fit, const RateClaim& claim);

inline constexpr double kExponentMargin = 0.05;     // bias a finite range may cause unnoticed
inline constexpr double kExponentResolution = 0.2;  // slower rates than this must be excluded
inline constexpr double kSlopeChange = 0.25;  // over the range; log n over two decades bends by 0.1
inline constexpr double kCensoredShare = 1.0 / 3;

}  // namespace speder

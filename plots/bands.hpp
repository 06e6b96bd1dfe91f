#pragma once

#include <optional>
#include <string>

#include "speder/plots/figure.hpp"
#include "speder/stats/rate.hpp"

namespace speder {

inline constexpr const char* kBandName = "median and 10–90% band";

/// Median, 10% and 90% of the runs that have a value at x[k]; NaN when none has.
struct Band {
  double low, middle, high;
};
[[nodiscard]] Band band_at(const CurveTable& curves, std::size_t k);

/// A line through the medians of runs with the band that has 80% of them, on a logarithmic axis: from
/// where half of the runs and the lower edge are positive. Empty below two such points.
[[nodiscard]] std::optional<Series> median_band(std::string label, const CurveTable& curves,
                                                int colour);

}  // namespace speder

#pragma once

#include <string>
#include <vector>

#include "speder/plots/analysis.hpp"
#include "speder/stats/scaling.hpp"

// What every judge of a scaling law shows beside its exponents: the laws compared out of sample, and the
// last point predicted from the others.
namespace speder {

/// x^p, x^p log x and c + x^p on each axis, each by its error at points left out of the fit.
[[nodiscard]] ReportTable laws_table(std::string id, std::string caption, const ScalingFit& fit,
                                     const std::vector<std::string>& symbols);

/// "5,120", or "> 100,000" for a bound.
[[nodiscard]] std::string shown_n(double n, double budget);

/// The point at `where` predicted and measured, in words; `measured` as in a table.
[[nodiscard]] std::string held_out_words(const HeldOutPoint& held_out, const std::string& where,
                                         const std::string& measured);
/// The same as a line of the verdict table: consistent inside its 95% interval, else inconclusive (one
/// point in twenty lies outside by chance).
[[nodiscard]] Finding held_out_finding(const HeldOutPoint& held_out, const std::string& where,
                                       const std::string& measured);
/// The prediction with its 95% bar at x.
[[nodiscard]] Series held_out_series(const HeldOutPoint& held_out, double x);

}  // namespace speder

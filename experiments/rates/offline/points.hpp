#pragma once

#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "speder/plots/analysis.hpp"
#include "speder/stats/scaling.hpp"

// Stored runs of an off suite, by cell.
namespace speder {

/// A number of the suite's settings; `fallback` when it has none of that name.
[[nodiscard]] double offline_setting(const ExperimentData& data, std::string_view key,
                                     double fallback);

/// The runs of one cell.
struct OfflinePoint {
  double value = 0;                                    // of the cell
  std::map<std::string, double> known;                 // what is stored once for the cell
  std::map<std::string, std::vector<double>> ends;     // by curve; ∞: not within the budget
  std::map<std::string, int> not_pessimistic;          // runs, by curve
  double N = std::numeric_limits<double>::infinity();  // N(ε, δ) of printed
  double budget = 0;                                   // the last n
  [[nodiscard]] int broken(const std::string& curve) const;
};
inline constexpr const char* kOfflineCurves[] = {"printed", "none", "added", "clone", "flat"};
/// Cells with their premises, in the order of their values.
[[nodiscard]] std::vector<OfflinePoint> offline_points(const ExperimentData& data, double delta);

/// The premises hold in every cell, and without its penalty the learner is not there when the
/// printed one is: in each cell the share of runs that are is below 1 − δ with 95% confidence.
[[nodiscard]] ScalingGate offline_gate(const std::vector<OfflinePoint>& points, double delta);

}  // namespace speder

#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "speder/plots/analysis.hpp"
#include "speder/stats/scaling.hpp"

// What the judges of the scaling study share: stored runs of run_needle to N(ε, δ), gate and tables.
namespace speder {

/// The runs of one setting on one curve.
struct NeedleCell {
  double rank = 0, actions = 0, horizon = 0, lead = 0, levels = 0, log_class = 0, scale = 1;
  double budget = 0;
  std::vector<double> ends;  // one a run; +∞: above ε at its end
  std::vector<std::int64_t> repetition;
  QuantilePoint N;  // N(ε, δ); +∞: more than a share δ of the runs did not get there
  std::map<std::string, double> mean;  // of every other measure over the runs
  [[nodiscard]] bool reached() const;
};

/// Curves by name ("printed", "none", …; "printed*0.5" at half the constant), cells in the order of
/// (d, |A|, 1/(1−γ), 1/Δ, log|F|).
using NeedleCells = std::vector<NeedleCell>;
using NeedleCurves = std::map<std::string, NeedleCells>;
[[nodiscard]] NeedleCurves needle_curves_of(const ExperimentData& data, double delta);
/// None where the store has no such curve.
[[nodiscard]] const NeedleCells& cells_of(const NeedleCurves& curves, const std::string& name);
/// The cell of a curve at another one's setting, or nothing.
[[nodiscard]] const NeedleCell* same_setting(const NeedleCurves& curves, const std::string& curve,
                                             const NeedleCell& at);

/// Whether the printed curve is a test at all: every premise holds in every run, and `none`, seen over at
/// least as many episodes, is surely_late where printed is not.
[[nodiscard]] ScalingGate needle_gate(const NeedleCurves& curves, double delta);

using NeedleAxis = double (*)(const NeedleCell&);
/// log N against the logarithms of the axes.
[[nodiscard]] std::vector<ScalingPoint> scaling_points(const NeedleCells& cells,
                                                       const std::vector<NeedleAxis>& axes);
/// The same for a number that the cells store, without error.
[[nodiscard]] std::vector<ScalingPoint> stored_points(const NeedleCells& cells,
                                                      const std::string& metric,
                                                      const std::vector<NeedleAxis>& axes);
/// Exponent k of a fit as a line of the verdict table.
[[nodiscard]] Finding scaling_finding(std::string claim, const ScalingFit& fit, Index k,
                                      double theory, const ScalingGate& gate);
/// lem:optimism in the printed runs: every plan of a run optimistic, in a share 1 − δ of the runs.
[[nodiscard]] Finding optimism_finding(const NeedleCells& printed, double delta);
/// A mutation that must fail: runs of the curve that are ε-optimal by the printed learner's N(ε, δ).
[[nodiscard]] Finding failing_mutation(const NeedleCurves& curves, const std::string& curve,
                                       const std::string& words, double delta);
/// Measured N / theorem's N over the cells.
[[nodiscard]] std::string theorem_ratio(const NeedleCells& cells);

/// N of every curve, certificate and theorem, a line a setting.
[[nodiscard]] ReportTable needle_table(const NeedleCurves& curves, const std::string& id);
/// Conditions with their bounds, C, |S|/d, optimism, a line a setting.
[[nodiscard]] ReportTable premise_table(const NeedleCurves& curves, const std::string& id);
/// N as points with 95% bars, cells beyond the budget as bounds.
[[nodiscard]] std::vector<Series> needle_series(const std::string& label, const NeedleCells& cells,
                                                NeedleAxis axis, int colour);

}  // namespace speder

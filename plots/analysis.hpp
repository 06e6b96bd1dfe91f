#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/grid_cell.hpp"
#include "core/results.hpp"
#include "core/verdict.hpp"
#include "plots/figure.hpp"

// From stored rows to figures and verdicts. One file per experiment under plots/figures/.
namespace speder {

/// What the store has of one experiment.
struct ExperimentData {
  ExperimentRecord record;
  std::vector<Run> runs;
};

/// A claim put to the test, or a mutation: a setting in which the claim must be seen to fail.
enum class Role { kClaim, kMutation };

/// One line of the verdict table.
struct Finding {
  std::string claim;     // in words, with its symbol
  std::string measured;  // exponent or frequency
  std::string interval;  // 95%
  std::string theory;
  std::string ratio;  // measured / theorem's right-hand side, where there is one
  Verdict verdict = Verdict::kInconclusive;
  std::string reason;
  Role role = Role::kClaim;
};

struct ExperimentReport {
  std::string question;
  std::string design;  // what moves, how the rest is held
  std::vector<Finding> findings;
  std::vector<Figure> figures;
  std::vector<std::string> caveats;
};

using Analysis = std::function<ExperimentReport(const ExperimentData&)>;

/// The visible table: id → analysis.
[[nodiscard]] const std::map<std::string_view, Analysis>& analysis_table();

/// A claim must not be violated, a mutation must be.
[[nodiscard]] bool acceptable(const Finding& finding);

// What the analyses share.

/// Values of a metric over runs. Failed runs are left out; analyses say how many (failures()).
struct MetricTable {
  CurveTable curve;               // x ascending; one row per cluster
  std::vector<Cluster> clusters;  // instance and repetition of each row
};
using CellFilter = std::function<bool(const GridCell&)>;
/// x = a setting of the cell, y = the metric; rows are repetitions.
[[nodiscard]] MetricTable metric_over_cells(const ExperimentData& data, std::string_view setting,
                                            std::string_view metric, const CellFilter& keep = {});
/// x = n, y = the metric, in the cells kept; rows are runs, and cells are instances.
[[nodiscard]] MetricTable metric_over_n(const ExperimentData& data, std::string_view metric,
                                        const CellFilter& keep = {});
[[nodiscard]] int failures(const ExperimentData& data);

/// A fit with its bootstrap, seeded by the experiment's seed and the name.
[[nodiscard]] RateFit fit_of(const ExperimentData& data, std::string_view name,
                             const MetricTable& table, const CurveStatistic& statistic,
                             const RateOptions& options = {});

/// The finding of a rate claim and how it is drawn: points with 95% bars (mean ± t-interval of the
/// table's columns), the fitted line with its slope.
[[nodiscard]] Finding rate_finding(std::string claim, const RateFit& fit, const RateClaim& theory);
[[nodiscard]] Series mean_series(std::string label, const MetricTable& table, int colour);
/// The fit's own points; censored ones in a series of their own.
[[nodiscard]] std::vector<Series> point_series(const std::string& label, const RateFit& fit,
                                               int colour);
[[nodiscard]] std::optional<FitLine> fit_line(const RateFit& fit, int colour);
[[nodiscard]] std::string shown(double value);  // three digits, a true minus sign
[[nodiscard]] std::string shown(Interval interval);

}  // namespace speder

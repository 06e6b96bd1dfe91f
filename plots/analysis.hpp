#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "speder/plots/figure.hpp"
#include "speder/stats/scaling.hpp"
#include "speder/stats/verdict.hpp"
#include "speder/sweep/grid_cell.hpp"
#include "speder/sweep/store.hpp"

// From stored rows to figures and verdicts. Each experiment has a judge.cpp under experiments/rates/.
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
  std::string claim = {};     // in words, with its symbol
  std::string measured = {};  // exponent or frequency
  std::string interval = {};  // 95%
  std::string theory = {};
  std::string ratio = {};  // measured / theorem's right-hand side, where there is one
  Verdict verdict = Verdict::kInconclusive;
  std::string reason = {};
  Role role = Role::kClaim;
};

/// Numbers in words and digits, for the page and as CSV.
struct ReportTable {
  std::string id;  // file name
  std::string caption;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
};

struct ExperimentReport {
  std::string question;
  std::string design;  // what moves, how the rest is held
  std::vector<Finding> findings;
  std::vector<Figure> figures;
  std::vector<std::string> caveats;
  std::vector<ReportTable> tables = {};
  std::optional<ReportTable> lead = {};  // a few rows for the first screen of a page
  std::string again = {};                // commands that make the runs; empty: speder sweep
};

/// A claim must not be violated, a mutation must be.
[[nodiscard]] bool acceptable(const Finding& finding);

// What the analyses share.

/// Values of a metric over runs. Failed runs are left out; analyses say how many (failures()).
struct MetricTable {
  CurveTable curve;               // x ascending; one row per cluster
  std::vector<Cluster> clusters;  // instance and repetition of each row
};
using CellFilter = std::function<bool(const GridCell&)>;
/// x = a setting of the cell, y = the metric (its mean over draws); rows are repetitions.
[[nodiscard]] MetricTable metric_over_cells(const ExperimentData& data, std::string_view setting,
                                            std::string_view metric, const CellFilter& keep = {});
/// x = n, y = the metric, in the cells kept; rows are runs, and cells are instances.
[[nodiscard]] MetricTable metric_over_n(const ExperimentData& data, std::string_view metric,
                                        const CellFilter& keep = {});
/// The same table against f(x).
[[nodiscard]] MetricTable with_x(MetricTable table, const std::function<double(double)>& f);
[[nodiscard]] int failures(const ExperimentData& data);

/// A fit with its bootstrap, seeded by the experiment's seed and the name.
[[nodiscard]] RateFit fit_of(const ExperimentData& data, std::string_view name,
                             const MetricTable& table, const CurveStatistic& statistic,
                             const RateOptions& options = {});

/// The worst instance of a family: `member` is the cell setting that numbers them, `table` makes
/// the table of one. Repetitions must be shared.
struct WorstCase {
  std::vector<double> members;
  std::vector<MetricTable> tables;
  RateFit fit;
};
[[nodiscard]] WorstCase worst_case(const ExperimentData& data, std::string_view name,
                                   std::string_view member, const CellFilter& keep,
                                   const std::function<MetricTable(const CellFilter&)>& table);

/// N(ε, δ) against a setting: the runs of a cell are its (repetition, draw) pairs, repetitions are
/// the instances.
struct ComplexityRequest {
  std::string_view setting;
  std::string_view metric;  // the gap; draw_name(metric, i) counts too
  CellFilter keep = {};
  std::function<double(const GridCell&)> epsilon = {};
  std::function<double(double)> x = {};  // of the setting; empty: itself
  double delta = 0.1;
};
struct ComplexityFit {
  RateFit fit;
  std::vector<double> settings;  // of fit.points, in order
  int runs = 0;                  // of each setting
};
[[nodiscard]] ComplexityFit complexity_fit(const ExperimentData& data, std::string_view name,
                                           const ComplexityRequest& request);
[[nodiscard]] Panel complexity_panel(std::string title, Axis x, const RateFit& fit);
/// n → value of one run.
[[nodiscard]] std::map<double, double> curve_of(const Run& run, std::string_view metric);

/// The finding of a rate claim and how it is drawn: points with 95% bars (mean ± t-interval of the
/// table's columns), the fitted line with its slope.
[[nodiscard]] Finding rate_finding(std::string claim, const RateFit& fit, const RateClaim& theory);
/// Runs of a bound that may fail with probability δ, counted by measured / bound.
struct BoundCount {
  std::int64_t runs = 0;
  std::int64_t exceeded = 0;
  std::int64_t not_numbers = 0;  // NaN ratios; one leaves the finding open
  double largest = 0;            // ratio
  void add(double ratio);
};
/// Exact (Clopper–Pearson) statement of the failure frequency against δ.
[[nodiscard]] Finding frequency_finding(std::string claim, const BoundCount& count, double delta);
[[nodiscard]] Series mean_series(std::string label, const MetricTable& table, int colour);
/// The worst case as points, the members as faint lines behind it.
[[nodiscard]] std::vector<Series> member_series(const WorstCase& worst, std::string_view name);
/// The theory's slope through the left end of the fit.
[[nodiscard]] std::vector<ReferenceLine> theory_line(const RateFit& fit, const RateClaim& claim);
[[nodiscard]] ReferenceLine mean_reference(std::string label, const MetricTable& table);
/// The fit's own points; censored ones in a series of their own.
[[nodiscard]] std::vector<Series> point_series(const std::string& label, const RateFit& fit,
                                               int colour);
[[nodiscard]] std::optional<FitLine> fit_line(const RateFit& fit, int colour);
/// A line of a scaling fit along one of its axes with the 95% band of the plane there; `at` has the
/// logarithms of the other axes.
[[nodiscard]] FitLine with_band(FitLine line, const ScalingFit& fit, Index axis, Vector at);
[[nodiscard]] std::string shown(double value);  // three digits, a true minus sign
[[nodiscard]] std::string shown(Interval interval);

}  // namespace speder

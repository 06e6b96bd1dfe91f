#include "speder/plots/analysis.hpp"

#include <cmath>

#include "tests/catch.hpp"

using namespace speder;

namespace analysis_test {
namespace {

ExperimentData empty_data() {
  return {{.id = "test", .config = "", .seed = 1, .planned = 1, .build = this_build()}, {}};
}

void add(ExperimentData& data, const GridCell& cell, int repetition,
         std::vector<Measure> measures) {
  Run run;
  run.key = {"test", cell.key(), repetition};
  run.measures = std::move(measures);
  data.runs.push_back(std::move(run));
}

}  // namespace

TEST_CASE("frequency_finding: exact binomial statement, all three verdicts", "[plots][analysis]") {
  const auto verdict = [](std::int64_t runs, std::int64_t exceeded) {
    BoundCount count;
    for (std::int64_t i = 0; i < runs; ++i) count.add(i < exceeded ? 1.5 : 0.5);
    return frequency_finding("c", count, 0.1).verdict;
  };
  CHECK(verdict(100, 0) == Verdict::kConsistent);     // [0, 0.036]
  CHECK(verdict(20, 0) == Verdict::kInconclusive);    // [0, 0.168]
  CHECK(verdict(100, 10) == Verdict::kInconclusive);  // [0.049, 0.176]
  CHECK(verdict(100, 30) == Verdict::kViolated);      // [0.212, 0.400]
  CHECK(verdict(0, 0) == Verdict::kInconclusive);
}

TEST_CASE("complexity_fit: recovers a planted N(ε, δ) = 10 x², draws and failed runs included",
          "[plots][analysis]") {
  ExperimentData data = empty_data();
  Rng rng(4);
  for (const double x : {1.0, 2.0, 4.0, 8.0, 16.0, 32.0}) {
    for (int r = 0; r < 30; ++r) {
      std::vector<Measure> measures;
      for (int draw = 0; draw < 2; ++draw) {
        // A run succeeds from its own n on: 10 x² times a factor with 0.9 quantile 1.
        const double from = 10 * x * x * std::exp(0.3 * (rng.normal() - 1.2816));
        for (int k = 0; k <= 60; ++k) {
          const auto n = static_cast<std::int64_t>(std::llround(std::exp2(k / 4.0)));
          measures.push_back(
              {draw_name("gap", draw), n, static_cast<double>(n) >= from ? 0.0 : 1.0});
        }
      }
      add(data, GridCell().set("x", x), r, std::move(measures));
    }
  }
  add(data, GridCell().set("x", 1.0), 30, {});
  data.runs.back().failed = true;
  const ComplexityFit fit = complexity_fit(
      data, "N", {.setting = "x", .metric = "gap", .epsilon = [](const GridCell&) { return 0.5; }});
  REQUIRE(fit.fit.line);
  CHECK(fit.runs == 60);
  CHECK(fit.fit.slope.low <= 2);
  CHECK(fit.fit.slope.high >= 2);
  // Half a grid step and the sampling error of a 0.9 quantile of 60: 0.3 √(0.09/60)/φ(1.28) = 0.066.
  for (const CurvePoint& p : fit.fit.points) {
    CHECK(std::log(p.y / (10 * p.x * p.x)) ==
          Approx(std::log(2.0) / 8).margin(std::log(2.0) / 8 + 4 * 0.066));
  }
  const Judgement judged = judge(fit.fit, {.exponent = 1.5});
  CHECK(judged.verdict == Verdict::kViolated);
}

TEST_CASE("worst_case: the largest member at each x decides", "[plots][analysis]") {
  ExperimentData data = empty_data();
  for (int r = 0; r < 10; ++r) {
    for (const double gap : {1.0, 2.0}) {
      std::vector<Measure> measures;
      // Member 1 falls like 1/n, member 2 is flat at 0.05: the maximum turns at n = 20.
      for (const int n : {1, 4, 16, 64, 256})
        measures.push_back({"gap", n, gap == 1 ? 1.0 / n : 0.05 + 1e-6 * r});
      add(data, GridCell().set("gap", gap), r, std::move(measures));
    }
  }
  const WorstCase worst = worst_case(
      data, "w", "gap", [](const GridCell&) { return true; },
      [&](const CellFilter& keep) { return metric_over_n(data, "gap", keep); });
  REQUIRE(worst.fit.points.size() == 5);
  const double expected[] = {1, 0.25, 0.0625, 0.05, 0.05};
  for (std::size_t k = 0; k < 5; ++k)
    CHECK(worst.fit.points[k].y == Approx(expected[k]).epsilon(1e-3));
}

TEST_CASE("worst_case: an unfinished sweep is judged by the repetitions that all members have",
          "[plots][analysis]") {
  ExperimentData data = empty_data();
  for (int r = 0; r < 10; ++r) {
    for (const double gap : {1.0, 2.0}) {
      for (const double value : {4.0, 8.0, 16.0, 32.0}) {
        if (gap == 2 && (r >= 6 || value > 16)) continue;  // not run yet
        add(data, GridCell().set("gap", gap).set("value", value), r, {{"gap", 0, gap * value}});
      }
    }
  }
  const WorstCase worst = worst_case(
      data, "w", "gap", [](const GridCell&) { return true; },
      [&](const CellFilter& keep) { return metric_over_cells(data, "value", "gap", keep); });
  REQUIRE(worst.fit.points.size() == 4);
  CHECK(worst.tables[0].clusters.size() == 6);
  CHECK(worst.fit.points[0].y == Approx(8));
  CHECK(worst.fit.points[3].y == Approx(32));  // the second member has not come so far
}

TEST_CASE("with_x: columns follow their x when its order turns", "[plots][analysis]") {
  MetricTable table;
  table.curve = {{1, 2, 4}, {{10, 20, 40}}};
  const MetricTable turned = with_x(table, [](double x) { return 8 / x; });
  CHECK(turned.curve.x == std::vector<double>{2, 4, 8});
  CHECK(turned.curve.y[0] == std::vector<double>{40, 20, 10});
}

TEST_CASE("frequency_finding: a ratio that is no number leaves the claim open",
          "[plots][analysis]") {
  BoundCount count;
  for (int i = 0; i < 100; ++i) count.add(0.5);
  CHECK(frequency_finding("c", count, 0.1).verdict == Verdict::kConsistent);
  count.add(std::nan(""));
  const Finding open = frequency_finding("c", count, 0.1);
  CHECK(open.verdict == Verdict::kInconclusive);
  CHECK(open.reason == "1 of 101 measured/bound are not numbers");
}

TEST_CASE("fits: a bar on every point, a band round every line", "[plots][analysis]") {
  CurveTable table{.x = {1, 2, 4, 8, 16}, .y = {}};
  std::vector<Cluster> clusters;
  Rng rng = SeedTree(3).stream("band");
  for (int run = 0; run < 20; ++run) {
    clusters.push_back({0, run});
    std::vector<double>& row = table.y.emplace_back();
    for (const double x : table.x) row.push_back(3 * x * x * std::exp(0.3 * rng.normal()));
  }
  const RateFit fit = fit_rate(clusters, mean_curve(table), rng);
  const Series points = point_series("p", fit, 0).front();
  REQUIRE(points.low.size() == 5);
  for (std::size_t i = 0; i < 5; ++i)
    CHECK((points.low[i] < points.y[i] && points.y[i] < points.high[i]));
  const FitLine line = *fit_line(fit, 0);
  REQUIRE(line.band_x.size() >= 3);
  const auto width = [](const FitLine& f, std::size_t i) {
    return std::log(f.band_high[i] / f.band_low[i]);
  };
  for (std::size_t i = 0; i < line.band_x.size(); ++i) {
    CHECK((line.band_low[i] <= value(line, line.band_x[i]) &&
           value(line, line.band_x[i]) <= line.band_high[i]));
  }
  CHECK(width(line, 0) > width(line, line.band_x.size() / 2));  // narrowest in the middle

  std::vector<ScalingPoint> plane;
  for (const double d : {8.0, 12.0, 16.0, 24.0, 32.0, 48.0})
    plane.push_back({.x = Vector::Constant(1, std::log(d)),
                     .log_n = 1 + 2 * std::log(d) + 0.1 * rng.normal(),
                     .variance = 0.01});
  const ScalingFit scaling = fit_scaling(plane);
  const FitLine band =
      with_band({.slope = scaling.exponent[0], .intercept = scaling.intercept, .from = 8, .to = 48},
                scaling, 0, Vector::Zero(1));
  REQUIRE(band.band_x.size() >= 3);
  CHECK(width(band, 0) > width(band, band.band_x.size() / 2));
  CHECK(width(band, 0) < 1);
  CHECK(with_band({.from = 1, .to = 2}, {}, 0, Vector::Zero(1)).band_x.empty());  // nothing fitted
}

}  // namespace analysis_test

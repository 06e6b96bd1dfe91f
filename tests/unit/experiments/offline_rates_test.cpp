// The off suites: instances as asked, a lower bound that is one, and verdicts that can fail.
#include "speder/experiments/rates/offline/instance.hpp"

#include <rapidcheck.h>

#include <cmath>
#include <map>

#include "speder/core/check.hpp"
#include "speder/core/tolerance.hpp"
#include "speder/experiments/rates/registry.hpp"
#include "speder/experiments/rates/suite.hpp"
#include "speder/stats/scaling.hpp"
#include "tests/catch.hpp"

using namespace speder;

namespace offline_rates_test {
namespace {

ExperimentData run_suite(const std::string& text) {
  const Suite suite = read_suite(ConfigTable::parse(text, "s.toml"), "quick");
  const RunTask task = run_task(suite, 5);
  ExperimentData out{suite.record(5), {}};
  for (std::int64_t i = 0; i < suite.runs(); ++i) {
    out.runs.push_back(task(i).run.value());
    REQUIRE(!out.runs.back().failed);
  }
  return out;
}

Verdict claim_of(const ExperimentData& data) {
  return rate_experiment(data.record.id).judge(data).findings.front().verdict;
}

ExperimentData edited(ExperimentData data, const std::string& metric,
                      const std::function<double(const Run&, double)>& f) {
  for (Run& run : data.runs)
    for (Measure& m : run.measures)
      if (m.metric == metric) m.value = f(run, m.value);
  return data;
}

double measured(const Run& run, const std::string& metric) {
  for (const Measure& m : run.measures)
    if (m.metric == metric) return m.value;
  throw std::runtime_error("no measure " + metric);
}

}  // namespace

TEST_CASE("off suites: the behaviour has the ω and the C* that were asked for",
          "[experiments][offline][property]") {
  const bool ok = rc::check("random shapes", [] {
    OfflineShape shape;
    shape.needle = {.doors = 2 * *rc::gen::inRange<Index>(1, 5),
                    .actions = *rc::gen::inRange<Index>(3, 6),
                    .overlap = 0.05 * *rc::gen::inRange(0, 5),
                    .lead = 0.05 * *rc::gen::inRange(1, 5),
                    .levels = 1};
    shape.omega = 100;
    const double c_star = 12 + *rc::gen::inRange(0, 12);
    shape.good = entry_for_coverage(shape, c_star);
    const OfflineInstance made =
        make_offline_instance(shape, SeedTree(*rc::gen::arbitrary<std::uint64_t>()));
    RC_ASSERT((made.behaviour.rowwise().sum().array() - 1).abs().maxCoeff() <= tol::kSimplex);
    RC_ASSERT(std::abs(made.omega - 100) <= 100 * tol::kSimplex);
    // C* is the same for every truth.
    RC_ASSERT(std::abs(needle_coverage(shape.needle, made.truth, made.best, made.behaviour) -
                       c_star) <= 1e-6 * c_star);
    RC_ASSERT(std::abs(needle_value(shape.needle, made.truth, made.best) -
                       needle_values(shape.needle).best) <= 1e-9);
  });
  CHECK(ok);
  OfflineShape shape;
  shape.omega = 10;
  shape.needle.actions = 4;
  CHECK_THROWS_AS(make_offline_instance(shape, SeedTree(1)), InputError);
  shape.omega = 100;
  CHECK_THROWS_AS(entry_for_coverage(shape, 1e5), InputError);
}

TEST_CASE("off suites: no policy is ε-optimal in both truths of the lower bound",
          "[experiments][offline]") {
  const NeedleShape shape{.doors = 8, .actions = 4, .overlap = 0.02, .lead = 0.1, .levels = 1};
  const OfflineInstance made = make_offline_instance({.needle = shape}, SeedTree(3));
  const NeedleValues values = needle_values(shape);
  const Index good = made.truth.needle[0].action >= 0 ? 0 : 1;
  const auto arm = made.truth.needle[static_cast<std::size_t>(good)].action;
  const std::int32_t other = arm == 0 ? 1 : 0;
  NeedleMember moved = made.truth;
  moved.needle[static_cast<std::size_t>(good)].action = other;
  // All that matters is what is done in the first pair; everywhere else π* is best in both.
  double least = 1;
  for (Index enter = 0; enter < 4; ++enter) {
    for (Index arms = 0; arms < 256; ++arms) {
      GroupPolicy policy = made.best;
      for (Index c = 0; c < 2; ++c) {
        for (const Index g : {shape.door(c), shape.hall(c)}) {
          policy.row(g).setZero();
          policy(g, (enter >> c) % 2 == 1 ? 1 : 0) = 1;
        }
      }
      for (Index q = 0; q < 4; ++q) {
        policy.row(shape.half(0, 0) + q).setZero();
        policy(shape.half(0, 0) + q, (arms >> (2 * q)) % 4) = 1;
      }
      least = std::min(least, std::max(values.best - needle_value(shape, made.truth, policy),
                                       values.best - needle_value(shape, moved, policy)));
    }
  }
  CHECK(least > 0.15 * (values.best - values.refusal));  // the suites' ε
}

TEST_CASE(
    "off-omega: the penalty matters in every cell, and a suite in which it does not is no test",
    "[experiments][offline]") {
  const ExperimentData data = run_suite(
      "experiment = 'off-omega'\n[quick]\nomegas = [40, 80, 160, 320, 640]\nrepetitions = 40\n"
      "first = 131072\nlast = 8e9\nc_alpha = 0.00085\n");
  const ExperimentReport report = rate_experiment("off-omega").judge(data);
  CHECK(report.findings.front().verdict == Verdict::kBelow);
  for (const Finding& f : report.findings) {
    CAPTURE(f.claim);
    CHECK(acceptable(f));
  }
  std::map<std::string, std::map<std::string, std::vector<double>>> ends;
  for (const Run& run : data.runs) {
    for (const std::string curve : {"printed", "none"}) {
      const double end = measured(run, "end." + curve);
      ends[run.key.cell][curve].push_back(end > 0 ? end : INFINITY);
    }
    if (run.key.repetition != 0) continue;
    CAPTURE(run.key.cell);
    CHECK(measured(run, "premises_failed") == 0);
    CHECK(measured(run, "states_per_rank") >= 8);
    CHECK(measured(run, "rank") == 20);
    CHECK(measured(run, "lower_bound") < measured(run, "end.printed"));
  }
  for (auto& [cell, by_curve] : ends) {
    CAPTURE(cell);
    CHECK(run_quantile(by_curve["none"], 0.9).n > 4 * run_quantile(by_curve["printed"], 0.9).n);
  }
  // Not a test: none is printed, or a premise fails somewhere.
  CHECK(claim_of(edited(data, "end.none", [](const Run& run, double) {
          return measured(run, "end.printed");
        })) == Verdict::kNotATest);
  CHECK(claim_of(edited(data, "premises_failed", [](const Run&, double) { return 1; })) ==
        Verdict::kNotATest);
  // The last point is predicted from the others. With two degrees of freedom left the interval is wide, so a
  // large jump is planted.
  const auto last_point = [](const ExperimentData& rows) {
    for (const Finding& f : rate_experiment("off-omega").judge(rows).findings)
      if (f.claim.starts_with("N(ε, δ) at the last point")) return f.verdict;
    throw std::runtime_error("no last point");
  };
  CHECK(last_point(data) == Verdict::kConsistent);
  CHECK(last_point(edited(data, "end.printed", [](const Run& run, double end) {
          return GridCell::parse(run.key.cell).number("value") == 640 ? 64 * end : end;
        })) == Verdict::kInconclusive);
  // Violated: N grows like ω³. Inconclusive: most runs never get there.
  const auto steep = [](const Run& run, double end) {
    return end * std::pow(GridCell::parse(run.key.cell).number("value") / 40, 2);
  };
  CHECK(claim_of(edited(edited(data, "end.printed", steep), "end.none",
                        [](const Run&, double) { return 0; })) == Verdict::kViolated);
  CHECK(claim_of(edited(data, "end.printed", [](const Run&, double) { return 0; })) ==
        Verdict::kInconclusive);
}

TEST_CASE("off suites: settings that cannot be met are refused before anything runs",
          "[experiments][offline]") {
  const auto plan = [](const std::string& settings) {
    return read_suite(
        ConfigTable::parse("experiment = 'off-C'\n[quick]\nrepetitions = 1\n" + settings, "s.toml"),
        "quick");
  };
  CHECK_THROWS_WITH(plan("coverages = [1e6]\n"), Catch::Contains("cannot be had; it lies in ["));
  CHECK_THROWS_WITH(plan("wide_omega = 8\n"), Catch::Contains("cannot be had; it lies in ["));
  CHECK_THROWS_WITH(plan("actions = 2\n"), Catch::Contains("actions"));
}

}  // namespace offline_rates_test

#include "speder/experiments/rates/registry.hpp"
#include "speder/experiments/rates/suite.hpp"
#include "tests/catch.hpp"

using namespace speder;

namespace horizon_test {
TEST_CASE("horizon: a small sweep, judged: claims hold and the late sampler is caught",
          "[experiments][horizon]") {
  const Suite suite = read_suite(
      ConfigTable::parse("experiment = 'horizon'\n[quick]\nrepetitions = 10\nepisodes = 300\n"
                         "horizon = [2, 10, 50, 200]\n",
                         "horizon.toml"),
      "quick");
  const RunTask task = run_task(suite, 1);
  ExperimentData data{suite.record(1), {}};
  for (std::int64_t i = 0; i < suite.runs(); ++i) data.runs.push_back(*task(i).run);
  const ReportSection section = judge(data);
  CHECK(section.failed == 0);
  REQUIRE(section.report.findings.size() == 4);
  for (const Finding& f : section.report.findings) {
    CAPTURE(f.claim, f.measured, f.reason);
    CHECK(acceptable(f));
    CHECK(f.verdict != Verdict::kInconclusive);
  }
  CHECK_NOTHROW(require_drawable(section.report.figures.at(0)));
}

}  // namespace horizon_test

// The recipe "An experiment" of docs/extending.md, followed: coin/ holds the files that the page shows
// (lint.experiments compares them), and here they run as `speder sweep` and `speder report` would run them.
#include "speder/experiments/rates/experiment.hpp"
#include "speder/plots/analysis.hpp"
#include "tests/catch.hpp"

namespace speder {
SweepPlan plan_coin(const ConfigTable& table);
ExperimentReport judge_coin(const ExperimentData& data);
}  // namespace speder

namespace speder::recipe_test {

TEST_CASE("recipe: the coin of docs/extending.md is swept and judged", "[experiments][docs]") {
  const ConfigTable suite = ConfigTable::load(SPEDER_COIN "/suite.toml");
  const ConfigTable quick = suite.table("quick");
  int repetitions = 0;
  quick.read("repetitions", repetitions);
  const SweepPlan plan = plan_coin(quick);
  quick.refuse_unknown();
  ExperimentData data;
  data.record = {.id = "coin", .config = plan.config, .seed = 1, .build = this_build()};
  for (const GridCell& cell : plan.cells) {
    for (int r = 0; r < repetitions; ++r) {
      const SeedTree seeds = SeedTree(1).child("coin", static_cast<std::uint64_t>(r));
      data.runs.push_back({{"coin", cell.key(), r}, plan.run({cell, r, seeds})});
    }
  }
  const ExperimentReport report = judge_coin(data);
  REQUIRE(report.findings.size() == 2);
  INFO(report.findings[0].reason);
  CHECK(report.findings[0].verdict == Verdict::kConsistent);
  CHECK(report.findings[1].verdict == Verdict::kViolated);  // the mutation is caught
  CHECK(report.figures.at(0).panels.at(0).series.size() == 2);
}

}  // namespace speder::recipe_test

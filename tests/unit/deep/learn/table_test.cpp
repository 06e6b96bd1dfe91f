#include "deep/table.hpp"

#include <cmath>

#include "core/check.hpp"
#include "deep/env/task.hpp"
#include "deep/train_run.hpp"
#include "tests/catch.hpp"

using namespace speder;
using namespace speder::deep;

namespace {

/// A run whose returns are `level` + 0, 1, …, 5 at steps 5000 … 30000: the last four average level + 3.5.
Run rising(const std::string& env, double level, std::int64_t seed, int steps = 30'000) {
  TrainConfig config;
  config.env = env;
  config.steps = steps;
  Run run{.key = {"deep", cell_of(config).key(), seed}};
  for (int i = 0; i < 6; ++i) run.measures.push_back({"return", 5000 * (i + 1), level + i});
  return run;
}

}  // namespace

TEST_CASE("table: mean and deviation over seeds of the last four evaluations", "[learn][table]") {
  std::vector<Run> runs = {rising("CartPole", 100, 0), rising("CartPole", 110, 1)};
  runs.push_back(rising("CartPole", 0, 2));
  runs.back().failed = true;
  runs.push_back(rising("CartPole", 9000, 0, 20'000));  // shorter: does not count
  const auto cells = summarise(runs);
  REQUIRE(cells.size() == 1);
  CHECK(cells[0].algorithm == "speder");
  CHECK(cells[0].preset == "small");
  CHECK_THAT(cells[0].value.mean, WithinAbs(108.5, 1e-12));
  CHECK_THAT(cells[0].value.deviation, WithinAbs(std::sqrt(50.0), 1e-12));  // of 103.5 and 113.5
  CHECK(cells[0].seeds == 2);
  CHECK(cells[0].failed == 1);
  CHECK(cells[0].steps == 30'000);
  const std::string text = format_table("mbbl", cells);
  CHECK_THAT(text, Catch::Contains("108.5 ± 7.1"));
  CHECK_THAT(text, Catch::Contains("2 seeds, 30K, 1 failed"));
  CHECK_THAT(text, Catch::Contains("200.2 ± 1.0"));  // the paper's own
  CHECK_THAT(format_table("dmc", cells), !Catch::Contains("ours"));
}

TEST_CASE("table: one seed has a mean and no deviation", "[learn][table]") {
  const std::string text = format_table("mbbl", summarise({rising("CartPole", 100, 0)}));
  CHECK_THAT(text, Catch::Contains("103.5") && !Catch::Contains("103.5 ±"));
  CHECK_THAT(text, Catch::Contains("1 seed, 30K"));
}

TEST_CASE("published rows: a number for every task of their suite, and the tasks exist",
          "[learn][table]") {
  for (const PublishedRow& row : published_rows()) {
    CAPTURE(row.method);
    CHECK(row.cells.size() == suite_envs(row.suite).size());
  }
  for (const char* suite : {"mbbl", "dmc"}) {
    for (const std::string& env : suite_envs(suite)) CHECK(find_task(env).name == env);
  }
  CHECK_THROWS_AS(suite_envs("atari"), InputError);
}

#include "speder/experiments/rates/suite.hpp"
#include "speder/experiments/rates/builtin.hpp"
#include "speder/experiments/rates/registry.hpp"

#include "speder/core/check.hpp"
#include "tests/catch.hpp"

using namespace speder;

namespace suite_test {
namespace {
Suite suite(const std::string& text, std::string_view size = "quick") {
  return read_suite(ConfigTable::parse(text, "s.toml"), size);
}
}  // namespace

TEST_CASE("suite: sizes lie over the shared settings", "[suite]") {
  const std::string text =
      "experiment = 'planted'\n[all]\nexponent = 2\nrepetitions = 4\n[quick]\nx = [1, 2]\n[full]\n"
      "x = [1, 2, 3]\nrepetitions = 9\n";
  CHECK(suite(text).runs() == 8);
  CHECK(suite(text, "full").runs() == 27);
  CHECK_THAT(suite(text).record(3).config, Catch::Contains("exponent = 2\n"));
  CHECK_THAT(suite(text).record(3).config, Catch::Contains("x = [1, 2]\n"));
  CHECK(suite(text).record(3).seed == 3);
}

TEST_CASE("suite: mistakes name file, line and key", "[suite]") {
  const auto says = [](const std::string& text, const std::string& message) {
    CHECK_THROWS_WITH(suite(text), Catch::StartsWith(message));
  };
  says("[quick]", "s.toml: experiment: the key is missing");
  says("experiment = 'nope'\n[quick]", "s.toml:1: experiment: no experiment 'nope'; there are: ");
  says("experiment = 'planted'", "s.toml: quick: the table is missing");
  says("experiment = 'planted'\n[quick]\nsed = 1", "s.toml:3: quick.sed: unknown key");
  says("experiment = 'planted'\ntypo = 1\n[quick]", "s.toml:2: typo: unknown key");
  says("experiment = 'planted'\n[quick]\nx = []", "s.toml:3: quick.x: the list is empty");
  says("experiment = 'planted'\n[quick]\nx = ['a']", "s.toml:3: quick.x: expected a number");
  says("experiment = 'planted'\n[quick]\nrepetitions = -3",
       "s.toml:3: quick.repetitions: must lie in [1, 1000000] (got -3)");
  says("experiment = 'planted'\n[quick]\ndraws = 0", "s.toml:3: quick.draws: must be positive");
  says("experiment = 'planted'\n[quick]\nx = [1, 1]", "the grid has the cell 'x=1' twice");
}

TEST_CASE("suite: every suite file of the tree reads at both sizes", "[suite]") {
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(SPEDER_SUITES)) {
    if (entry.path().extension() != ".toml") continue;
    ++files;
    CAPTURE(entry.path().string());
    for (const std::string_view size : {"quick", "full"}) {
      const Suite s = load_suite(entry.path(), size);
      CHECK(builtin_suites().contains(s.id));
      CHECK(s.runs() > 0);
    }
  }
  CHECK(files == static_cast<int>(rate_experiments().size()));
}

TEST_CASE("suite: a name that is neither a file nor built in is answered with those that are",
          "[suite]") {
  CHECK_THROWS_WITH(load_suite("nosuch", "quick"),
                    Catch::StartsWith("nosuch: no such file, and no suite of that name is built in:"
                                      " ablate, calibrate, gen-mle, ") &&
                        Catch::EndsWith("table1"));
}

}  // namespace suite_test

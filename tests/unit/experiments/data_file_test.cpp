#include "speder/experiments/learn/data_file.hpp"

#include <cmath>
#include <map>

#include "speder/core/check.hpp"
#include "speder/experiments/learn/session.hpp"
#include "speder/io/hdf5.hpp"
#include "tests/catch.hpp"
#include "tests/support/random_mdp.hpp"
#include "tests/temporary.hpp"

using namespace speder;
using Catch::Matchers::Contains;

namespace data_file_test {
namespace {

struct Tables {
  std::map<std::string, H5Array> data = {{"state", {{3}, {0, 1, 1}}},
                                         {"action", {{3}, {0, 1, 0}}},
                                         {"next", {{3}, {1, 1, 0}}},
                                         {"behaviour", {{2, 2}, {0.5, 0.5, 0.25, 0.75}}}};
  std::string format = "speder-data";
  double gamma = 0.9;
};

std::string refusal(const testing::Folder& folder, const Tables& tables) {
  const std::filesystem::path path = folder.path / "d.h5";
  H5File out = H5File::create(path);
  for (const auto& [name, table] : tables.data) out.write(name, table.values, table.shape);
  out.text("format", tables.format);
  out.number("format_version", 1);
  out.number("gamma", tables.gamma);
  out.commit();
  try {
    (void)load_data(path);
    return "";
  } catch (const InputError& e) {
    CHECK(std::string(e.what()).find('\n') == std::string::npos);
    CHECK_THAT(e.what(), Contains("d.h5"));
    return e.what();
  }
}

}  // namespace

TEST_CASE("data file: a run on stored data is the run that drew them", "[experiments][file]") {
  const SeedTree seeds(67);
  Rng rng = seeds.stream("mdp");
  const auto mdp = std::make_shared<const TabularMdp>(test::random_mdp({10, 3, 3}, 0.85, rng));
  ClassSpec spec;
  spec.size = 40;
  const LearnProblem problem = make_problem(mdp, spec, seeds);
  TruthEvaluator truth(mdp);
  OfflineRun run;
  run.transitions = 500;
  run.behaviour.kind = "softmax";
  const testing::Folder folder;
  const StoredData drawn = offline_data(problem, truth, run);
  save_data(folder.path / "d.h5", drawn);
  const StoredData read = load_data(folder.path / "d.h5");
  CHECK(read.data.steps == drawn.data.steps);
  CHECK(read.data.env_steps == drawn.data.env_steps);
  CHECK(read.behaviour.table() == drawn.behaviour.table());
  const LearnOutcome fresh = run_offline(problem, truth, run);
  run.stored = &read;
  run.transitions = 7;  // not used
  const LearnOutcome again = run_offline(problem, truth, run);
  REQUIRE(again.rows.size() == fresh.rows.size());
  for (std::size_t i = 0; i < fresh.rows.size(); ++i) {
    CHECK(again.rows[i].candidate == fresh.rows[i].candidate);
    CHECK(again.rows[i].value_last == fresh.rows[i].value_last);
    CHECK(again.rows[i].error_rho == fresh.rows[i].error_rho);
    CHECK(again.rows[i].alpha == fresh.rows[i].alpha);
  }
  Rng other_rng = seeds.stream("other");
  const auto other =
      std::make_shared<const TabularMdp>(test::random_mdp({9, 3, 3}, 0.85, other_rng));
  TruthEvaluator other_truth(other);
  CHECK_THROWS_WITH(run_offline(make_problem(other, spec, seeds), other_truth, run),
                    Contains("the data are for |S|=10"));
}

TEST_CASE("data file: every fault is one line with file, dataset, index and value",
          "[experiments][file]") {
  const testing::Folder folder;
  REQUIRE(refusal(folder, {}).empty());
  Tables t;
  t.data["state"].values[1] = 2;
  CHECK_THAT(refusal(folder, t), Contains("'state'") && Contains("[1] is 2"));
  t = {};
  t.data["action"].values[2] = -1;
  CHECK_THAT(refusal(folder, t), Contains("'action'") && Contains("[2] is -1"));
  t = {};
  t.data["next"].values[0] = 0.5;
  CHECK_THAT(refusal(folder, t), Contains("'next'") && Contains("whole number in [0, 1]"));
  t = {};
  t.data["next"] = {{2}, {1, 1}};
  CHECK_THAT(refusal(folder, t), Contains("'next'") && Contains("(2), expected (3)"));
  t = {};
  t.data["behaviour"].values = {1, 0, 0.5, 0.5};
  CHECK_THAT(refusal(folder, t), Contains("'behaviour'") && Contains("[0, 1] is 0"));
  t = {};
  t.data["behaviour"].values = {0.5, 0.5, 0.5, 0.6};
  CHECK_THAT(refusal(folder, t), Contains("row 1 sums to 1.1"));
  t = {};
  t.data["behaviour"].values[0] = NAN;
  CHECK_THAT(refusal(folder, t), Contains("finite"));
  for (const char* name : {"state", "action", "next", "behaviour"}) {
    t = {};
    t.data.erase(name);
    CHECK_THAT(refusal(folder, t), Contains(name));
  }
  t = {};
  t.gamma = 1;
  CHECK_THAT(refusal(folder, t), Contains("gamma"));
  t = {};
  t.format = "speder-class";
  CHECK_THAT(refusal(folder, t), Contains("is not speder-data"));
}

}  // namespace data_file_test

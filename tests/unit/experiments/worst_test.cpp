#include <cmath>
#include <filesystem>

#include "speder/core/check.hpp"
#include "speder/experiments/worst/files.hpp"
#include "speder/mdp/conditions/conditions.hpp"
#include "speder/mdp/file/mdp_file.hpp"
#include "tests/catch.hpp"

using namespace speder;
using namespace speder::worst;
namespace fs = std::filesystem;

namespace worst_test {
namespace {

struct Folder {
  fs::path path;
  explicit Folder(const char* name) : path(fs::temp_directory_path() / name) {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
};

SearchOptions tiny(const fs::path& out) {
  SearchOptions o;
  o.setting.episodes = 64;
  o.setting.class_size = 4;
  o.values = {2, 3};
  o.budget = 20;
  o.runs = 2, o.finals = 2, o.final_runs = 2, o.fresh_runs = 4;
  o.out = out;
  return o;
}
std::string content(const fs::path& folder) {
  return ResultStore::read(folder / "search.db").content();
}

}  // namespace

TEST_CASE("Any genes make an instance that meets every premise, and C is held", "[worst]") {
  for (const Index rank : {2, 4}) {
    for (const Index actions : {2, 3}) {
      Setting s;
      s.rank = rank, s.actions = actions, s.class_size = 5;
      for (std::uint64_t i = 0; i < 6; ++i) {
        Rng rng = SeedTree(3).stream("genes", i);
        Genes genes = random_genes(s, rng);
        if (i % 2 == 1) genes = mutated(std::move(genes), rng);
        CAPTURE(rank, actions, i);
        const LearnProblem problem = make_latent_instance(s, genes);
        check_problem(problem);
        CHECK(problem.mdp->states() == 8 * rank);
        for (Index c = 0; c < problem.model_class.candidates.size(); ++c) {
          const Kernel f = problem.model_class.candidates.kernel(c);
          CHECK(f.dense().maxCoeff() / f.nu()[0] <= density_bound(s) * (1 + 1e-12));
          const TabularMdp member(f, {problem.mdp->reward(), {}}, problem.mdp->rho(), s.gamma);
          for (const Condition& condition : conditions(member)) {
            if (condition.name == "rank" || condition.name == "theta_norm") continue;
            CAPTURE(c, condition.name, condition.value, condition.bound);
            CHECK(condition.holds == Holds::kYes);
          }
        }
      }
    }
  }
}

TEST_CASE("The search does not depend on threads, and a larger budget goes on from a smaller one",
          "[worst]") {
  const Folder one("speder_worst_one"), two("speder_worst_two"), grown("speder_worst_grown");
  SearchOptions options = tiny(one.path);
  const SearchReport report = search(options);
  REQUIRE(report.complete);
  REQUIRE(report.worst.size() == 2);
  CHECK(report.worst[0].tried == 20);
  options.out = two.path, options.jobs = 2;
  CHECK(report_json(options, search(options)) == report_json(options, report));
  CHECK(content(two.path) == content(one.path));
  options.out = grown.path, options.jobs = 1, options.budget = 6;
  (void)search(options);
  options.budget = 20;
  CHECK(report_json(options, search(options)) == report_json(options, report));
}

TEST_CASE("Another setting in the same folder is refused", "[worst]") {
  const Folder folder("speder_worst_other");
  SearchOptions options = tiny(folder.path);
  options.budget = 2;
  (void)search(options);
  options.setting.epsilon = 0.3;
  CHECK_THROWS_AS(search(options), InputError);
}

TEST_CASE("A saved instance is the instance", "[worst]") {
  const Folder folder("speder_worst_saved");
  SearchOptions options = tiny(folder.path);
  options.budget = 3;
  const SearchReport report = search(options);
  save_report(options, report);
  const SavedInstance saved = load_instance(folder.path / "worst-d3.json");
  CHECK(saved.genes == report.worst[1].genes);
  CHECK(saved.setting.rank == 3);
  const TabularMdp mdp = load_mdp(folder.path / "worst-d3.h5");
  CHECK(mdp.kernel().dense() == make_mdp(saved.setting, saved.genes).kernel().dense());
  CHECK(measure(saved.setting, saved.genes, 3, 5, 1).n ==
        measure(setting_at(options, 3), report.worst[1].genes, 3, 5, 2).n);
}

TEST_CASE("Kind needle: the family's own MDP, and the fast learner gets there", "[worst]") {
  Setting s;
  s.kind = "needle", s.rank = 8, s.c_alpha = 0.003, s.episodes = 1 << 16;
  require_valid(s);
  const Genes genes = {0.8, 0.2, 0.4, 0.3};
  CHECK(make_mdp(s, genes).rank() == 8);
  CHECK(std::isfinite(episodes_needed(s, genes, SeedTree(1))));
}

TEST_CASE("What cannot be searched is refused", "[worst][input]") {
  const auto refused = [](const auto& change) {
    SearchOptions o;
    change(o);
    CHECK_THROWS_AS(require_valid(o), InputError);
  };
  refused([](SearchOptions& o) { o.axis = "gamma"; });
  refused([](SearchOptions& o) { o.values = {}; });
  refused([](SearchOptions& o) { o.values = {4, 4}; });
  refused([](SearchOptions& o) { o.values = {1}; });
  refused([](SearchOptions& o) { o.setting.kind = "lock"; });
  refused([](SearchOptions& o) { o.setting.kind = "needle", o.values = {10}; });
}

}  // namespace worst_test

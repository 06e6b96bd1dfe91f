#include "speder/deep/results/table.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include "speder/core/check.hpp"
#include "speder/deep/learn/agents/agent.hpp"
#include "speder/deep/results/aggregates.hpp"
#include "speder/deep/results/curves.hpp"
#include "speder/deep/results/misprints.hpp"
#include "speder/deep/results/run_settings.hpp"
#include "speder/deep/results/table_formats.hpp"
#include "speder/deep/sim/env/task.hpp"
#include "speder/deep/train/run_folder.hpp"
#include "tests/catch.hpp"
#include "tests/temporary.hpp"

using namespace speder;
using namespace speder::deep;
namespace fs = std::filesystem;

namespace table_test {
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
  const std::string text = format_table("mbbl", cells, 240);
  CHECK_THAT(text, Catch::Contains("108.5 ± 7.1"));
  CHECK_THAT(text, Catch::Contains("2 seeds, 30K, 1 failed"));
  CHECK_THAT(text, Catch::Contains("200.2 ± 1.0"));  // the paper's own
  CHECK_THAT(format_table("dmc", cells, 240), !Catch::Contains("ours"));
}

TEST_CASE("table: one seed has a mean and no deviation", "[learn][table]") {
  const std::string text = format_table("mbbl", summarise({rising("CartPole", 100, 0)}), 240);
  CHECK_THAT(text, Catch::Contains("103.5") && !Catch::Contains("103.5 ±"));
  CHECK_THAT(text, Catch::Contains("1 seed, 30K"));
}

TEST_CASE("table: fits the width it is given, in as many blocks as that takes", "[learn][table]") {
  std::vector<OurCell> cells = summarise(
      {rising("CartPole", 100, 0), rising("CartPole", 110, 1), rising("HalfCheetah", 1, 0)});
  cells[0].preset = "small, observation_norm=false, reward_model=false, bonus_refresh=100";
  const auto lines = [&](int width) {
    std::istringstream text(format_table("mbbl", cells, width));
    std::vector<std::string> out;
    for (std::string line; std::getline(text, line);) out.push_back(line);
    return out;
  };
  const auto columns = [](const std::string& s) {
    return std::ranges::count_if(s, [](unsigned char c) { return (c & 0xC0U) != 0x80U; });
  };
  const int width = GENERATE(60, 80, 132, 250);
  CAPTURE(width);
  std::size_t headers = 0;
  std::string all;
  for (const std::string& line : lines(width)) {
    CHECK(columns(line) <= width);
    headers += line.starts_with("suite mbbl") ? 1 : 0;
    all += line + "\n";
  }
  CHECK((headers == 1) == (width == 250));
  for (const std::string& env : suite_envs("mbbl")) CHECK_THAT(all, Catch::Contains(env));
  for (const char* text : {"108.5 ± 7.1", "2 seeds, 30K", "4.5", "200.2 ± 1.0", "-126.2 ± 86.6"}) {
    CHECK_THAT(all, Catch::Contains(text));
  }
}

TEST_CASE("table: a run without an evaluation has not failed", "[learn][table]") {
  Run run = rising("CartPole", 100, 0, 1500);
  run.measures.clear();
  const auto cells = summarise({run});
  REQUIRE(cells.size() == 1);
  CHECK(cells[0].failed == 0);
  CHECK_THAT(format_table("mbbl", cells, 240),
             Catch::Contains("0 seeds, 1500 steps, 1 not evaluated"));
}

TEST_CASE("table: a store of another kind is refused with the command for it", "[learn][table]") {
  const testing::Folder folder;
  const auto [id, command] = GENERATE(table<std::string, std::string>(
      {{"imitate-quick", "speder deep report "}, {"gen-n", "speder report "}}));
  const std::string path = (folder.path / "other.db").string();
  {
    ResultStore store = ResultStore::open(path);
    store.declare({.id = id, .config = "", .planned = 1, .build = this_build()});
    store.append(Run{.key = {id, "n=1", 0}});
  }
  CHECK_THROWS_WITH(comparable_runs({path}), Catch::Contains(command + path));
}

namespace {

/// A store as bench writes it: runs of speder and sac3 on CartPole whose returns rise from `level`.
std::string bench_store(const fs::path& path, bool reward_model, std::int64_t seed, double level,
                        int steps = 30'000, const std::string& env = "CartPole") {
  ResultStore store = ResultStore::open(path);
  ExperimentRecord record{.id = "deep", .config = "", .planned = 2, .build = this_build()};
  std::vector<Run> runs;
  for (const char* algorithm : {"speder", "sac3"}) {
    TrainConfig config;
    config.env = env;
    config.steps = steps;
    config.seed = static_cast<std::uint64_t>(seed);
    config.agent.algorithm = algorithm;
    config.agent.reward_model = reward_model;
    record.config += "[[run]]\n" + to_toml(config);
    runs.push_back(rising("CartPole", level, seed));
    runs.back().key.cell = cell_of(config).key();
  }
  store.declare(record);
  store.append(runs);
  return path.string();
}

}  // namespace

TEST_CASE("table: stores of the same settings are averaged", "[learn][table]") {
  const testing::Folder folder;
  const auto cells = summarise(comparable_runs({bench_store(folder.path / "a.db", true, 0, 100),
                                                bench_store(folder.path / "b.db", true, 1, 110)}));
  REQUIRE(cells.size() == 2);
  for (const OurCell& c : cells) {
    CHECK(c.preset == "small");
    CHECK(c.seeds == 2);
    CHECK_THAT(c.value.mean, WithinAbs(108.5, 1e-12));
  }
}

TEST_CASE("table: runs that differ in a setting their algorithm reads are never averaged",
          "[learn][table]") {
  const testing::Folder folder;
  const auto cells = summarise(comparable_runs({bench_store(folder.path / "a.db", false, 0, 100),
                                                bench_store(folder.path / "b.db", true, 1, 110)}));
  std::map<std::string, double> means;
  for (const OurCell& c : cells) means[c.algorithm + " " + c.preset] = c.value.mean;
  CHECK(means == std::map<std::string, double>{{"sac3 small", 108.5},
                                               {"speder small, reward_model=false", 103.5},
                                               {"speder small, reward_model=true", 113.5}});
  CHECK_THAT(format_table("mbbl", cells, 240),
             Catch::Contains("speder (small, reward_model=false, ours)\n"));
}

TEST_CASE("table: one kind of runs is one row, though only one task has the other kind",
          "[learn][table]") {
  const testing::Folder folder;
  const std::string both = bench_store(folder.path / "c.db", true, 2, 90, 30'000, "Pendulum");
  const auto cells =
      summarise(comparable_runs({bench_store(folder.path / "a.db", false, 0, 100),
                                 bench_store(folder.path / "b.db", true, 1, 110), both}));
  std::set<std::string> rows;
  for (const OurCell& c : cells) rows.insert(c.algorithm + " " + c.preset);
  CHECK(rows == std::set<std::string>{"sac3 small", "speder small, reward_model=false",
                                      "speder small, reward_model=true"});
}

TEST_CASE("table: runs older than a setting say so, with a note", "[learn][table]") {
  const GridCell cell = GridCell()
                            .set("env", "CartPole")
                            .set("algorithm", "speder")
                            .set("preset", "small")
                            .set("steps", 1000)
                            .set("with", "objective:exact,reward_model:unset");
  CHECK(settings_label(cell) == "small, objective=exact, no reward_model");
  CHECK(method_label(cell, "small") == "speder (objective=exact, no reward_model)");
  for (const std::string& label :
       {settings_label(cell), method_label(cell, "small"), std::string("speder (no reward_model)")})
    CHECK_THAT(older_note({"small", label}), Catch::StartsWith("\"no reward_model\": "));
  CHECK(older_note({"small", "small, reward_model=false"}).empty());
}

TEST_CASE("table: a shorter run of other settings has its own row, one of the same gives way",
          "[learn][table]") {
  const testing::Folder folder;
  const auto cells =
      summarise(comparable_runs({bench_store(folder.path / "a.db", false, 0, 100, 20'000),
                                 bench_store(folder.path / "b.db", true, 0, 110)}));
  std::map<std::string, std::int64_t> steps;
  for (const OurCell& c : cells) steps[c.algorithm + " " + c.preset] = c.steps;
  CHECK(steps == std::map<std::string, std::int64_t>{{"sac3 small", 30'000},
                                                     {"speder small, reward_model=false", 20'000},
                                                     {"speder small, reward_model=true", 30'000}});
}

TEST_CASE("curves: a preset of all runs is in the title, what tells them apart in the legend",
          "[learn][table]") {
  const testing::Folder folder;
  std::vector<Run> runs = comparable_runs({bench_store(folder.path / "a.db", false, 0, 100),
                                           bench_store(folder.path / "b.db", true, 1, 110)});
  const auto labels = [&] {
    const Figure figure = learning_curves(runs);
    REQUIRE(figure.panels.size() == 1);
    std::set<std::string> out = {figure.panels[0].title};
    for (const Series& s : figure.panels[0].series) out.insert(s.label);
    return out;
  };
  CHECK(labels() == std::set<std::string>{"CartPole (small), 1 to 2 seeds", "sac3",
                                          "speder (reward_model=false)",
                                          "speder (reward_model=true)"});
  for (Run& run : runs) {
    if (run.key.cell.find("sac3") == std::string::npos) continue;
    run.key.cell.replace(run.key.cell.find("small"), 5, "paper");
  }
  CHECK(labels() == std::set<std::string>{"CartPole, 1 to 2 seeds", "sac3 (paper)",
                                          "speder (small, reward_model=false)",
                                          "speder (small, reward_model=true)"});
}

TEST_CASE("curves: a bad start leaves the rest its height, a slow one is shown whole",
          "[learn][table]") {
  const auto panel = [](std::vector<double> returns) {
    Run run = rising("CartPole", 0, 0);
    run.measures.clear();
    for (std::size_t i = 0; i < returns.size(); ++i) {
      run.measures.push_back({"return", static_cast<std::int64_t>(i + 1) * 2000, returns[i]});
    }
    return learning_curves({run}).panels.at(0);
  };
  // After 4K: 50 to 200, and the published 200.2; 5% of that height is left free below.
  const Panel bad = panel({-300, 100, 50, 200, 190, 180, 170, 200});
  REQUIRE(bad.y.low);
  CHECK(bad.title == "CartPole (small), 1 seed, start cut off");
  CHECK_THAT(*bad.y.low, WithinAbs(50 - 0.05 * 150.2, 1e-9));
  // After 4K flat: a quarter of 2,000.2 is kept, so that the rise is still seen.
  const Panel flat = panel({-1800, 200, 200, 200, 200, 200, 200, 200});
  REQUIRE(flat.y.low);
  CHECK_THAT(*flat.y.low, WithinAbs(200.2 - 1.05 * 500.05, 1e-9));
  CHECK_FALSE(panel({100, 110, 120, 130, 140, 150, 160, 170}).y.low);
  CHECK_FALSE(panel({200, 100, 150, 200, -1800, 180, 170, 200}).y.low);  // lost late: shown
  CHECK_FALSE(panel({200.2, 200.2}).y.low);
  CHECK(panel({200.2, 200.2}).series.at(0).mark == Mark::kLine);
  CHECK(panel({200.2}).series.at(0).mark == Mark::kLinePoints);  // one evaluation is seen as well
}

TEST_CASE("table: one seed in two stores is refused by name", "[learn][table]") {
  const testing::Folder folder;
  const std::string a = bench_store(folder.path / "a.db", true, 0, 100);
  const std::string b = bench_store(folder.path / "b.db", true, 0, 110);
  CHECK_THROWS_WITH(comparable_runs({a, b}),
                    Catch::Contains("seed 0") && Catch::Contains(a) && Catch::Contains(b));
  CHECK_THROWS_AS(comparable_runs({a, a}), InputError);
}

TEST_CASE("every setting is read by some algorithm", "[learn][table]") {
  const std::string text = to_toml(TrainConfig{});
  for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
    end = text.find('\n', at);
    const std::string key = text.substr(at, text.find(' ', at) - at);
    CAPTURE(key);
    int readers = 0;
    for (const auto algorithm : algorithms()) readers += reads_setting(algorithm, key) ? 1 : 0;
    CHECK(readers > 0);
  }
  CHECK_FALSE(reads_setting("sac3", "reward_model"));
  CHECK(reads_setting("speder", "reward_model"));
  CHECK(reads_setting("sac3", "batch"));
}

TEST_CASE("curves: a band is within what was reached, the published line has its own",
          "[learn][table]") {
  const Figure figure = learning_curves({rising("CartPole", 100, 0), rising("CartPole", 140, 1)});
  const Series& s = figure.panels.at(0).series.at(0);
  for (std::size_t i = 0; i < s.x.size(); ++i) {
    CHECK(s.high[i] - s.low[i] == Approx(40));  // from one seed to the other, not beyond
    CHECK(s.y[i] - s.low[i] == Approx(20));
  }
  CHECK_THAT(figure.note, Catch::Contains("lowest to the highest seed"));
  const ReferenceLine& line = figure.panels[0].references.at(0);
  CHECK(line.y[0] == 200.2);
  CHECK(line.high[0] - line.low[0] == Approx(2.0));
}

TEST_CASE(
    "curves of features: a figure for each task that has them, with the seeds' mean and range",
    "[learn][table]") {
  Run cart = rising("CartPole", 100, 0), again = rising("CartPole", 140, 1);
  cart.measures.push_back({"phi_rank", 5000, 20});
  again.measures.push_back({"phi_rank", 5000, 30});
  cart.measures.push_back({"unit_rms", 5000, 2});
  cart.measures.push_back({"phi_drift", 5000, 0});  // no logarithm
  const auto figures = feature_curves({cart, again, rising("HalfCheetah", 0, 0)});
  REQUIRE(figures.size() == 1);
  CHECK(figures[0].id == "features_CartPole");
  REQUIRE(figures[0].panels.size() == 3);
  const Panel& rank = figures[0].panels[0];
  CHECK(rank.title.starts_with("phi_rank"));
  CHECK(rank.series.at(0).x == std::vector<double>{5});
  CHECK(rank.series.at(0).y == std::vector<double>{25});
  CHECK(rank.series.at(0).low == std::vector<double>{20});
  CHECK(rank.series.at(0).high == std::vector<double>{30});
  CHECK(rank.references.empty());
  CHECK(figures[0].panels[1].y.scale == Scale::kLinear);
  CHECK(figures[0].panels[2].references.at(0).y ==
        std::vector<double>{1, 1});  // units fit the data
  require_drawable(figures[0]);
}

TEST_CASE("misprints: footnoted where printed, and what runs are compared with", "[learn][table]") {
  const auto cells = summarise({rising("CartPole", 100, 0), rising("CartPole", 110, 1)});
  const std::string text = format_table("mbbl", cells, 240);
  CHECK_THAT(text, Catch::Contains("1272.5 ± 500.9 [2]"));
  CHECK_THAT(text, Catch::Contains("[2] ME-TRPO* on Hopper-ET is 4.9 ± 4.0 in its source"));
  CHECK_THAT(format_table("dmc", cells, 240), !Catch::Contains("["));
  std::size_t found = 0;
  for (const PublishedRow& row : published_rows()) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (misprint_of(row, i) < 0) continue;
      ++found;
      const MeanStd right = right_value(row, i);
      CHECK((right.mean != row.cells[i].mean || right.deviation != row.cells[i].deviation));
    }
  }
  CHECK(found == misprints().size());  // every one is a cell of the table
}

TEST_CASE("table: Markdown, LaTeX and CSV have every cell", "[learn][table]") {
  const auto rows =
      result_rows("mbbl", summarise({rising("CartPole", 100, 0), rising("CartPole", 110, 1)}));
  const std::string markdown = markdown_table("mbbl", rows);
  CHECK_THAT(markdown, Catch::Contains("108.5 ± 7.1 (2 seeds, 30K)") &&
                           Catch::Contains("speder (small), ours"));
  CHECK_THAT(markdown, Catch::Contains("SPEDER (published)"));
  const std::string latex = latex_table("mbbl", rows);
  CHECK_THAT(latex, Catch::Contains("108.5 $\\pm$ 7.1") && Catch::Contains("$^{2}$"));
  CHECK(std::ranges::count(latex, '&') ==
        10 * 13);  // head, ten published rows, ours with its notes
  const std::string csv = csv_table("mbbl", rows);
  CHECK_THAT(csv, Catch::Contains("mbbl,speder (small),ours,CartPole,108.5,7.07") &&
                      Catch::Contains("mbbl,ME-TRPO*,published,Hopper-ET,1272.5,500.9,,4.9,4\n"));
  CHECK(std::ranges::count(csv, '\n') == 101);
}

TEST_CASE("aggregates: units of the published range, tasks that all methods have",
          "[learn][table]") {
  const ScoreTable table = score_table(
      {rising("CartPole", 100, 0), rising("CartPole", 110, 1), rising("Ant-ET", 50, 0)});
  REQUIRE(table.methods.size() == 1);
  CHECK(table.tasks.size() == 2);
  CHECK(table.fewest_seeds() == 1);
  // CartPole's published means lie from TRPO's 47.3 to SPEDER's 200.2.
  CHECK(table.methods[0].scores.at(1).at(0) == Approx((103.5 - 47.3) / (200.2 - 47.3)));
  CHECK_THAT(aggregate_table(table, 1).caption, Catch::Contains("intervals are weak"));
  CHECK_NOTHROW(require_drawable(aggregate_figure(table, 1)));
  CHECK_NOTHROW(require_drawable(profile_figure(table, 1)));
  CHECK_FALSE(improvement_figure(table, 1));
  CHECK(score_table({rising("nowhere", 1, 0)}).methods.empty());
  // Another kind that was run on one task of three does not take the others from the comparison.
  Run other = rising("CartPole", 100, 5);
  other.key.cell.replace(other.key.cell.find("speder"), 6, "sac3");
  const ScoreTable most = score_table(
      {rising("CartPole", 100, 0), rising("Ant-ET", 50, 0), rising("Pendulum", 50, 0), other});
  CHECK(most.tasks.size() == 3);
  CHECK(most.left_out == std::vector<std::string>{"sac3"});
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

}  // namespace table_test

#include "speder/deep/imitate/report.hpp"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "speder/core/check.hpp"
#include "speder/deep/imitate/figures.hpp"
#include "speder/deep/imitate/page.hpp"
#include "speder/deep/imitate/room_report.hpp"
#include "speder/deep/sim/controller.hpp"
#include "speder/deep/sim/data_files.hpp"
#include "speder/deep/sim/env/env.hpp"
#include "speder/sweep/grid_cell.hpp"
#include "tests/catch.hpp"
#include "tests/temporary.hpp"

namespace speder::deep::imitate_report_test {
namespace {

namespace fs = std::filesystem;
using Seeds = std::vector<double>;

std::string read(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

/// A quick suite's store: final success by method and seed, on one data set.
ExperimentData planted(const std::vector<std::pair<std::string, Seeds>>& methods) {
  ImitateSuite suite;
  suite.base.final_episodes = 50;
  suite.base.eval_episodes = 20;
  for (const ImitationMethod& m : imitation_methods()) suite.methods.emplace_back(m.name);
  ExperimentData data;
  data.record = {.id = "imitate-quick",
                 .config = to_toml(suite),
                 .seed = 1,
                 .planned = 8,
                 .build = this_build()};
  for (const auto& [method, seeds] : methods) {
    for (std::size_t i = 0; i < seeds.size(); ++i) {
      GridCell cell;
      cell.set("body", "point")
          .set("layout", "large")
          .set("style", "diverse")
          .set("method", method);
      if (method == "opal") cell.set("window", 10.0);
      Run run{.key = {"imitate-quick", cell.key(), static_cast<std::int64_t>(i) + 1},
              .measures = {{"final_success", 3000, seeds[i]},
                           {"last_success", 3000, seeds[i] / 2},
                           {"success", 1000, seeds[i] / 4},
                           {"success", 2000, seeds[i] / 2}}};
      if (method == "speder") run.measures.push_back({"phase1_small_mass", 3000, 0.25});
      data.runs.push_back(std::move(run));
    }
  }
  return data;
}

std::vector<std::string> verdicts(const Seeds& speder, const Seeds& bc, const Seeds& nonorm) {
  std::vector<std::string> out;
  const ExperimentData data = planted({{"speder", speder}, {"bc", bc}, {"speder-nonorm", nonorm}});
  for (const Finding& f : imitate_section(data).report.findings)
    out.emplace_back(to_string(f.verdict));
  return out;
}

void store(const fs::path& file, const ExperimentData& data) {
  ResultStore store = ResultStore::open(file);
  store.declare(data.record);
  for (const Run& run : data.runs) store.append(run);
}

}  // namespace

TEST_CASE("difference of two rates from their intervals, by hand", "[deep][report]") {
  ImitateRow a, b;
  a.mean = 0.8, a.interval = {0.7, 0.9};
  b.mean = 0.5, b.interval = {0.3, 0.6};
  const Difference d = difference(a, b);
  CHECK(d.value == Approx(0.3));
  CHECK(d.interval.low == Approx(0.3 - std::sqrt(0.02)));   // √(0.1² + 0.1²)
  CHECK(d.interval.high == Approx(0.3 + std::sqrt(0.05)));  // √(0.1² + 0.2²)
}

TEST_CASE("intervals: seeds that agree are no certainty, one seed is no interval",
          "[deep][report]") {
  const Interval same = success_interval({1, 1, 1, 1}, 50);
  CHECK(same.low == Approx(std::pow(0.025, 1.0 / 200)));  // Clopper–Pearson of 200 of 200
  CHECK(same.high == 1);
  const double rounded = 1 + 1e-15;  // fifty fiftieths, added up
  CHECK(success_interval({rounded, rounded}, 50).high >= rounded);
  const Interval one = success_interval({0.5}, 1000);
  CHECK(one.low == 0);
  CHECK(one.high == 1);
  CHECK(success_interval({0, 1, 0, 1}, 50).low == 0);  // by seeds it is wide
}

TEST_CASE("verdicts on planted stores", "[deep][report]") {
  const Seeds high = {0.9, 0.92, 0.9, 0.94}, low = {0.1, 0.12, 0.1, 0.14}, all = {1, 1, 1, 1};
  const std::string yes = "consistent", no = "violated", open = "inconclusive";
  CHECK(verdicts(high, low, low) == std::vector{yes, yes});
  CHECK(verdicts(low, high, low) == std::vector{no, open});
  CHECK(verdicts(low, low, high) == std::vector{open, no});
  CHECK(verdicts(all, all, all) == std::vector{yes, yes});
  CHECK(verdicts({0.2, 0.9, 0.4, 0.7}, {0.5, 0.6, 0.8, 0.1}, low)[0] == open);
}

TEST_CASE("a pair with fewer seeds than the suite decides nothing", "[deep][report]") {
  const Seeds low = {0.1, 0.12, 0.1, 0.14}, high = {0.9, 0.92, 0.9};
  const ExperimentReport report = imitate_section(planted({{"speder", low}, {"bc", high}})).report;
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].verdict == Verdict::kInconclusive);
  CHECK_THAT(report.findings[0].reason, Catch::StartsWith("unfinished: 3 of 4 seeds; so far "));
  CHECK(report.caveats == std::vector<std::string>{"7 of the suite's 8 runs are in the store."});
}

TEST_CASE("a diverged run is in no mean and keeps its pair open", "[deep][report]") {
  ExperimentData data = planted({{"speder", {1, 1, 1, 1}}, {"bc", {1, 1, 1, 1}}});
  data.runs[7].failed = true;
  data.runs[7].measures = {{"success", 1000, 0.0}};
  const ReportSection section = imitate_section(data);
  CHECK(section.report.findings[0].verdict == Verdict::kInconclusive);
  CHECK(section.report.tables[0].rows[1].back() == "1");
  CHECK(section.report.tables[0].rows[1][4] == "1.00 1.00 1.00");
  CHECK(section.report.caveats.back() == "1 of the runs failed and are left out.");
}

TEST_CASE("the page: bars, points, curves and table are the store's rows", "[deep][report]") {
  const testing::Folder folder;
  const Seeds speder = {0.9, 0.92, 0.9, 0.94}, bc = {0.5, 0.52, 0.5, 0.54}, opal = {1, 1};
  store(folder.path / "imitate.db",
        planted({{"speder", speder}, {"bc", bc}, {"opal", opal}, {"speder-nonorm", bc}}));
  const std::vector<ReportSection> sections = deep_sections({folder.path});
  REQUIRE(sections.size() == 1);
  const std::vector<Figure>& figures = sections[0].report.figures;
  REQUIRE(figures.size() == 3);

  const std::vector<BarGroup>& bars = figures[0].panels[0].bars;
  REQUIRE(bars.size() == 4);  // in the order of the methods' table
  CHECK(figures[0].panels[0].title == "PointMaze large diverse");
  CHECK(bars[0].label == "SPEDER");
  CHECK(bars[0].bars[0].points == speder);
  CHECK(bars[0].bars[0].value == Approx(0.915));
  CHECK(bars[2].label == "BC");
  CHECK(bars[2].bars[0].points == bc);
  CHECK(bars[3].label == "OPAL t=10");
  CHECK_THAT(figures[0].caption, Catch::Contains("2 to 4 seeds of 50 final episodes"));

  const BarGroup& pair = figures[1].panels[0].bars[0];
  CHECK(pair.label == "large diverse");
  CHECK(pair.bars[0].points == speder);
  CHECK(pair.bars[1].points == bc);
  CHECK_THAT(figures[1].caption, Catch::Contains("4 seeds of 50 final episodes"));

  REQUIRE(figures[2].panels.size() == 2);  // skills apart
  const Series& line = figures[2].panels[0].series[0];
  CHECK(line.x == std::vector<double>{1, 2});
  CHECK(line.y[1] == Approx(0.915 / 2));

  const fs::path page = write_deep_report(sections, folder.path / "page");
  CHECK(read(folder.path / "page/data/imitate-success.csv") == to_csv(figures[0]));
  CHECK_THAT(read(folder.path / "page/data/imitate-table.csv"),
             Catch::Contains("PointMaze large diverse,speder,0.915,"));
  const std::string html = read(page);
  CHECK_THAT(html, Catch::Contains("SPEDER at least BC, PointMaze large diverse"));
  CHECK_THAT(html, Catch::Contains("0.46 ± 0.01</td>") && Catch::Contains(">0.25</td>"));
  CHECK_THAT(html, Catch::Contains("speder deep imitate --suite quick"));
  CHECK_THAT(html, !Catch::Contains("No audit was run"));
  CHECK_THAT(html, !Catch::Contains("mutation"));
  for (const char* ending : {"svg", "png", "pdf"}) {
    CHECK(fs::file_size(folder.path / "page/figures" / (std::string("imitate-success.") + ending)) >
          0);
  }
}

TEST_CASE("the command of a record names what differs from its suite", "[deep][report]") {
  ExperimentRecord record{
      .id = "imitate-quick",
      .config = to_toml(read_imitate_suite(find_data_file("suites", "imitate_quick.toml"), "")),
      .seed = 7,
      .planned = 1,
      .build = this_build()};
  CHECK(imitate_command(record) == "speder deep imitate --suite quick --seed 7 --out runs/again");
  record.config = given_files({{"data", "my d.h5"}, {"expert", ""}, {"policy", "p.h5"}}) +
                  to_toml(read_imitate_suite(find_data_file("suites", "imitate_quick.toml"),
                                             "rows = 5\ndecoder = \"tanh\"\nhidden = [8, 9]\n"));
  CHECK(imitate_command(record) ==
        "speder deep imitate --suite quick --set 'decoder=\"tanh\"' --set 'hidden=[8, 9]' --set "
        "rows=5 --data 'my d.h5' --policy p.h5 --seed 7 --out runs/again");
  record.id = "imitate-mine";
  CHECK_THAT(imitate_command(record), Catch::StartsWith("speder deep imitate --suite mine.toml"));
}

TEST_CASE("suites: the sizes of quick, reduced and paper", "[deep][imitate]") {
  const auto suite = [](const std::string& name) {
    return read_imitate_suite(find_data_file("suites", "imitate_" + name + ".toml"), "");
  };
  const ImitateSuite quick = suite("quick"), reduced = suite("reduced"), paper = suite("paper");
  CHECK(quick.base.body == "point");
  CHECK(quick.methods.size() == 8);
  CHECK(quick.seeds == 4);
  CHECK(reduced.base.body == "ant");
  CHECK(reduced.methods == std::vector<std::string>{"speder", "bc", "trail-ebm", "speder-nonorm"});
  CHECK(reduced.seeds == 4);
  CHECK(reduced.base.pretrain_steps == 20'000);
  CHECK(reduced.base.steps == 20'000);
  CHECK(reduced.base.hidden == std::vector<int>{256, 256});
  CHECK(reduced.base.final_episodes == 50);
  CHECK(paper.methods.size() == 8);
  CHECK(paper.windows == std::vector<int>{1, 10});
  CHECK(paper.layouts.size() * paper.styles.size() == 4);
  CHECK(paper.base.pretrain_steps == 200'000);
  CHECK(paper.base.steps == 1'000'000);
  CHECK(paper.base.eval_every == 10'000);
  CHECK(paper.base.eval_episodes == 10);
  CHECK(paper.seeds == 4);
}

TEST_CASE("the heat map's section is what was learned", "[deep][report]") {
  const testing::Folder folder;
  HeatmapOptions o;
  o.steps = 2;
  o.squares = 5;
  o.queries.resize(2);
  HeatmapResult r;
  const Room room;
  for (const RoomQuery& q : o.queries) {
    r.raw.push_back(3 * true_density_grid(room, q, o.squares));
    r.scores.push_back(score_density(room, q, r.raw.back()));
  }
  r.scores[0].peak_offset = 0.1;  // squares of side 2 have no better one of their own
  r.scores[1].peak_offset = 0.7;
  store(folder.path / "heatmap.db", {heatmap_record(o), heatmap_runs(o, r)});
  const ReportSection section = deep_sections({folder.path / "heatmap.db"}).at(0);
  REQUIRE(section.report.figures.size() == 1);
  const std::vector<Panel>& panels = section.report.figures[0].panels;
  REQUIRE(panels.size() == 4);
  for (const std::size_t k : {std::size_t{0}, std::size_t{2}}) {  // learned, truth: the same shape
    const Matrix truth = panels[k + 1].heat->values;
    CHECK(panels[k].heat->values.isApprox(clipped_to_mass_one(room, truth)));
  }
  CHECK(section.report.findings[0].verdict == Verdict::kViolated);
  CHECK(section.report.findings[0].measured == "0.700");
  CHECK_THAT(section.report.again, Catch::Contains("--objective dual --steps 2 "));
  r.scores[1].peak_offset = 0.5;
  const ReportSection near = heatmap_section({heatmap_record(o), heatmap_runs(o, r)});
  CHECK(near.report.findings[0].verdict == Verdict::kConsistent);
}

TEST_CASE("deep report: what it cannot show is refused by name", "[deep][report]") {
  const testing::Folder folder;
  CHECK_THROWS_WITH(deep_sections({folder.path}), Catch::Contains("no imitate.db, heatmap.db"));
  ExperimentData other = planted({});
  other.record.id = "gen-n";
  store(folder.path / "runs.db", other);
  CHECK_THROWS_WITH(deep_sections({folder.path / "runs.db"}),
                    Catch::Contains("'gen-n' is none of train, bench, imitate or heatmap"));
  ExperimentData broken{heatmap_record({}), {{.key = {"heatmap-dual", "x=0 y=0 vx=1 vy=0", 0}}}};
  CHECK_THROWS_WITH(heatmap_section(broken), Catch::Contains("0 densities are no square room"));
}

TEST_CASE("the walking policy: given, shipped, or how to train one", "[deep][imitate]") {
  const testing::Folder folder;
  CHECK(walking_policy("a.h5") == "a.h5");
  REQUIRE(::setenv("SPEDER_POLICIES", folder.path.c_str(), 1) == 0);
  CHECK_THROWS_WITH(walking_policy({}), Catch::Contains("train --env AntDirection"));
  std::ofstream(folder.path / "ant_direction.h5") << "x";
  CHECK(walking_policy({}) == folder.path / "ant_direction.h5");
  ::unsetenv("SPEDER_POLICIES");
  const fs::path shipped = find_data_file("policies", "ant_direction.h5");
  if (fs::exists(shipped)) {  // small enough to be committed, and a network of the ant
    CHECK(fs::file_size(shipped) <= 2 << 20);
    CHECK_NOTHROW(network_controller(shipped, load_physics("AntDirection", {})->spec));
  }
}

}  // namespace speder::deep::imitate_report_test

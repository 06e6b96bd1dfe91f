#include "speder/experiments/rates/registry.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "speder/core/check.hpp"
#include "speder/plots/report/html.hpp"
#include "tests/catch.hpp"
#include "tests/temporary.hpp"

using namespace speder;
using speder::testing::Folder;
namespace fs = std::filesystem;

namespace report_test {
namespace {

std::string read(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

// Runs of the planted experiment: value = x^exponent · noise.
ExperimentData planted(double exponent, int repetitions = 10) {
  ExperimentData data;
  data.record = {.id = "planted",
                 .config = "exponent = 0.5\nnote = '<script>alert(1)</script>'\n",
                 .seed = 1,
                 .planned = 8 * repetitions,
                 .build = this_build()};
  Rng rng(3);
  for (int k = 0; k < 8; ++k) {
    const double x = std::exp2(k);
    for (int r = 0; r < repetitions; ++r) {
      Run run;
      run.key = {"planted", GridCell().set("x", x).key(), r};
      run.measures = {{"value", 0, std::pow(x, exponent) * std::exp(0.1 * rng.normal())}};
      run.failed = k == 7 && r == 0;
      run.error = run.failed ? "<b>boom</b>" : "";
      data.runs.push_back(std::move(run));
    }
  }
  return data;
}

std::vector<ReportSection> sections(double exponent) { return {judge(planted(exponent))}; }

}  // namespace

TEST_CASE("judge: the plotted numbers are the store's", "[plots][report]") {
  const Folder folder;
  ResultStore store = ResultStore::open(folder.path / "a.db");
  const ExperimentData data = planted(0.5);
  store.declare(data.record);
  for (const Run& run : data.runs) store.append(run);
  const Figure figure = judge(store)[0].report.figures[0];
  const Series& drawn = figure.panels[0].series[0];
  REQUIRE(drawn.x.size() == 8);
  for (std::size_t k = 0; k < drawn.x.size(); ++k) {
    double total = 0, count = 0;
    for (const Run& run : store.runs("planted")) {
      if (run.failed || GridCell::parse(run.key.cell).number("x") != drawn.x[k]) continue;
      total += run.measures[0].value;
      ++count;
    }
    CHECK(drawn.y[k] == Approx(total / count));
    CHECK(drawn.low[k] < drawn.y[k]);
    CHECK(drawn.y[k] < drawn.high[k]);
  }
}

TEST_CASE("judge: a planted violation flips the verdict", "[plots][report]") {
  const auto findings = [](double exponent) {
    ExperimentData data = planted(exponent);
    for (Run& run : data.runs) run.failed = false;
    return judge(data).report.findings;
  };
  CHECK(findings(0.5)[0].verdict == Verdict::kConsistent);
  CHECK(findings(0.5)[1].verdict == Verdict::kViolated);  // the mutation
  CHECK(acceptable(findings(0.5)[0]));
  CHECK(acceptable(findings(0.5)[1]));
  CHECK(findings(0.8)[0].verdict == Verdict::kViolated);
  CHECK(!acceptable(findings(0.8)[0]));
  CHECK(findings(-0.5)[1].verdict == Verdict::kConsistent);
  CHECK(!acceptable(findings(-0.5)[1]));  // a mutation that goes unnoticed
}

TEST_CASE("judge: the same store gives the same report, failed runs are told", "[plots][report]") {
  CHECK(report_json(sections(0.5)) == report_json(sections(0.5)));
  const std::vector<std::string> caveats = sections(0.5)[0].report.caveats;
  CHECK(caveats == std::vector<std::string>{"1 of the runs failed and are left out."});
}

TEST_CASE("judge: with failed runs or values that are no numbers nothing is consistent",
          "[plots][report]") {
  const Finding failed = sections(0.5)[0].report.findings[0];
  CHECK(failed.verdict == Verdict::kInconclusive);
  CHECK_THAT(failed.reason, Catch::StartsWith("1 of 80 runs failed"));
  CHECK(sections(0.8)[0].report.findings[0].verdict == Verdict::kViolated);
  ExperimentData data = planted(0.5);
  for (Run& run : data.runs) run.failed = false;
  data.runs[3].measures[0].value = std::nan("");
  const Finding open = judge(data).report.findings[0];
  CHECK(open.verdict != Verdict::kConsistent);
  CHECK_THAT(open.reason, Catch::Contains("1 stored values are not numbers"));
}

TEST_CASE("judge: a store without an experiment's metrics is judged or refused, never a crash",
          "[plots][report]") {
  for (const RateExperiment& e : rate_experiments()) {
    CAPTURE(e.id);
    ExperimentData data;
    data.record = {.id = std::string(e.id), .config = "", .seed = 1, .planned = 1, .build = {}};
    for (const bool empty : {true, false}) {
      if (!empty) data.runs.push_back({.key = {std::string(e.id), "x=1", 0}});
      try {
        for (const Finding& f : judge(data).report.findings) {
          CHECK(f.verdict != Verdict::kConsistent);
        }
      } catch (const std::exception& error) {
        CHECK(std::string_view(error.what()).size() > 0);
      }
    }
  }
}

TEST_CASE("judge: an unfinished sweep decides nothing, for or against", "[plots][report]") {
  ExperimentData data = planted(0.8);
  data.record.planned += 1;
  const ExperimentReport report = judge(data).report;
  CHECK(report.caveats[0] == "The sweep is unfinished: 80 of 81 runs.");
  for (const Finding& f : report.findings) {
    CHECK(f.verdict == Verdict::kInconclusive);
    CHECK_THAT(f.reason, Catch::StartsWith("unfinished: 80 of 81 runs; so far "));
  }
}

TEST_CASE("judge: an experiment nobody can judge is refused by name", "[plots][report]") {
  const Folder folder;
  ResultStore store = ResultStore::open(folder.path / "a.db");
  store.declare({.id = "mystery", .config = "", .seed = 1, .planned = 1, .build = this_build()});
  CHECK_THROWS_WITH(judge(store), Catch::Contains("no experiment 'mystery'"));
}

TEST_CASE("write_report: page, pictures and numbers; nothing of the user's is markup",
          "[plots][report]") {
  const Folder folder;
  std::ofstream(folder.path / "audit.json")
      << R"([{"id": "lem:<i>x</i>", "verdict": "falsified as printed", "worst_ratio": 3.14159265,
              "instances": 12, "counterexample": "\"><script>alert(2)</script>"}])";
  std::vector<ReportSection> all = sections(0.5);
  all[0].report.caveats.push_back("a < b & 'c' <script>alert(3)</script>");
  const fs::path page = write_report(
      all, {.out = folder.path / "out", .audit = folder.path / "audit.json", .jobs = 2});
  const std::string html = read(page);
  const std::size_t own = html.find("<script");  // one script, the page's own
  CHECK(own != std::string::npos);
  CHECK(html.find("<script", own + 1) == std::string::npos);
  CHECK_THAT(html, !Catch::Contains("<script>alert"));
  CHECK_THAT(html, Catch::Contains("&lt;script&gt;alert(1)"));
  CHECK_THAT(html, Catch::Contains("&quot;&gt;&lt;script&gt;alert(2)"));
  CHECK_THAT(html, Catch::Contains("a &lt; b &amp; &#39;c&#39;"));
  CHECK_THAT(html, Catch::Contains("3.142"));
  CHECK_THAT(html, Catch::Contains("id=\"figure-planted\""));
  CHECK_THAT(html, Catch::Contains("speder sweep planted --seed 1"));
  CHECK_THAT(html, Catch::Contains("prefers-color-scheme: dark"));
  for (const char* remote : {"http://", "https://", "src="}) {
    std::string text = html;  // namespaces of SVG are names, not addresses that are fetched
    for (const char* name : {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}) {
      for (std::size_t at = 0; (at = text.find(name)) != std::string::npos;) {
        text.erase(at, std::string_view(name).size());
      }
    }
    CHECK_THAT(text, !Catch::Contains(remote));
  }
  CHECK(read(folder.path / "out/data/planted.csv") == to_csv(all[0].report.figures[0]));
  for (const char* ending : {"svg", "png", "pdf"}) {
    CHECK(fs::file_size(folder.path / "out/figures" / (std::string("planted.") + ending)) > 0);
  }
  const auto json = nlohmann::json::parse(read(folder.path / "out/report.json"));
  CHECK(json["findings"][0]["verdict"] == "inconclusive");  // one of its runs failed
}

TEST_CASE("write_report: another page's heading, rule, tables and command", "[plots][report]") {
  const Folder folder;
  std::vector<ReportSection> all = sections(0.5);
  all[0].report.again = "speder other <x>";
  all[0].report.tables = {{"t<1>", "what <i>it</i> shows", {"a", "b"}, {{"1,5", "<b>"}}}};
  PageText text;
  text.heading = "Another <page>";
  text.rule = "its rule";
  text.audit = false;
  const std::string html =
      read(write_report(all, {.out = folder.path, .audit = {}, .jobs = 1, .text = text}));
  CHECK_THAT(html, Catch::Contains("<h1>Another &lt;page&gt;</h1>"));
  CHECK_THAT(html, Catch::Contains("its rule"));
  CHECK_THAT(html, !Catch::Contains("No audit was run"));
  CHECK_THAT(html, Catch::Contains("<pre>speder other &lt;x&gt;</pre>"));
  CHECK_THAT(html,
             Catch::Contains(R"(<td data-head="a">1,5</td><td data-head="b">&lt;b&gt;</td>)"));
  CHECK_THAT(html, Catch::Contains("what &lt;i&gt;it&lt;/i&gt; shows"));
  CHECK(read(folder.path / "data/t-1-.csv") == "a,b\n\"1,5\",<b>\n");
}

TEST_CASE("write_report: a picture of very many vectors is in the page as pixels",
          "[plots][report]") {
  const Folder folder;
  std::vector<ReportSection> all = sections(0.5);
  Panel panel;
  constexpr int kPoints = 40'000;
  Series series{.label = "v", .mark = Mark::kPoints};
  for (int k = 0; k < kPoints; ++k) {
    series.x.push_back(k);
    series.y.push_back(k % 97);
  }
  panel.series = {series};
  all[0].report.figures.push_back({.id = "many", .caption = "c", .panels = {panel}});
  const std::string html = read(write_report(all, {.out = folder.path, .jobs = 1}));
  CHECK_THAT(html, Catch::Contains("<img alt=\"c\" src=\"data:image/png;base64,iVBORw0KGgo"));
  CHECK(html_png("", "") == "<img alt=\"\" src=\"data:image/png;base64,\">");
  CHECK_THAT(html_png("M", ""), Catch::Contains(",TQ=="));
  CHECK_THAT(html_png("Ma", ""), Catch::Contains(",TWE="));
  CHECK_THAT(html_png("Man", ""), Catch::Contains(",TWFu\""));
}

TEST_CASE("read_audit: other shapes and mistakes", "[plots][report]") {
  const Folder folder;
  const auto audit = [&](const std::string& text) {
    std::ofstream(folder.path / "a.json") << text;
    return read_audit(folder.path / "a.json");
  };
  CHECK(audit(R"({"entries": [{"id": "x", "instances": 3}]})").at(0).instances == "3");
  CHECK(audit("[]").empty());
  CHECK_THROWS_AS(audit("{"), InputError);
  CHECK_THROWS_AS(audit("3"), InputError);
  CHECK_THROWS_WITH(audit("[{}, 1]"), Catch::Contains("entry 1: expected an object"));
  CHECK_THROWS_AS(read_audit(folder.path / "none.json"), InputError);
}

}  // namespace report_test

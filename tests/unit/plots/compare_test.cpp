#include "speder/plots/report/compare.hpp"

#include <cmath>

#include "tests/catch.hpp"

using namespace speder;

namespace compare_test {
namespace {

ReportSection section(const std::string& measured, const std::string& interval, Verdict verdict,
                      const std::string& constant) {
  ReportSection s;
  s.record = {.id = "gen-n",
              .config = "c_alpha = " + constant + "\nsize = 'quick'\n",
              .seed = 1,
              .build = {}};
  s.report.findings = {
      {.claim = "falls", .measured = measured, .interval = interval, .verdict = verdict}};
  return s;
}

}  // namespace

TEST_CASE("compare: differences with their intervals, verdicts, settings", "[plots][compare]") {
  const Comparison c = compare_reports({section("−1.0", "[−1.3, −0.9]", Verdict::kConsistent, "1")},
                                       {section("−0.4", "[−0.5, −0.2]", Verdict::kViolated, "2")});
  REQUIRE(c.findings.size() == 1);
  const ComparedFinding& f = c.findings[0];
  CHECK(*f.difference == Approx(0.6));
  CHECK(f.interval->low == Approx(0.6 - std::hypot(0.1, 0.1)));
  CHECK(f.interval->high == Approx(0.6 + std::hypot(0.2, 0.3)));
  CHECK(f.moved());
  CHECK(f.verdict_changed());
  REQUIRE(c.settings.size() == 1);
  CHECK((c.settings[0].key == "c_alpha" && c.settings[0].a == "1" && c.settings[0].b == "2"));
  CHECK_THAT(comparison_text(c),
             Catch::Contains("1 of 1 findings") && Catch::Contains("c_alpha: 1 -> 2"));
  CHECK_THAT(comparison_html(c, {"<a>", "b"}),
             Catch::Contains("&lt;a&gt;") && Catch::Contains("verdict bad"));
}

TEST_CASE("compare: the same report twice, and a claim that one alone has", "[plots][compare]") {
  const auto same = section("3/4", "[0.2, 0.99]", Verdict::kConsistent, "1");
  const Comparison c = compare_reports({same}, {same});
  CHECK(*c.findings.at(0).difference == 0);
  CHECK_FALSE(c.findings[0].moved());
  CHECK(c.settings.empty());
  CHECK_THAT(comparison_text(c), Catch::Contains("0 of 1 findings"));
  const Comparison missing = compare_reports({same}, {});
  CHECK(missing.findings.at(0).verdict_changed());
  CHECK_FALSE(missing.findings[0].difference);
  CHECK_THAT(comparison_text(missing), Catch::Contains("0 of 0 findings") &&
                                           Catch::Contains("experiments of a alone: ") &&
                                           !Catch::Contains("absent"));
  const Comparison words =
      compare_reports({section("–", "[no interval]", Verdict::kInconclusive, "1")}, {same});
  CHECK_FALSE(words.findings.at(0).difference);
}

}  // namespace compare_test

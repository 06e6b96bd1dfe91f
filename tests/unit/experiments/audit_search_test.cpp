#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "speder/core/check.hpp"
#include "speder/experiments/audit/report.hpp"
#include "speder/experiments/audit/search/self_test.hpp"
#include "tests/catch.hpp"

using namespace speder::audit;

namespace audit_search_test {
TEST_CASE("Inventory: ids are unique, kebab-case, sourced; twins exist", "[audit][inventory]") {
  std::set<std::string_view> seen;
  const std::regex kebab("[a-z0-9]+(-[a-z0-9]+)*");
  CHECK(inventory().size() >= 100);
  for (const Entry& e : inventory()) {
    CAPTURE(std::string(e.id));
    CHECK(seen.insert(e.id).second);
    CHECK(std::regex_match(std::string(e.id), kebab));
    CHECK_FALSE(e.source.empty());
    CHECK_FALSE(e.statement.empty());
    CHECK_FALSE(e.premises.empty());
    if (!e.corrected_by.empty()) {
      const Entry* twin = find_entry(e.corrected_by);
      REQUIRE(twin != nullptr);
      CHECK(twin->corrected_by.empty());
      CHECK(twin->check.exact != nullptr);
    }
    if (e.check.approximate == nullptr || e.relation == Relation::kConstant) {
      CHECK_FALSE(e.note.empty());
    }
  }
}

TEST_CASE("docs/audit.md names every entry and no other command", "[audit][docs]") {
  std::ifstream in(std::string(SPEDER_SOURCE_DIR) + "/docs/audit.md");
  REQUIRE(in);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  for (const Entry& e : inventory()) {
    CAPTURE(std::string(e.id));
    CHECK(text.find("| `" + std::string(e.id) + "` |") != std::string::npos);
  }
  const std::regex only("--only ([a-z0-9-]+)");
  for (std::sregex_iterator it(text.begin(), text.end(), only), end; it != end; ++it) {
    CAPTURE((*it)[1].str());
    CHECK(find_entry((*it)[1].str()) != nullptr);
  }
}

TEST_CASE("Self-test: every false statement is caught, no truth is falsified",
          "[audit][self-test]") {
  CHECK(false_statements().size() >= 15);
  for (const std::uint64_t seed : {1, 2}) {
    const SelfTest result = self_test(kQuickBudget, seed, 0);
    CAPTURE(seed, result.missed, result.false_alarms);
    CHECK(result.missed.empty());
    CHECK(result.false_alarms.empty());
  }
}

TEST_CASE("Findings do not depend on the number of threads", "[audit][search]") {
  AuditOptions options;
  options.budget = 400;
  options.only = {"backup-learned", "gen-theorem-as-printed", "potential-lagged", "optimism",
                  "value-norm",     "svd-form-bessel"};
  options.jobs = 1;
  const std::string one = json_text(audit(options));
  options.jobs = 4;
  CHECK(json_text(audit(options)) == one);
  options.seed = 2;
  CHECK(json_text(audit(options)) != one);
}

TEST_CASE("An entry alone gives what it gives in a full audit", "[audit][search]") {
  AuditOptions both;
  both.budget = 200;
  both.only = {"value-norm", "bonus-sup"};
  AuditOptions alone = both;
  alone.only = {"bonus-sup"};
  CHECK(audit(both)[1].search.worst_ratio == audit(alone)[0].search.worst_ratio);
}

TEST_CASE("Bad input: unknown ids come with suggestions, budget 0 is refused", "[audit][input]") {
  CHECK_THROWS_AS(select({"no-such-entry"}), speder::InputError);
  CHECK_THROWS_WITH(select({"value-nrom"}), Catch::Contains("value-norm"));
  AuditOptions options;
  options.budget = 0;
  CHECK_THROWS_AS(audit(options), speder::InputError);
}

TEST_CASE("The budget is spent exactly", "[audit][search]") {
  const AuditedEntry finding = examine(*find_entry("bellman-v"), 1001, speder::SeedTree(1));
  CHECK(finding.search.instances + finding.search.rejected == 1001);
}

TEST_CASE("Choices: the same choices rebuild the same instance in exact arithmetic",
          "[audit][choice]") {
  for (const Shape shape : {Shape::kMdp, Shape::kDetour, Shape::kCorridor, Shape::kObjective,
                            Shape::kErm, Shape::kSignedErm, Shape::kProcess, Shape::kMatrices}) {
    for (std::uint64_t i = 0; i < 10; ++i) {
      speder::Rng rng = speder::SeedTree(5).stream("choices", i);
      Choices choices(rng);
      const Case<double> approximate = build<double>(shape, choices);
      const Case<Exact> exact = build<Exact>(shape, choices);
      CAPTURE(static_cast<int>(shape), i);
      REQUIRE(approximate.phi.size() == exact.phi.size());
      for (int k = 0; k < exact.phi.size(); ++k) {
        CHECK_THAT(to_double(exact.phi(k)), WithinAbs(approximate.phi(k), 1e-9));
      }
      REQUIRE(approximate.family.size() == exact.family.size());
      for (int k = 0; k < exact.family.size(); ++k) {
        CHECK_THAT(to_double(exact.family(k)), WithinAbs(approximate.family(k), 1e-6));
      }
      CHECK(describe(approximate) == describe(exact));
    }
  }
}

}  // namespace audit_search_test

#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "speder/core/check.hpp"
#include "speder/experiments/audit/objects/adversary.hpp"
#include "speder/experiments/audit/objects/spectrum.hpp"
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
    // What the paper does not print is no misprint of it, and says what holds instead.
    if (e.derived) {
      CHECK(e.misprint.empty());
      CHECK(e.twin == Twin::kNone);
      CHECK_FALSE(e.corrected_by.empty());
    }
    if (e.twin != Twin::kNone) CHECK(e.misprint.empty());
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

TEST_CASE("A misprint that shows in several entries is one error", "[audit][report]") {
  std::vector<AuditedEntry> findings;
  const auto add = [&](const char* id, AuditVerdict verdict) {
    AuditedEntry finding;
    finding.entry = find_entry(id);
    REQUIRE(finding.entry != nullptr);
    finding.verdict = verdict;
    findings.push_back(finding);
  };
  add("potential-first", AuditVerdict::kFalsified);
  add("potential-second", AuditVerdict::kFalsified);  // the same 2d log λ
  add("linear-q-first", AuditVerdict::kFalsified);
  add("offline-theorem", AuditVerdict::kVacuous);
  add("potential-lagged", AuditVerdict::kNotImplied);  // not printed
  add("gen-sum-of-squares", AuditVerdict::kNeedsPremise);
  add("gen-theorem-as-printed", AuditVerdict::kNeedsPremise);  // the same premise
  add("value-norm", AuditVerdict::kHolds);
  CHECK(distinct_errors(findings).wrong == 3);
  CHECK(distinct_errors(findings).premises == 1);
  CHECK_THAT(summary_text(findings), Catch::Contains("3 distinct errors, 1 missing premises"));
}

TEST_CASE("The best adversary: by hand", "[audit][adversary]") {
  // One sample. f* is (1,0) at both inputs; the candidate agrees at x = 0 and says (0,1) at x = 1.
  // Drawn from x = 0, both have the same loss, and the tie goes against f*: the sum of errors under
  // D¹ = δ₁ is 2, under D⁰ = δ₀ it is 0. An adversary that chooses D¹ shows y = 0 and is found out.
  Case<double> c;
  c.X = 2, c.S = 2, c.F = 2, c.n = 1;
  c.nu = Table<double>(2, 1, 1.0);
  c.family = Table<double>(4, 2);
  c.family(0, 0) = c.family(1, 0) = c.family(2, 0) = c.family(3, 1) = 1;
  c.bound = 1, c.delta = 0.5;
  c.design = Table<double>(3, 2);
  c.design(0, 0) = 1, c.design(1, 1) = 1;
  CHECK(worst_failure(c, 1.0) == 0);
  // D¹ draws x = 0 half of the time: then the tie hides the error, which counts 1 under D¹.
  c.design(1, 0) = c.design(1, 1) = 0.5;
  CHECK(worst_failure(c, 0.9) == 0.5);
  CHECK(worst_failure(c, 1.1) == 0);
  // Two samples: the adversary mixes both times, and must get away with it twice.
  c.n = 2;
  CHECK(worst_failure(c, 1.9) == 0.25);
  // It may stop mixing once it was lucky: one lucky draw is enough for a sum of 1.
  CHECK(worst_failure(c, 0.9) == 0.5);
}

TEST_CASE("Concentration: one coin by hand", "[audit][adversary]") {
  // d = 1, φ = 1 on cell 0 and 0 on cell 1, a fair coin, N = 1: λ = log(4/δ) and Σ = λ + ½,
  // Σ̂ = λ or λ + 1, so that Σ ⪯ κΣ̂ fails with probability ½ once κ < 1 + ½/λ.
  Case<double> c;
  c.S = 2, c.A = 1, c.d = 1, c.H = 1, c.delta = 0.5;
  c.phi = Table<double>(2, 1);
  c.phi(0) = 1;
  c.rho = Table<double>(2, 1, 0.5);
  c.base = c.rho;
  const double kappa = 1 + 0.5 / std::log(8.0);
  CHECK(explicit_concentration(c, kappa * 1.001, 10.0).left == 0);
  CHECK(explicit_concentration(c, kappa * 0.999, 10.0).left == 0.5);
  // An adversary with the other law at hand (never cell 0) makes Σ̂ = Σ and gains nothing.
  c.base(0) = 0, c.base(1) = 1;
  CHECK(explicit_concentration(c, kappa * 0.999, 10.0).left == 0.5);
}

TEST_CASE("Spectrum: Jacobi's rotations of a matrix with known eigenvalues", "[audit][spectrum]") {
  // Q diag(5, 2, 1) Qᵀ with Q = rotation by (3/5, 4/5) in the plane 0–1.
  Table<Exact> A(3, 3);
  A(0, 0) = Exact(5 * 9 + 2 * 16, 25), A(1, 1) = Exact(5 * 16 + 2 * 9, 25);
  A(0, 1) = Exact((5 - 2) * 12, 25), A(1, 0) = A(0, 1), A(2, 2) = 1;
  const Spectrum<Exact> found = spectrum(A);
  const double known[] = {5, 2, 1};
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK_THAT(to_double(found.values[i]), WithinAbs(known[i], 1e-12));
  }
  CHECK(surely_less(found.rest, Exact(1, 1'000'000'000)));
}

TEST_CASE("The budget is spent exactly", "[audit][search]") {
  const AuditedEntry finding = examine(*find_entry("bellman-v"), 1001, speder::SeedTree(1));
  CHECK(finding.search.instances + finding.search.rejected == 1001);
}

TEST_CASE("Choices: the same choices rebuild the same instance in exact arithmetic",
          "[audit][choice]") {
  for (const Shape shape : {Shape::kMdp, Shape::kDetour, Shape::kCorridor, Shape::kObjective,
                            Shape::kErm, Shape::kSignedErm, Shape::kProcess, Shape::kMatrices,
                            Shape::kLongErm, Shape::kAdversary, Shape::kWalk, Shape::kRates}) {
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

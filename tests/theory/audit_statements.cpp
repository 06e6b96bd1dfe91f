#include <fstream>
#include <iterator>

#include "speder/experiments/audit/audit.hpp"
#include "tests/catch.hpp"

// The audit at its quick budget as a theory test: corrected statements survive, lemmas that are true
// as printed hold (and are tight), and the printed mistakes are found. Right-hand sides come from
// oracle/bounds.

using namespace speder::audit;

namespace audit_statements {
namespace {

AuditedEntry examine_quickly(std::string_view id) {
  const Entry* entry = find_entry(id);
  REQUIRE(entry != nullptr);
  return examine(*entry, kQuickBudget, speder::SeedTree(11));
}

}  // namespace

TEST_CASE("Every corrected statement survives the search that broke the printed one",
          "[theory][audit]") {
  for (const Entry& entry : inventory()) {
    if (entry.twin == Twin::kNone) continue;
    CAPTURE(std::string(entry.id));
    const AuditedEntry finding = examine(entry, kQuickBudget, speder::SeedTree(11));
    CHECK_FALSE(finding.search.counterexample.has_value());
    // Rejected are broken premises and instances on which no data set can break the bound.
    CHECK(finding.search.instances >= kQuickBudget / 4);
  }
}

TEST_CASE("Lemmas that hold as printed, and how close they come", "[theory][bound][audit]") {
  struct Lemma {
    const char* id;
    double at_least;  // tightness: some instance comes this close
  };
  for (const Lemma lemma :
       {Lemma{"value-norm", 0.9}, Lemma{"backup-true", 0.9}, Lemma{"bonus-sup", 0.99},
        Lemma{"bonus-l2", 0.9}, Lemma{"planned-value-norm", 0.9}, Lemma{"weight-norm", 0.99},
        Lemma{"decoupling-lemma", 0.99}, Lemma{"potential-ends", 0.9}, Lemma{"gen-chernoff", 0.5},
        Lemma{"optimism-invocation", 0.9}}) {
    CAPTURE(lemma.id);
    const AuditedEntry finding = examine_quickly(lemma.id);
    CHECK(finding.verdict == AuditVerdict::kHolds);
    CHECK(finding.search.worst_ratio >= lemma.at_least);
  }
}

TEST_CASE("Printed mistakes are found and proven", "[theory][audit]") {
  for (const char* id :
       {"value-norm-bellman",    "decoupling-peeling",    "decoupling-tangent-product",
        "gen-second-moment",     "gen-moment-generating", "backup-learned",
        "backup-true-step-back", "planned-value-squares", "regret-bonus-d-over-n",
        "regret-potential-sum",  "omega-main-text",       "offline-backup-learned",
        "offline-backup-true",   "offline-decomposition", "regret-log-argument",
        "coverage-d-over-n",     "potential-first",       "potential-second",
        "linear-q-first",        "softmax-policy",        "canonical-basis-representation",
        "volume-example-reward", "optimism-alpha-order",  "bonus-ratio-theta",
        "pessimism-alpha",       "regret-gap-order",      "proto-value-contains-value"}) {
    CAPTURE(id);
    CHECK(examine_quickly(id).verdict == AuditVerdict::kFalsified);
  }
  for (const char* id : {"gen-sum-of-squares", "gen-theorem-as-printed", "l2-below-l1",
                         "backup-drop-policy", "population-objective-unique"}) {
    CAPTURE(id);
    CHECK(examine_quickly(id).verdict == AuditVerdict::kNeedsPremise);
  }
  for (const char* id : {"offline-theorem", "gen-final-display"}) {
    CAPTURE(id);
    CHECK(examine_quickly(id).verdict == AuditVerdict::kVacuous);
  }
  for (const char* id : {"potential-lagged", "constrained-objective-prefers-truth",
                         "constrained-objective-adaptive", "successor-leading-features"}) {
    CAPTURE(id);
    CHECK(examine_quickly(id).verdict == AuditVerdict::kNotImplied);
  }
}

TEST_CASE("The verdicts do not depend on the budget, and the pages count what is found",
          "[theory][audit]") {
  AuditOptions options;
  options.budget = kQuickBudget;
  const std::vector<AuditedEntry> quick = audit(options);
  options.budget = kQuickBudget / 2;
  options.seed = 12;
  const std::vector<AuditedEntry> other = audit(options);
  REQUIRE(quick.size() == other.size());
  for (std::size_t i = 0; i < quick.size(); ++i) {
    CAPTURE(std::string(quick[i].entry->id));
    CHECK(quick[i].verdict == other[i].verdict);
  }
  const ErrorCount errors = distinct_errors(quick);
  for (const char* page : {"README.md", "docs/audit.md"}) {
    std::ifstream in(std::string(SPEDER_SOURCE_DIR) + "/" + page);
    REQUIRE(in);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    CAPTURE(page);
    CHECK_THAT(text, Catch::Contains(std::to_string(errors.wrong) + " distinct errors"));
    CHECK_THAT(text, Catch::Contains(std::to_string(errors.premises) + " missing premises"));
  }
}

TEST_CASE("Hidden constants: what the instances need, and where it moves",
          "[theory][rate][audit]") {
  const AuditedEntry value_norm = examine_quickly("value-norm-order");
  CHECK(value_norm.search.worst_ratio <= std::sqrt(2.0) + 1e-9);  // (1−γ)² + γ² ≤ 1
  CHECK(value_norm.search.worst_ratio >= 1.4);
  CHECK(value_norm.verdict == AuditVerdict::kHolds);
  CHECK_THAT(trend_text(examine_quickly("bonus-ratio-theta").search.trend),
             Catch::Contains("grows with n"));
  CHECK_THAT(trend_text(examine_quickly("regret-log-argument").search.trend),
             Catch::Contains("grows with d"));
  const AuditedEntry generalization = examine_quickly("gen-theorem-constant");
  CHECK(generalization.search.worst_ratio < 41.96);  // the proof's constant
  CHECK(generalization.search.worst_ratio > 1);
}

}  // namespace audit_statements

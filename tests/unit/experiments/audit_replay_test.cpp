#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "speder/core/check.hpp"
#include "speder/experiments/audit/audit.hpp"
#include "speder/experiments/audit/objects/case_file.hpp"
#include "speder/experiments/audit/report.hpp"
#include "tests/catch.hpp"

using namespace speder::audit;
namespace fs = std::filesystem;

namespace audit_replay_test {
namespace {

struct Folder {
  fs::path path = fs::temp_directory_path() / "speder_audit_replay_test";
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
};

AuditedEntry finding_of(const char* id) {
  return examine(*find_entry(id), kQuickBudget, speder::SeedTree(3));
}
fs::path write(const Folder& folder, const std::string& text) {
  const fs::path file = folder.path / "case.json";
  std::ofstream(file) << text;
  return file;
}

}  // namespace

TEST_CASE("Replay: a saved counterexample gives the same two sides", "[audit][replay]") {
  const Folder folder;
  for (const char* id : {"canonical-basis-reward", "gen-second-moment", "potential-first",
                         "backup-true-step-back", "decoupling-peeling", "offline-slack"}) {
    CAPTURE(id);
    const AuditedEntry found = finding_of(id);
    REQUIRE(found.search.counterexample.has_value());
    const fs::path file = folder.path / "case.json";
    save_counterexample(file, *found.entry, *found.search.counterexample);
    const Replay again = replay(file);
    CHECK(again.entry == found.entry);
    CHECK(again.broken.empty());
    CHECK(again.confirmed);
    CHECK(to_text(again.sides.left) == to_text(found.search.counterexample->sides.left));
    CHECK(to_text(again.sides.right) == to_text(found.search.counterexample->sides.right));
  }
}

TEST_CASE("Replay: an edited file is judged again, premises first", "[audit][replay]") {
  const Folder folder;
  const AuditedEntry found = finding_of("canonical-basis-representation");
  REQUIRE(found.search.counterexample.has_value());
  auto json =
      nlohmann::json::parse(counterexample_text(*found.entry, *found.search.counterexample));
  json["values"]["rho"][0] = "2";
  const Replay broken = replay(write(folder, json.dump()));
  CHECK_FALSE(broken.confirmed);
  CHECK(broken.broken == "ρ is a distribution");
}

TEST_CASE("Replay: damaged files are one-line input errors", "[audit][replay]") {
  const Folder folder;
  const AuditedEntry found = finding_of("gen-second-moment");
  REQUIRE(found.search.counterexample.has_value());
  const std::string good = counterexample_text(*found.entry, *found.search.counterexample);
  const auto broken = [&](const std::string& text) {
    try {
      static_cast<void>(replay(write(folder, text)));
    } catch (const speder::InputError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const auto edited = [&](const auto& change) {
    auto json = nlohmann::json::parse(good);
    change(json);
    return broken(json.dump());
  };
  using Json = nlohmann::json;
  CHECK_THAT(broken(good.substr(0, good.size() / 2)), Catch::Contains("damaged or cut off"));
  CHECK_THAT(broken("[]"), Catch::Contains("not a counterexample"));
  CHECK_THAT(edited([](Json& j) { j.erase("values"); }), Catch::Contains("values: missing"));
  CHECK_THAT(edited([](Json& j) { j["id"] = "no-such"; }), Catch::Contains("no such entry"));
  CHECK_THAT(edited([](Json& j) { j["sizes"]["S"] = 10'000; }), Catch::Contains("sizes.S"));
  CHECK_THAT(edited([](Json& j) { j["sizes"]["S"] = 7; }), Catch::Contains("expected 7"));
  CHECK_THAT(edited([](Json& j) { j["values"]["nu"][0] = "1/0"; }),
             Catch::Contains("divides by zero"));
  CHECK_THAT(edited([](Json& j) { j["values"]["nu"][0] = 0.5; }), Catch::Contains("expected rows"));
  CHECK_THAT(edited([](Json& j) { j["values"]["family"][0] = ""; }), Catch::Contains("family"));
  CHECK_THAT(edited([](Json& j) { j["values"].erase("design"); }), Catch::Contains("design"));
  CHECK_THROWS_AS(replay(folder.path / "none.json"), speder::InputError);
}

TEST_CASE("audit.json: a list with the promised keys", "[audit][report]") {
  AuditOptions options;
  options.budget = 300;
  options.only = {"canonical-basis-reward", "simulation-first", "pac-online", "bonus-ratio-theta"};
  const auto json = nlohmann::json::parse(json_text(audit(options)));
  REQUIRE(json.is_array());
  REQUIRE(json.size() == 4);
  for (const auto& entry : json) {
    for (const char* key : {"id", "source", "kind", "statement", "verdict", "instances",
                            "worst_ratio", "counterexample", "corrected_by"}) {
      CAPTURE(key);
      CHECK(entry.contains(key));
    }
  }
  CHECK(json[0]["verdict"] == "falsified as printed");
  CHECK(json[0]["corrected_by"] == "canonical-basis-reward-corrected");
  CHECK(json[1]["verdict"] == "holds on all tried");
  CHECK(json[1]["instances"] == 300);
  CHECK(json[2]["verdict"] == "not checkable");
  CHECK_THAT(json[3]["trend"].get<std::string>(), Catch::Contains("grows with n"));
}

}  // namespace audit_replay_test

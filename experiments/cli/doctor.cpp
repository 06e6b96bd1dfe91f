#include "speder/cli/program.hpp"
#include "speder/experiments/cli/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "speder/experiments/checks/doctor.hpp"

namespace speder::cli {
namespace {

std::string_view verdict(const Check& a) {
  if (a.works()) return "ok";
  return a.required ? "MISSING" : "absent";
}

void print(const Check& a) {
  fmt::print("{:<7}  {:<12}  {}\n", verdict(a), a.part, a.works() ? a.found : a.wrong);
  if (a.works()) return;
  fmt::print("{:<7}  {:<12}  {} {}\n", "", "", a.required ? "needed by:" : "only for:", a.serves);
  fmt::print("{:<7}  {:<12}  fix: {}\n", "", "", a.fix);
}

int run(bool json) {
  const auto self = std::filesystem::read_symlink("/proc/self/exe");
  const std::vector<Check> all = examine(self.parent_path());
  const bool healthy =
      std::ranges::all_of(all, [](const Check& a) { return a.works() || !a.required; });
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Check& a : all) {
    if (!json) print(a);
    list.push_back({{"part", a.part},
                    {"required", a.required},
                    {"works", a.works()},
                    {"found", a.found},
                    {"wrong", a.wrong},
                    {"fix", a.fix}});
  }
  if (json) fmt::print("{}\n", json_text(list, 2));
  if (!json) fmt::print("\n{}\n", healthy ? "All that is needed works." : "Something is missing.");
  return healthy ? 0 : 1;
}

}  // namespace

void add_doctor(CLI::App& app, int& exit_code) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand(
      "doctor", "Try out the installation; for what does not work, print the fix");
  command->add_flag("--json", *json, "A list of {part, required, works, found, wrong, fix}");
  command->footer(
      "Each part is used for a moment, in a scratch folder (TMPDIR): a file written and read, a\n"
      "picture drawn, a program started. MISSING parts are needed, absent ones are optional.\n"
      "Exit code 0: all that is needed works; 1: something is MISSING.\n\nExamples:\n"
      "  speder doctor\n  speder doctor --json");
  command->callback([json, &exit_code] { exit_code = run(*json); });
}

}  // namespace speder::cli

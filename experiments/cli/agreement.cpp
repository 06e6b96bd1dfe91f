#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "speder/cli/program.hpp"
#include "speder/experiments/checks/agreement.hpp"
#include "speder/experiments/cli/command.hpp"

namespace speder::cli {
namespace {

struct AgreementOptions {
  std::uint64_t seed = 1;
  bool json = false;
};

void print_table(const std::vector<Agreement>& table) {
  fmt::print("{:<11} {:>5} {:>3} {:>5} {:>7}  {:>10} {:>10} {:>10} {:>12}  {:<6} {}\n", "family",
             "S", "A", "d", "gamma", "conditions", "planners", "visitation", "J*", "", "");
  for (const Agreement& row : table) {
    if (!row.error.empty()) {
      fmt::print("{:<11} {:>7}  {}\n", row.family, row.gamma, row.error);
      continue;
    }
    fmt::print("{:<11} {:>5} {:>3} {:>5} {:>7}  {:>10} {:>10.1e} {:>10.1e} {:>12.6g}  {:<6} {}\n",
               row.family, row.states, row.actions, row.rank, row.gamma,
               fmt::format("{}/{}", row.conditions_held, row.conditions), row.disagreement,
               row.visitation_error, row.value, row.agrees() ? "agree" : "DIFFER",
               row.conditions_failed.empty() ? "" : "fails " + row.conditions_failed);
  }
}

nlohmann::json to_json(const Agreement& row) {
  return {{"family", row.family},         {"states", row.states},
          {"actions", row.actions},       {"rank", row.rank},
          {"gamma", row.gamma},           {"conditions_held", row.conditions_held},
          {"conditions", row.conditions}, {"conditions_failed", row.conditions_failed},
          {"value", row.value},           {"disagreement", row.disagreement},
          {"residual", row.residual},     {"visitation_error", row.visitation_error},
          {"agrees", row.agrees()},       {"error", row.error}};
}

int run(const AgreementOptions& options) {
  const std::vector<Agreement> table = check_agreement(options.seed);
  const bool all =
      std::all_of(table.begin(), table.end(), [](const auto& r) { return r.agrees(); });
  if (options.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const auto& row : table) list.push_back(to_json(row));
    fmt::print("{}\n", json_text(list, 2));
  } else {
    print_table(table);
    fmt::print(
        "\nplanners: largest difference of V* between dense, factored and sparse policy iteration "
        "and value\niteration, times 1 - gamma; visitation: |J* (1 - gamma) - <d, r>|. Both must "
        "be "
        "at most {:g}.\n{}\n",
        tol::kAgreement, all ? "All agree." : "Some disagree: see DIFFER above.");
  }
  return all ? 0 : 1;
}

}  // namespace

void add_agreement(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<AgreementOptions>();
  CLI::App* command = app.add_subcommand(
      "agreement", "Make every family, check its conditions, solve it four ways, compare");
  command->add_option("--seed", options->seed, "Seed of the instances")->capture_default_str();
  command->add_flag("--json", options->json, "A list with one object per family and discount");
  command->footer(
      "Exit code 1 if any two planners disagree.\n\nExample:\n  speder agreement --seed 2");
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace speder::cli

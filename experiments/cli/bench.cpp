#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "speder/cli/program.hpp"
#include "speder/core/names.hpp"
#include "speder/experiments/bench/jobs.hpp"
#include "speder/experiments/cli/command.hpp"

namespace speder::cli {
namespace {

struct BenchOptions {
  std::vector<std::string> only;
  bool json = false;
};

bool wanted(const BenchOptions& options, const std::string& name) {
  return options.only.empty() ||
         std::find(options.only.begin(), options.only.end(), name) != options.only.end();
}

void require_known(const BenchOptions& options) {
  std::vector<std::string> names;
  for (const auto& job : bench::jobs()) names.push_back(job.name);
  for (const auto& name : options.only)
    if (std::ranges::find(names, name) == names.end()) refuse_name("benchmark", name, names);
}

int run(const BenchOptions& options) {
  require_known(options);
  nlohmann::json list = nlohmann::json::array();
  bool all = true;
  if (!options.json) fmt::print("{:<48} {:>12} {:>12}   {}\n", "job", "figure", "must", "measured");
  for (const auto& job : bench::jobs()) {
    if (!wanted(options, job.name)) continue;
    for (const auto& figure : job.run()) {
      all = all && figure.holds();
      if (options.json) {
        list.push_back({{"job", figure.job},
                        {"value", figure.value},
                        {"must", figure.must},
                        {"at_least", figure.at_least},
                        {"holds", figure.holds()},
                        {"measured", figure.measured}});
        continue;
      }
      fmt::print("{:<48} {:>12.4g} {:>2} {:>9.4g}   {} {}\n", figure.job, figure.value,
                 figure.at_least ? ">=" : "<=", figure.must, figure.measured,
                 figure.holds() ? "" : "  MISSED");
      std::fflush(stdout);
    }
  }
  if (options.json) fmt::print("{}\n", json_text(list, 2));
  return all ? 0 : 1;
}

}  // namespace

void add_bench(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* command = app.add_subcommand(
      "bench", "Speed and memory against this project's own dense reference, one core");
  command->add_option("--only", options->only,
                      "Only these jobs: scale factored lock garnet sampling ...");
  command->add_flag("--json", options->json,
                    "A list of {job, value, must, at_least, holds, measured}");
  command->footer(
      "Ratios are measured within one run; seconds depend on the machine, ratios hardly.\n"
      "Exit code 1 if a figure misses what it must reach.\n\n"
      "  speder bench --only factored --only lock");
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace speder::cli

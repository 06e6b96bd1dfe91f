#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "speder/cli/program.hpp"
#include "speder/core/check.hpp"
#include "speder/core/parallel.hpp"
#include "speder/experiments/cli/command.hpp"
#include "speder/experiments/rates/registry.hpp"
#include "speder/experiments/rates/suite.hpp"
#include "speder/sweep/progress_bar.hpp"
#include "speder/sweep/stop_signal.hpp"

namespace speder::cli {
namespace {

struct SweepOptions {
  std::string suite;
  std::string out;
  bool full = false;
  int jobs = 0;
  std::uint64_t seed = 1;
  bool json = false;
  bool list = false;
  bool retry_failed = false;
};

std::filesystem::path store_path(const SweepOptions& options) {
  if (!options.out.empty()) return options.out;
  return std::filesystem::path(options.suite).stem().string() + ".db";
}

void print_experiments() {
  for (const RateExperiment& e : rate_experiments()) {
    fmt::print("{:<10} {}\n", e.id, e.question);
  }
}

void summarise(const SweepOptions& options, const Suite& suite, const SweepResult& result) {
  const SweepProgress& p = result.progress;
  if (options.json) {
    const nlohmann::json out = {{"experiment", suite.id},
                                {"size", suite.size},
                                {"seed", options.seed},
                                {"store", store_path(options).string()},
                                {"runs", p.total},
                                {"done", p.done},
                                {"restored", p.restored},
                                {"failed", p.failed + p.failed_before},
                                {"complete", result.complete}};
    fmt::print("{}\n", json_text(out, 2));
    return;
  }
  fmt::print("{}\n",
             sweep_summary(fmt::format("{} ({})", suite.id, suite.size), store_path(options), p));
  if (p.failed_before > 0) fmt::print("--retry-failed makes those that failed again\n");
  if (!result.complete && result.obstacle.empty())
    fmt::print("stopped; the same command continues where it was\n");
}

void sweep(const SweepOptions& options, int& exit_code) {
  if (options.list) return print_experiments();
  if (options.suite.empty()) throw InputError("sweep: name a suite file (or --list)");
  const Suite suite = load_suite(options.suite, options.full ? "full" : "quick");
  Sweep runs = suite_runs(suite, options.seed);
  runs.retry_failed = options.retry_failed;
  std::optional<SweepResult> result;
  {
    SweepBar bar(suite.id);
    result = run_sweep_here(
        {.store = store_path(options), .jobs = options.jobs > 0 ? options.jobs : hardware_jobs()},
        runs, run_task(suite, options.seed),
        {.progress = [&](const SweepProgress& p) { bar.show(p); }});
  }
  if (!result) return;  // a rank that computed for another one
  summarise(options, suite, *result);
  if (!result->obstacle.empty()) {
    throw InputError(fmt::format("{} runs could not be made: {}; the same command makes them",
                                 result->progress.total - result->progress.done, result->obstacle));
  }
  if (!result->complete) {
    exit_code = kInterruptedExit;
  } else if (result->progress.failed + result->progress.failed_before > 0) {
    exit_code = 1;
  }
}

}  // namespace

void add_sweep(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<SweepOptions>();
  CLI::App* command = app.add_subcommand(
      "sweep",
      "Runs an experiment over its grid of settings and seeds, into a result store.\n"
      "Stopped or killed at any moment and started again, it continues where it was.");
  command->add_option("suite", options->suite,
                      "Suite file (TOML), or the id of one that came with the program (--list)");
  command->add_option("-o,--out", options->out, "Result store (default: <suite>.db)");
  command->add_flag("--full,!--quick", options->full,
                    "The suite's full size instead of its quick one");
  command->add_option("-j,--jobs", options->jobs, "Runs at once (default: all cores)")
      ->check(CLI::Range(0, 4096));
  command->add_option("--seed", options->seed, "Root of all randomness")->capture_default_str();
  command->add_flag("--retry-failed", options->retry_failed,
                    "Makes the runs again that failed before");
  command->add_flag("--json", options->json, "Summary as JSON");
  command->add_flag("--list", options->list,
                    "Lists the experiments and the question each one asks");
  command->footer(
      "Examples:\n"
      "  speder sweep horizon\n"
      "  speder sweep gen-n --full -o results/full.db\n"
      "  mpirun -n 64 speder sweep suite.toml     rank 0 schedules and writes, the others compute\n"
      "Rows depend on the suite and the seed alone, never on --jobs or the number of ranks.\n"
      "Exit code 0: all runs are done; 1: some of them failed; 130: stopped by a signal; 2: bad "
      "input,\n"
      "or runs that lacked memory, disk or a file: nothing is stored of those.");
  command->callback([options, &exit_code] { sweep(*options, exit_code); });
}

}  // namespace speder::cli

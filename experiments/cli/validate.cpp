#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "speder/core/check.hpp"
#include "speder/core/parallel.hpp"
#include "speder/experiments/audit/report.hpp"
#include "speder/experiments/checks/agreement.hpp"
#include "speder/experiments/cli/audit_files.hpp"
#include "speder/experiments/cli/command.hpp"
#include "speder/experiments/rates/registry.hpp"
#include "speder/experiments/rates/suite.hpp"
#include "speder/io/durable_file.hpp"
#include "speder/io/text_file.hpp"
#include "speder/plots/report/report.hpp"
#include "speder/sweep/progress_bar.hpp"
#include "speder/sweep/stop_signal.hpp"

namespace speder::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> validated_experiments() {
  std::vector<std::string> ids;
  for (const RateExperiment& e : rate_experiments()) {
    if (e.validated) ids.emplace_back(e.id);
  }
  return ids;
}

struct ValidateOptions {
  std::string out = "results";
  bool full = false;
  int jobs = 0;
  std::uint64_t seed = 1;
  std::vector<std::string> only = validated_experiments();
};

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

bool oracles_agree(const ValidateOptions& options) {
  const std::vector<Agreement> table = check_agreement(options.seed);
  bool all = true;
  for (const Agreement& row : table) {
    if (row.agrees()) continue;
    all = false;
    fmt::print("the exact planners DISAGREE on family {} at gamma {} {}(speder agreement)\n",
               row.family, row.gamma, row.error.empty() ? "" : row.error + " ");
  }
  if (all) fmt::print("{:<10} {} instances, all exact planners agree\n", "agreement", table.size());
  return all;
}

// False: told to stop.
bool sweep_all(const ValidateOptions& options, const fs::path& file) {
  const StopSignal stop;
  ResultStore store = ResultStore::open(file);
  const int threads = options.jobs > 0 ? options.jobs : hardware_jobs();
  for (const std::string& id : options.only) {
    const Clock::time_point start = Clock::now();
    const Suite suite = load_suite(id, options.full ? "full" : "quick");
    SweepResult result;
    {
      SweepBar bar(suite.id);
      result = run_sweep(store, suite_runs(suite, options.seed),
                         thread_workers(threads, run_task(suite, options.seed)), StopSignal::flag(),
                         {.progress = [&](const SweepProgress& p) { bar.show(p); }});
    }
    const SweepProgress& p = result.progress;
    fmt::print("{:<10} {} runs in {:.1f} s{}{}\n", suite.id, p.total, since(start),
               p.restored > 0 ? fmt::format(", {} of them from before", p.restored) : "",
               p.failed + p.failed_before > 0
                   ? fmt::format(", {} failed", p.failed + p.failed_before)
                   : "");
    std::fflush(stdout);
    if (!result.obstacle.empty()) {
      throw InputError(fmt::format("{}: {} runs could not be made: {}; the same command makes them",
                                   suite.id, p.total - p.done, result.obstacle));
    }
    if (!result.complete) return false;
  }
  return true;
}

// False: one of our corrections was falsified.
bool audit_all(const ValidateOptions& options, const fs::path& folder) {
  const Clock::time_point start = Clock::now();
  audit::AuditOptions settings{.seed = options.seed, .jobs = options.jobs};
  if (!options.full) settings.budget = audit::kQuickBudget;
  std::vector<audit::AuditedEntry> findings = audit::audit(settings);
  save_counterexamples(folder / "counterexamples", findings);
  for (audit::AuditedEntry& f : findings) {  // as seen from the page
    if (!f.counterexample_file.empty())
      f.counterexample_file = fs::relative(f.counterexample_file, folder).string();
  }
  write_text_file(folder / "audit.json", audit::json_text(findings));
  fmt::print("{:<10} {} ({:.1f} s)\n", "audit", audit::summary_text(findings), since(start));
  return corrections_survive(findings);
}

struct Tally {
  int consistent = 0, violated = 0, inconclusive = 0, no_test = 0, mutations = 0, uncaught = 0;
};

Tally print_verdicts(const std::vector<ReportSection>& sections) {
  Tally tally;
  fmt::print("\n");
  for (const ReportSection& s : sections) {
    for (const Finding& f : s.report.findings) {
      const bool broken = f.verdict == Verdict::kViolated;
      if (f.role == Role::kMutation) {
        ++tally.mutations;
        tally.uncaught += broken ? 0 : 1;
        if (!broken) fmt::print("  {:<10} MUTATION NOT CAUGHT: {}\n", s.record.id, f.claim);
        continue;
      }
      tally.consistent += supports(f.verdict) ? 1 : 0;
      tally.no_test += f.verdict == Verdict::kNotATest ? 1 : 0;
      tally.violated += broken ? 1 : 0;
      tally.inconclusive += f.verdict == Verdict::kInconclusive ? 1 : 0;
      fmt::print("  {:<10} {:<13} {} {} against {}: {}\n", s.record.id, to_string(f.verdict),
                 f.measured, f.interval, f.theory, f.claim);
      if (f.verdict != Verdict::kConsistent) fmt::print("  {:<10} {:<13} {}\n", "", "", f.reason);
    }
  }
  return tally;
}

// The sections in the order of the registry.
std::vector<ReportSection> analyse_in_order(const fs::path& file,
                                            const std::vector<std::string>& order) {
  const ResultStore store = ResultStore::read(file);
  std::vector<ReportSection> out;
  for (const std::string& id : order) {
    for (const ExperimentRecord& record : store.experiments()) {
      if (record.id == id) out.push_back(judge(ExperimentData{record, store.runs(id)}));
    }
  }
  return out;
}

int validate(const ValidateOptions& options) {
  const Clock::time_point start = Clock::now();
  const fs::path folder = options.out;
  make_folder(folder);
  const fs::path file = folder / (options.full ? "full.db" : "quick.db");
  const bool agree = oracles_agree(options);
  if (!sweep_all(options, file)) {
    fmt::print("stopped; the same command continues where it was\n");
    return kInterruptedExit;
  }
  const bool audited = audit_all(options, folder);
  const std::vector<ReportSection> sections = analyse_in_order(file, options.only);
  const Tally tally = print_verdicts(sections);
  const fs::path page =
      write_report(sections, {.out = folder, .audit = folder / "audit.json", .jobs = options.jobs});
  fmt::print(
      "\n{} claims: {} consistent, {} violated, {} inconclusive, {} not a test; {} of {} mutations "
      "caught; {:.0f} s\n"
      "report: {}\n",
      tally.consistent + tally.violated + tally.inconclusive + tally.no_test, tally.consistent,
      tally.violated, tally.inconclusive, tally.no_test, tally.mutations - tally.uncaught,
      tally.mutations, since(start), page.string());
  const bool whole =
      std::ranges::none_of(sections, [](const ReportSection& s) { return s.failed > 0; });
  return agree && audited && whole && tally.violated == 0 && tally.uncaught == 0 ? 0 : 1;
}

}  // namespace

void add_validate(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<ValidateOptions>();
  CLI::App* command = app.add_subcommand(
      "validate",
      "The main job: measures every rate of the paper, audits every statement, writes the report.\n"
      "Killed at any moment and started again, it continues where it was.");
  command->add_flag("--full,!--quick", options->full,
                    "Full sizes (about an hour on two cores) instead of quick ones (minutes)");
  command->add_option("-o,--out", options->out, "Folder for the store, the audit and the report")
      ->capture_default_str();
  command->add_option("--only", options->only, "Only these experiments (default: all)")
      ->check(CLI::IsMember(validated_experiments()))
      ->default_str("all");
  command->add_option("--seed", options->seed, "Root of all randomness")->capture_default_str();
  command->add_option("-j,--jobs", options->jobs, "Runs at once (default: all cores)")
      ->check(CLI::Range(0, 4096));
  command->footer(
      "Examples:\n"
      "  speder validate                            then open results/index.html\n"
      "  speder validate --full --out results-full\n"
      "  speder validate --only gen-n regret        a part of it\n"
      "Exit code 0: no run failed, no rate is violated, every mutation is caught, the exact "
      "planners agree and "
      "no\n"
      "correction of ours is falsified (what the audit falsifies in the paper is a finding, not a\n"
      "failure); 1: otherwise; 130: stopped by a signal; 2: bad input.");
  command->callback([options, &exit_code] { exit_code = validate(*options); });
}

}  // namespace speder::cli

#include <fmt/format.h>

#include <filesystem>
#include <mutex>

#include "speder/core/check.hpp"
#include "speder/experiments/audit/objects/case_file.hpp"
#include "speder/experiments/audit/report.hpp"
#include "speder/experiments/audit/search/self_test.hpp"
#include "speder/experiments/cli/audit_files.hpp"
#include "speder/experiments/cli/command.hpp"
#include "speder/io/text_file.hpp"

namespace speder::cli {
namespace {

constexpr int kFailed = 1;
constexpr std::size_t kDetailed = 5;  // this many entries are shown in full

constexpr const char* kFooter = R"(Examples:
  speder audit                                    every statement, default budget
  speder audit --quick                            the same, 4,000 instances a statement
  speder audit --only value-norm-bellman          one statement in full
  speder audit --out counterexamples              save every counterexample
  speder audit --replay counterexamples/potential-first.json
  speder audit --json                             for machines
  speder audit --findings audit.json              the table here, the JSON in a file
  speder audit --list                             the inventory, nothing is run

Verdicts: holds on all tried | falsified as printed (counterexample proven in exact
arithmetic) | needs a premise | not checkable (hidden constants: the smallest constant
that works is measured). 'worst' is left/right for a bound, Δ a relative difference for
an identity, c a measured constant.
Exit: 0 the audit ran (findings are not failures); 1 a corrected statement was falsified,
the self-test failed, or a replayed file is no counterexample; 2 bad input.)";

struct AuditCommand {
  audit::AuditOptions options;
  bool quick = false;
  bool list = false;
  bool markdown = false;
  bool self_test = false;
  bool json = false;
  std::string findings;
  std::string out;
  std::string replay;
};

int replay_file(const std::string& path) {
  const audit::Replay r = audit::replay(path);
  fmt::print("{}: {}\n  source     {}\n  statement  {}\n  premises   {}\n", r.entry->id,
             r.confirmed ? "violated, proven" : "no counterexample", r.entry->source,
             r.entry->statement, r.broken.empty() ? "hold" : "broken: " + r.broken);
  fmt::print("  left       {}\n  right      {}\n  arithmetic {}\n", audit::to_text(r.sides.left),
             audit::to_text(r.sides.right),
             r.exact ? "rational numbers" : "rational enclosures of roots, exp and log");
  return r.confirmed ? 0 : kFailed;
}

int run_self_test(const AuditCommand& command) {
  const audit::SelfTest t =
      audit::self_test(command.options.budget, command.options.seed, command.options.jobs);
  fmt::print("{} of {} false statements caught, {} of {} true statements left alone\n",
             t.false_statements - t.missed.size(), t.false_statements,
             t.known_true - t.false_alarms.size(), t.known_true);
  for (const std::string& id : t.missed) fmt::print("missed: {}\n", id);
  for (const std::string& id : t.false_alarms) fmt::print("falsified although true: {}\n", id);
  return t.passed() ? 0 : kFailed;
}

int run_audit(AuditCommand& command) {
  std::vector<audit::AuditedEntry> findings = audit::audit(command.options);
  if (!command.out.empty()) save_counterexamples(command.out, findings);
  if (command.json) {
    fmt::print("{}", json_text(findings));
  } else if (command.markdown) {
    fmt::print("{}", markdown_text(findings));
  } else {
    fmt::print("{}", findings.size() <= kDetailed ? detail_text(findings) : table_text(findings));
  }
  if (!command.findings.empty()) write_text_file(command.findings, json_text(findings));
  return corrections_survive(findings) ? 0 : kFailed;
}

int run(AuditCommand& command) {
  if (!command.replay.empty()) return replay_file(command.replay);
  if (command.list) {
    fmt::print("{}", audit::list_text());
    return 0;
  }
  if (command.quick) command.options.budget = audit::kQuickBudget;
  if (command.options.budget < 1) {
    throw InputError("audit: --budget must be at least 1 instance per entry");
  }
  return command.self_test ? run_self_test(command) : run_audit(command);
}

}  // namespace

void add_audit(CLI::App& app, int& exit_code) {
  auto command = std::make_shared<AuditCommand>();
  CLI::App* sub =
      app.add_subcommand("audit", "Try to break every statement of the paper's theory, as printed");
  sub->add_option("--only", command->options.only, "Audit this id (repeatable)")->type_name("ID");
  auto* budget = sub->add_option("--budget", command->options.budget, "Instances per statement")
                     ->capture_default_str();
  sub->add_flag("--quick", command->quick, "4,000 instances per statement")->excludes(budget);
  sub->add_option("--seed", command->options.seed, "Root of all random streams")
      ->capture_default_str();
  sub->add_option("--jobs", command->options.jobs,
                  "Threads (0: all cores); the findings do not depend on it")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  sub->add_option("--out", command->out, "Folder for the counterexamples")->type_name("DIR");
  sub->add_flag("--json", command->json, "The findings as JSON instead of the table");
  sub->add_option("--findings", command->findings, "Write the findings as JSON to this file too")
      ->type_name("FILE");
  sub->add_flag("--markdown", command->markdown, "Print the table as Markdown");
  sub->add_flag("--list", command->list, "Print the inventory and stop");
  sub->add_flag("--self-test", command->self_test,
                "False statements must be caught, known truths left alone");
  sub->add_option("--replay", command->replay, "Recompute a saved counterexample exactly")
      ->type_name("FILE");
  sub->footer(kFooter);
  sub->allow_extras();  // "--json FILE" is refused below, with the option that takes the file
  sub->callback([command, sub, &exit_code] {
    const std::vector<std::string> extras = sub->remaining();
    if (command->json && extras.size() == 1 && !extras[0].starts_with("--"))
      throw InputError(
          fmt::format("audit: --json is a flag and prints; --findings {} writes the JSON to a file",
                      extras[0]));
    if (!extras.empty()) throw CLI::ExtrasError(extras);
    exit_code = run(*command);
  });
}

}  // namespace speder::cli

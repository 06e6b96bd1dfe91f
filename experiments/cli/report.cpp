#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "speder/core/check.hpp"
#include "speder/experiments/cli/command.hpp"
#include "speder/experiments/rates/registry.hpp"
#include "speder/plots/report/report.hpp"

namespace speder::cli {
namespace {

struct ReportCommand {
  std::string store;
  std::string out = "report";
  std::string audit;
  int jobs = 0;
  bool json = false;
  bool rows = false;
};

// Every number of the store, tidy, in an order that depends on the content alone.
void print_rows(const ResultStore& store) {
  fmt::print("experiment,cell,repetition,status,error,metric,n,value\n");
  for (const ExperimentRecord& record : store.experiments()) {
    for (const Run& run : store.runs(record.id)) {
      const std::string prefix =
          fmt::format("{},{},{},{},{}", csv_field(run.key.experiment), csv_field(run.key.cell),
                      run.key.repetition, run.failed ? "failed" : "ok", csv_field(run.error));
      if (run.measures.empty()) fmt::print("{},,,\n", prefix);
      for (const Measure& m : run.measures) {
        fmt::print("{},{},{},{}\n", prefix, csv_field(m.metric), m.n, m.value);
      }
    }
  }
}

void print_findings(const std::vector<ReportSection>& sections) {
  for (const ReportSection& s : sections) {
    for (const Finding& f : s.report.findings) {
      fmt::print("{:<10} {:<13} {} {} (theory {}){}\n", s.record.id, to_string(f.verdict),
                 f.measured, f.interval, f.theory, f.role == Role::kMutation ? " [mutation]" : "");
    }
  }
}

// A store of the deep part has another command.
void require_theory(const ResultStore& store, const std::string& path) {
  for (const ExperimentRecord& record : store.experiments()) {
    const auto starts = [&](std::string_view text) { return record.id.starts_with(text); };
    const bool page = starts("imitate-") || starts("heatmap-");
    if (page || starts("deep-"))
      throw InputError(fmt::format("{0}: has runs of '{1}'; speder deep {2} {0} shows them", path,
                                   record.id, page ? "report" : "table"));
  }
}

void report(const ReportCommand& options) {
  const ResultStore store = ResultStore::read(options.store);
  if (options.rows) return print_rows(store);
  require_theory(store, options.store);
  const std::vector<ReportSection> sections = judge(store);
  if (sections.empty()) throw InputError(options.store + ": the store is empty; run a sweep first");
  ReportOptions to{.out = options.out, .audit = {}, .jobs = options.jobs};
  const auto beside = std::filesystem::path(options.store).parent_path() / "audit.json";
  if (!options.audit.empty()) {
    to.audit = options.audit;
  } else if (std::filesystem::exists(beside)) {
    to.audit = beside;
  }
  const std::filesystem::path page = write_report(sections, to);
  if (options.json) {
    fmt::print("{}", report_json(sections));
    return;
  }
  print_findings(sections);
  fmt::print("{}\n", page.string());
}

}  // namespace

void add_report(CLI::App& app, int&) {
  const auto options = std::make_shared<ReportCommand>();
  CLI::App* command = app.add_subcommand(
      "report",
      "Fits, judges and draws what is in a result store: one self-contained HTML page, pictures\n"
      "as SVG, PNG and PDF, and every plotted number as CSV.");
  command->add_option("store", options->store, "Result store of one or more sweeps")->required();
  command->add_option("-o,--out", options->out, "Folder to write to")->capture_default_str();
  command->add_option("--audit", options->audit,
                      "Result of the audit (default: audit.json beside the store, if any)");
  command->add_option("-j,--jobs", options->jobs, "Pictures drawn at once (default: all cores)")
      ->check(CLI::Range(0, 4096));
  command->add_flag("--json", options->json, "The findings as JSON");
  command->add_flag("--rows", options->rows,
                    "Prints every number of the store as CSV and draws nothing");
  command->footer(
      "Examples:\n"
      "  speder report results.db --out report      then open report/index.html\n"
      "  speder report results.db --rows > rows.csv\n"
      "The bootstrap is seeded by the store's own seed: the same store gives the same report.");
  command->callback([options] { report(*options); });
}

}  // namespace speder::cli

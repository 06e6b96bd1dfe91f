#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "speder/cli/picture_options.hpp"
#include "speder/core/check.hpp"
#include "speder/experiments/cli/command.hpp"
#include "speder/experiments/rates/registry.hpp"
#include "speder/io/text_file.hpp"
#include "speder/plots/report/compare.hpp"
#include "speder/plots/report/report.hpp"

namespace speder::cli {
namespace {

struct ReportCommand {
  std::vector<std::string> stores;
  std::string out = "report";
  std::string audit;
  int jobs = 0;
  bool json = false;
  bool rows = false;
  bool compare = false;
  PictureStyle style = {};
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

std::vector<ReportSection> sections_of(const std::string& path) {
  const ResultStore store = ResultStore::read(path);
  require_theory(store, path);
  std::vector<ReportSection> sections = judge(store);
  if (sections.empty()) throw InputError(path + ": the store is empty; run a sweep first");
  return sections;
}

void compare(const ReportCommand& options) {
  if (options.stores.size() != 2)
    throw InputError("--compare takes two stores: the one before and the one after");
  const std::string &a = options.stores[0], &b = options.stores[1];
  const Comparison result = compare_reports(sections_of(a), sections_of(b));
  const std::filesystem::path page = std::filesystem::path(options.out) / "compare.html";
  std::error_code error;
  std::filesystem::create_directories(options.out, error);
  write_text_file(page, comparison_html(result, {a, b}));
  fmt::print("{}", options.json ? comparison_json(result)
                                : comparison_text(result) + page.string() + "\n");
}

void report(const ReportCommand& options) {
  if (options.compare) return compare(options);
  if (options.stores.size() != 1) throw InputError("report takes one store, or two with --compare");
  const std::string& path = options.stores.front();
  if (options.rows) return print_rows(ResultStore::read(path));
  const std::vector<ReportSection> sections = sections_of(path);
  ReportOptions to{
      .out = options.out, .audit = {}, .jobs = options.jobs, .text = {}, .style = options.style};
  const auto beside = std::filesystem::path(path).parent_path() / "audit.json";
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
      "as SVG, PNG, PDF and TikZ, and every plotted number as CSV.");
  command
      ->add_option("stores", options->stores,
                   "Result store of one or more sweeps; two with --compare")
      ->required();
  command->add_flag(
      "--compare", options->compare,
      "What changed from the first store to the second: findings with the 95% interval of\n"
      "their difference, verdicts, settings; a page compare.html");
  command->add_option("-o,--out", options->out, "Folder to write to")->capture_default_str();
  command->add_option("--audit", options->audit,
                      "Result of the audit (default: audit.json beside the store, if any)");
  command->add_option("-j,--jobs", options->jobs, "Pictures drawn at once (default: all cores)")
      ->check(CLI::Range(0, 4096));
  add_picture_options(*command, options->style);
  command->add_flag("--json", options->json, "The findings as JSON");
  command->add_flag("--rows", options->rows,
                    "Prints every number of the store as CSV and draws nothing");
  command->footer(
      "Examples:\n"
      "  speder report results.db --out report      then open report/index.html\n"
      "  speder report results.db --rows > rows.csv\n"
      "  speder report --compare before.db after.db\n"
      "  speder report results.db --width 7 --font 'Liberation Sans,9' --palette grey\n"
      "The bootstrap is seeded by the store's own seed: the same store gives the same report.");
  command->callback([options] { report(*options); });
}

}  // namespace speder::cli

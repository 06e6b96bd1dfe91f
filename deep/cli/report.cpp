#include "speder/deep/imitate/page.hpp"

#include <fmt/format.h>

#include <memory>

#include "speder/cli/picture_options.hpp"
#include "speder/deep/cli/command.hpp"

namespace speder::deep::cli {
namespace {

struct ReportCommand {
  std::vector<std::filesystem::path> stores;
  std::string out = "report";
  bool json = false;
  PictureStyle style = {};
};

void run(const ReportCommand& o) {
  const std::vector<ReportSection> sections = deep_sections(o.stores);
  const std::filesystem::path page = write_deep_report(sections, o.out, o.style);
  if (o.json) {
    fmt::print("{}", report_json(sections));
    return;
  }
  fmt::print("{}{}\n", verdict_lines(sections), page.string());
}

}  // namespace

void add_report(CLI::App& app) {
  auto o = std::make_shared<ReportCommand>();
  CLI::App* command = app.add_subcommand(
      "report", "One page of finished runs of train, bench, imitate and heatmap; runs nothing");
  command->footer(
      "Examples:\n"
      "  speder deep report runs/imitate --out page\n"
      "  speder deep report runs/mbbl/runs.db runs/x/run.db --out page\n"
      "  speder deep report runs/imitate/imitate.db runs/room --out page\n\n"
      "The folder gets index.html (self-contained), figures/ as SVG, PNG, PDF and TikZ, data/ with "
      "every\n"
      "plotted number as CSV, and report.json with the verdicts.");
  command
      ->add_option("stores", o->stores,
                   "Stores (run.db, runs.db, imitate.db, heatmap.db) or folders of them")
      ->required();
  command->add_option("--out", o->out, "Folder to write to")->capture_default_str();
  speder::cli::add_picture_options(*command, o->style);
  command->add_flag("--json", o->json, "The verdicts as JSON on standard output");
  command->callback([o] { run(*o); });
}

}  // namespace speder::deep::cli

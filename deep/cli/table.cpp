#include "speder/deep/results/table.hpp"
#include "speder/cli/picture_options.hpp"
#include "speder/cli/program.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "speder/core/check.hpp"
#include "speder/deep/cli/command.hpp"
#include "speder/deep/results/curves.hpp"
#include "speder/deep/results/run_settings.hpp"
#include "speder/deep/results/table_formats.hpp"
#include "speder/deep/train/loop.hpp"
#include "speder/plots/render/render.hpp"

namespace speder::deep::cli {
namespace {

struct TableOptions {
  std::vector<std::string> stores;
  std::string suite;
  std::string draw;
  std::string format = "text";
  PictureStyle style = {};
  bool json = false;
};

void print_table(std::string_view suite, const TableOptions& o, const std::vector<OurCell>& ours) {
  if (o.format == "text") {
    fmt::print("{}\n", format_table(suite, ours, terminal_width()));
  } else if (o.format == "markdown") {
    fmt::print("{}\n", markdown_table(suite, result_rows(suite, ours)));
  } else if (o.format == "latex") {
    fmt::print("{}\n", latex_table(suite, result_rows(suite, ours)));
  } else {
    fmt::print("{}", csv_table(suite, result_rows(suite, ours)));
  }
}

void run(const TableOptions& o) {
  const std::vector<Run> runs = comparable_runs(o.stores);
  if (!o.draw.empty()) render_with_csv(learning_curves(runs), o.draw, o.style);
  const std::vector<OurCell> ours = summarise(runs);
  if (o.json) {
    nlohmann::json rows = nlohmann::json::array();
    for (const OurCell& c : ours) {
      rows.push_back({{"env", c.env},
                      {"algorithm", c.algorithm},
                      {"preset", c.preset},
                      {"mean", c.value.mean},
                      {"std", c.seeds > 1 ? nlohmann::json(c.value.deviation) : nlohmann::json()},
                      {"seeds", c.seeds},
                      {"steps", c.steps},
                      {"failed", c.failed}});
    }
    fmt::print("{}\n", speder::cli::json_text(rows));
    return;
  }
  if (o.format == "csv") fmt::print("suite,row,source,task,mean,std,note,right_mean,right_std\n");
  for (const char* suite : {"mbbl", "dmc"}) {
    if (o.suite.empty() || o.suite == suite) print_table(suite, o, ours);
  }
  const std::string older = older_note(preset_labels(ours));
  if (o.format == "markdown" && !older.empty()) fmt::print("{}\n", older);
  if (o.format == "latex" && !older.empty())
    fmt::print("{{\\footnotesize {}}}\n", latex_text(older));
  if (o.format != "text") return;
  if (!older.empty()) fmt::print("{}\n", older);
  fmt::print(
      "published: as printed in the paper, 200K steps, 4 seeds;\n"
      "* taken there from MBBL. ours: mean ± std over seeds of the\n"
      "mean over a run's last {} evaluations, or all if fewer.\n",
      kResultWindow);
}

}  // namespace

void add_table(CLI::App& app) {
  auto o = std::make_shared<TableOptions>();
  CLI::App* command =
      app.add_subcommand("table", "The paper's result tables with our runs beside them");
  command->footer(
      "Examples:\n"
      "  speder deep table runs/mbbl/runs.db\n"
      "  speder deep table runs/x/run.db runs/y/run.db --suite mbbl --json\n"
      "  speder deep table runs/mbbl/runs.db --draw curves.svg\n"
      "  speder deep table runs/mbbl/runs.db --suite dmc --format latex > table.tex\n\n"
      "Runs of one task and algorithm that differ in a setting are never averaged: each kind has "
      "its\n"
      "row, named by what differs.");
  command->add_option("stores", o->stores, "Result stores of train (run.db) or bench (runs.db)")
      ->required();
  command->add_option("--suite", o->suite, "mbbl or dmc (default: both)")
      ->check(CLI::IsMember({"mbbl", "dmc"}));
  command->add_option("--format", o->format, "How the tables are written")
      ->check(CLI::IsMember({"text", "markdown", "latex", "csv"}))
      ->capture_default_str();
  command->add_option(
      "--draw", o->draw,
      "Learning curves into this .svg, .png, .pdf or .tex (TikZ), numbers beside as CSV");
  speder::cli::add_picture_options(*command, o->style);
  command->add_flag("--json", o->json, "Our cells as one JSON array");
  command->callback([o] { run(*o); });
}

}  // namespace speder::deep::cli

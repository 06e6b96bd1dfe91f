#include "speder/deep/results/table.hpp"
#include "speder/cli/program.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "speder/core/check.hpp"
#include "speder/deep/cli/command.hpp"
#include "speder/deep/results/curves.hpp"
#include "speder/deep/results/run_settings.hpp"
#include "speder/deep/train/loop.hpp"
#include "speder/plots/render/render.hpp"

namespace speder::deep::cli {
namespace {

struct TableOptions {
  std::vector<std::string> stores;
  std::string suite;
  std::string draw;
  bool json = false;
};

void draw(const std::vector<Run>& runs, const std::filesystem::path& file) {
  for (const Picture format : {Picture::kSvg, Picture::kPng, Picture::kPdf}) {
    if ("." + extension(format) == file.extension()) {
      return render(learning_curves(runs), format, file);
    }
  }
  throw InputError(fmt::format("{}: a picture is .svg, .png or .pdf", file.string()));
}

void run(const TableOptions& o) {
  const std::vector<Run> runs = comparable_runs(o.stores);
  if (!o.draw.empty()) draw(runs, o.draw);
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
  for (const char* suite : {"mbbl", "dmc"}) {
    if (o.suite.empty() || o.suite == suite) {
      fmt::print("{}\n", format_table(suite, ours, terminal_width()));
    }
  }
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
      "  speder deep table runs/mbbl/runs.db --draw curves.svg\n\n"
      "Runs of one task and algorithm that differ in a setting are never averaged: each kind has "
      "its\n"
      "row, named by what differs.");
  command->add_option("stores", o->stores, "Result stores of train (run.db) or bench (runs.db)")
      ->required();
  command->add_option("--suite", o->suite, "mbbl or dmc (default: both)")
      ->check(CLI::IsMember({"mbbl", "dmc"}));
  command->add_option("--draw", o->draw, "Learning curves into this .svg, .png or .pdf");
  command->add_flag("--json", o->json, "Our cells as one JSON array");
  command->callback([o] { run(*o); });
}

}  // namespace speder::deep::cli

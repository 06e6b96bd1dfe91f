#include "speder/cli/program.hpp"
#include "speder/deep/imitate/room_report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "speder/core/check.hpp"
#include "speder/deep/cli/command.hpp"
#include "speder/deep/cli/training.hpp"
#include "speder/io/durable_file.hpp"
#include "speder/io/text_file.hpp"
#include "speder/plots/render/render.hpp"
#include "speder/sweep/stop_signal.hpp"

namespace speder::deep::cli {
namespace {

struct HeatmapCommand {
  Common common;
  std::string objective = "dual";
  deep::HeatmapOptions learn;
  std::string out;
};

nlohmann::json describe(const HeatmapCommand& o, const std::vector<HeatmapRow>& rows) {
  nlohmann::json queries = nlohmann::json::array();
  bool pass = true;
  for (const auto& [q, s, raw] : rows) {
    pass = pass && s.peak_offset <= kPeakLimit;
    queries.push_back({{"from", {q.from.x, q.from.y}},
                       {"velocity", {q.velocity.x, q.velocity.y}},
                       {"peak_offset", s.peak_offset},
                       {"mean_offset", s.mean_offset},
                       {"l1", s.l1},
                       {"mass", s.mass}});
  }
  return {{"objective", o.objective},
          {"steps", o.learn.steps},
          {"seed", o.common.seed},
          {"features", o.learn.features},
          {"batch", o.learn.batch},
          {"hidden", o.learn.hidden},
          {"learning_rate", o.learn.learning_rate},
          {"queries", queries},
          {"peak_within_0.5", pass}};
}

void print(const nlohmann::json& j) {
  fmt::print("{:>14} {:>14} {:>12} {:>12} {:>8} {:>10}\n", "from", "velocity", "peak offset",
             "mean offset", "L1", "mass");
  for (const auto& q : j["queries"]) {
    fmt::print("{:>14} {:>14} {:>12.3f} {:>12.3f} {:>8.3f} {:>10.4g}\n", q["from"].dump(),
               q["velocity"].dump(), q["peak_offset"].get<double>(), q["mean_offset"].get<double>(),
               q["l1"].get<double>(), q["mass"].get<double>());
  }
  fmt::print("every peak within {} of s + a t: {}\n", kPeakLimit,
             j["peak_within_0.5"].get<bool>() ? "yes" : "no");
}

HeatmapResult learn(const HeatmapCommand& o) {
  at::set_num_threads(1);
  const bool shown = ::isatty(STDERR_FILENO) != 0 && !o.common.json;
  HeatmapResult r = [&] {
    const StopSignal signal;
    return learn_heatmap(Room{}, o.learn, [&](int step, double loss) {
      if (shown) fmt::print(stderr, "\r\x1b[Kstep {}/{} loss {:.4g}", step, o.learn.steps, loss);
      return !StopSignal::flag();
    });
  }();
  if (shown) fmt::print(stderr, "\r\x1b[K");
  if (StopSignal::flag()) throw Interrupted("interrupted; nothing is written");
  return r;
}

/// Learned once; a finished one is read from the store.
std::vector<Run> stored(const HeatmapCommand& o, const ExperimentRecord& record) {
  ResultStore store = ResultStore::open(std::filesystem::path(o.out) / "heatmap.db");
  store.declare(record);
  if (store.finished(record.id).empty()) store.append(heatmap_runs(o.learn, learn(o)));
  return store.runs(record.id);
}

void run(HeatmapCommand o) {
  o.learn.objective = objective_named(o.objective);
  o.learn.seed = o.common.seed;
  make_folder(o.out);
  const ExperimentRecord record = heatmap_record(o.learn);
  const std::vector<Run> runs = stored(o, record);
  const nlohmann::json j = describe(o, heatmap_rows(runs));
  const std::filesystem::path base = std::filesystem::path(o.out) / ("heatmap-" + o.objective);
  write_text_file(base.string() + ".json", speder::cli::json_text(j, 1) + "\n");
  const ReportSection section = heatmap_section({record, runs});
  const Figure& figure = section.report.figures.front();
  render(figure, Picture::kPng, base.string() + ".png");
  write_text_file(base.string() + ".csv", to_csv(figure));
  if (o.common.json) {
    fmt::print("{}\n", speder::cli::json_text(j));
  } else {
    print(j);
  }
}

}  // namespace

void add_heatmap(CLI::App& app) {
  auto o = std::make_shared<HeatmapCommand>();
  CLI::App* command =
      app.add_subcommand("heatmap", "Learn the empty room's transition density and draw it");
  command->footer(
      "s' = s + 2a + N(0, I) in the room [-5, 5]^2. dual is the paper's objective with its soft\n"
      "constraint: the shape is what it can show, the mass before scaling is arbitrary. exact\n"
      "minimises the L2 distance itself. The folder gets heatmap-<objective>.png, .csv and "
      ".json,\nand heatmap.db, which speder deep report puts on a page.\n\n"
      "Example: speder deep heatmap --objective exact --steps 20000 --lr 1e-3 --out runs/room");
  add_common(*command, o->common);
  command->add_option("--objective", o->objective, "dual or exact")
      ->capture_default_str()
      ->check(CLI::IsMember({"dual", "exact"}));
  command->add_option("--steps", o->learn.steps, "Learning steps")
      ->capture_default_str()
      ->check(CLI::Range(1, 100'000'000));
  command->add_option("--features", o->learn.features, "d")
      ->capture_default_str()
      ->check(CLI::Range(1, 4096));
  command->add_option("--hidden", o->learn.hidden, "Widths of the hidden layers")
      ->capture_default_str()
      ->check(CLI::Range(1, 4096));
  command->add_option("--batch", o->learn.batch, "Minibatch size")
      ->capture_default_str()
      ->check(CLI::Range(2, 65536));
  command->add_option("--lr", o->learn.learning_rate, "Adam's learning rate")
      ->capture_default_str()
      ->check(CLI::Range(1e-9, 1.0));
  command->add_option("--ortho", o->learn.ortho, "Weight of the orthonormality penalty (dual)")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  command->add_option("--out", o->out, "Folder for the picture and the numbers")->required();
  command->callback([o] { run(*o); });
}

}  // namespace speder::deep::cli

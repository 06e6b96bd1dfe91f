#include "deep/room/heatmap.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/check.hpp"
#include "deep/cli/command.hpp"
#include "deep/cli/coverage.hpp"
#include "deep/cli/training.hpp"
#include "plots/render.hpp"

namespace speder::deep::cli {
namespace {

constexpr double kPeakLimit = 0.5;  // half a standard deviation of the noise

struct Options {
  Common common;
  std::string objective = "dual";
  HeatmapOptions learn;
  std::string out;
};

Panel panel(const Room& room, const RoomQuery& q, const Matrix& density, const std::string& title) {
  const Index n = density.rows();
  const double step = room.side / static_cast<double>(n), first = (step - room.side) / 2;
  const Place aim = target(room, q);
  const HeatAxis axis{first, step, n, n / 10, n / 5};
  Panel p{.title = title, .x = {.label = "x"}, .y = {.label = "y"}};
  p.heat = HeatMap{.label = "density",
                   .columns = axis_labels(axis),
                   .rows = axis_labels(axis),
                   .values = density};
  p.series.push_back({.label = "s + a t",
                      .x = {(aim.x - first) / step},
                      .y = {(aim.y - first) / step},
                      .mark = Mark::kPoints,
                      .colour = 1});
  return p;
}

Figure figure(const Room& room, const Options& o, const HeatmapResult& r) {
  Figure f{.id = "heatmap-" + o.objective,
           .caption = fmt::format(
               "Transition density of the empty room learned with the {} objective ({} steps, d = "
               "{}), negative values cut and scaled to mass 1, beside the truth; the dot is s + a "
               "t.",
               o.objective, r.steps, o.learn.features),
           .panels = {},
           .columns = 2};
  for (std::size_t i = 0; i < r.raw.size(); ++i) {
    const RoomQuery& q = o.learn.queries[i];
    const std::string name =
        fmt::format("s = ({}, {}), a = ({}, {})", q.from.x, q.from.y, q.velocity.x, q.velocity.y);
    f.panels.push_back(panel(room, q, clipped_to_mass_one(room, r.raw[i]), "learned: " + name));
    f.panels.push_back(panel(room, q, true_density_grid(room, q, r.raw[i].rows()), "truth"));
  }
  return f;
}

nlohmann::json describe(const Options& o, const HeatmapResult& r) {
  nlohmann::json queries = nlohmann::json::array();
  bool pass = true;
  for (std::size_t i = 0; i < r.scores.size(); ++i) {
    const RoomQuery& q = o.learn.queries[i];
    const DensityScore& s = r.scores[i];
    pass = pass && s.peak_offset <= kPeakLimit;
    queries.push_back({{"from", {q.from.x, q.from.y}},
                       {"velocity", {q.velocity.x, q.velocity.y}},
                       {"peak_offset", s.peak_offset},
                       {"mean_offset", s.mean_offset},
                       {"l1", s.l1},
                       {"mass", s.mass}});
  }
  return {{"objective", o.objective},
          {"steps", r.steps},
          {"seed", o.common.seed},
          {"features", o.learn.features},
          {"batch", o.learn.batch},
          {"hidden", o.learn.hidden},
          {"learning_rate", o.learn.learning_rate},
          {"loss", r.loss},
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

void run(Options o) {
  o.learn.objective = objective_named(o.objective);
  o.learn.seed = o.common.seed;
  at::set_num_threads(1);
  std::filesystem::create_directories(o.out);
  const Room room;
  const StopSignals signals;
  const bool shown = ::isatty(STDERR_FILENO) != 0 && !o.common.json;
  const HeatmapResult r = learn_heatmap(room, o.learn, [&](int step, double loss) {
    if (shown) fmt::print(stderr, "\r\x1b[Kstep {}/{} loss {:.4g}", step, o.learn.steps, loss);
    return !StopSignals::requested();
  });
  if (shown) fmt::print(stderr, "\r\x1b[K");
  if (StopSignals::requested()) throw InputError("interrupted; nothing is written");
  const nlohmann::json j = describe(o, r);
  const std::filesystem::path base = std::filesystem::path(o.out) / ("heatmap-" + o.objective);
  std::ofstream(base.string() + ".json") << j.dump(1) << "\n";
  const Figure f = figure(room, o, r);
  render(f, Picture::kPng, base.string() + ".png");
  std::ofstream(base.string() + ".csv") << to_csv(f);
  if (o.common.json) {
    fmt::print("{}\n", j.dump());
  } else {
    print(j);
  }
}

}  // namespace

void add_heatmap(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("heatmap", "Learn the empty room's transition density and draw it");
  command->footer(
      "s' = s + 2a + N(0, I) in the room [-5, 5]^2. dual is the paper's objective with its soft\n"
      "constraint: the shape is what it can show, the mass before scaling is arbitrary. exact\n"
      "minimises the L2 distance itself. The folder gets heatmap-<objective>.png, .csv and "
      ".json.\n\n"
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

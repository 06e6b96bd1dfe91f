#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "speder/cli/program.hpp"
#include "speder/core/check.hpp"
#include "speder/core/rng.hpp"
#include "speder/deep/cli/command.hpp"
#include "speder/deep/imitate/figures.hpp"
#include "speder/deep/sim/data/generate.hpp"
#include "speder/deep/sim/data_files.hpp"
#include "speder/deep/sim/maze/models.hpp"
#include "speder/plots/render/render.hpp"
#include "speder/sweep/stop_signal.hpp"

namespace speder::deep::cli {
namespace {

struct DataOptions {
  Common common;
  GenerateOptions generate;
  std::string out, picture;
  int threads = 1;
  int compress = 0;
};

struct InfoOptions {
  Common common;
  std::string file;
  ReadOptions read;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void draw_bar(std::int64_t done, std::int64_t of, double seconds) {
  constexpr int kWidth = 30;
  const double share = static_cast<double>(done) / static_cast<double>(of);
  const auto full = static_cast<std::size_t>(share * kWidth);
  fmt::print(stderr, "\r\x1b[K[{}{}] {}/{}  {:.0f} s, {:.0f} s left", std::string(full, '#'),
             std::string(kWidth - full, '.'), done, of, seconds, seconds / share - seconds);
  std::fflush(stderr);
}

std::function<Walk()> make_walk(const GenerateOptions& o, const std::filesystem::path& packages) {
  if (o.body == "point") return [] { return point_walk(); };
  const EnvSpec spec = load_physics("AntDirection", packages)->spec;
  return [spec, file = o.policy] { return ant_walk(network_controller(file, spec)); };
}

void report(const DataOptions& o, const GenerateResult& r, double seconds) {
  const double rate = static_cast<double>(r.rows - r.resumed) / std::max(seconds, 1e-9);
  if (o.common.json) {
    fmt::print("{}\n", speder::cli::json_text(nlohmann::json{{"out", o.out},
                                                             {"rows", r.rows},
                                                             {"episodes", r.episodes},
                                                             {"attempts", r.attempts},
                                                             {"unstable", r.unstable},
                                                             {"resumed", r.resumed},
                                                             {"seconds", seconds},
                                                             {"rows_per_second", rate}}));
    return;
  }
  fmt::print("{}: {} rows, {} episodes of {}, {:.1f} s, {:.0f} rows/s\n", o.out, r.rows, r.episodes,
             r.attempts, seconds, rate);
  if (r.unstable > 0) warn(fmt::format("{} unstable episode(s)", r.unstable));
}

void run(const DataOptions& o) {
  const auto start = std::chrono::steady_clock::now();
  const auto packages = packages_folder(o.common.packages);
  if (!o.picture.empty()) (void)picture_format(o.picture);
  (void)find_layout(o.generate.layout);
  GenerateOptions generate_options = o.generate;
  generate_options.seed = o.common.seed;
  if (o.generate.body == "ant") {
    generate_options.policy = walking_policy(o.generate.policy).string();
  }
  const std::string task =
      fmt::format("{}-{}", o.generate.body == "ant" ? "AntMaze" : "PointMaze", o.generate.layout);
  const auto physics = load_physics(task, packages);
  GeneratePlace place{.out = o.out,
                      .threads = o.threads,
                      .compress = o.compress,
                      .progress = {},
                      .stop = [] { return StopSignal::flag().load(); },
                      .warning = warn};
  const bool terminal = ::isatty(STDERR_FILENO) != 0 && !o.common.json;
  if (terminal) {
    place.progress = [start](std::int64_t done, std::int64_t of) {
      draw_bar(done, of, seconds_since(start));
    };
  }
  const GenerateResult result = [&] {
    const StopSignal signal;
    return generate(generate_options, physics, make_walk(generate_options, packages), place);
  }();
  if (terminal) fmt::print(stderr, "\r\x1b[K");
  if (!result.finished) {
    throw Interrupted(fmt::format("interrupted; the same command goes on from {}.part", o.out));
  }
  report(o, result, seconds_since(start));
  if (o.picture.empty()) return;
  const Maze maze(find_layout(o.generate.layout), o.generate.body == "ant" ? kAntCell : kPointCell);
  render_with_csv(coverage_figure(read_d4rl(o.out), maze, task + " " + o.generate.style),
                  o.picture);
}

void info(const InfoOptions& o) {
  const auto start = std::chrono::steady_clock::now();
  const OfflineData data = read_offline(o.file, o.read);
  double reward = 0, observation = 0, action = 0;
  for (const float v : data.rewards) reward += v;
  for (const float v : data.observations) observation += v;
  for (const float v : data.actions) action += v;
  const std::int64_t ends = std::count(data.terminals.begin(), data.terminals.end(), 1);
  if (o.common.json) {
    fmt::print("{}\n",
               speder::cli::json_text(nlohmann::json{{"rows", data.rows()},
                                                     {"trajectories", data.trajectories()},
                                                     {"transitions", data.transitions().size()},
                                                     {"observation_size", data.observation_size},
                                                     {"action_size", data.action_size},
                                                     {"terminals", ends},
                                                     {"reward_sum", reward},
                                                     {"observation_sum", observation},
                                                     {"action_sum", action},
                                                     {"seconds", seconds_since(start)}}));
    return;
  }
  fmt::print(
      "{}: {} rows, {} trajectories, {} transitions; {} observations, {} actions;\n"
      "rewards sum to {:g}, {} terminals; read in {:.2f} s\n",
      o.file, data.rows(), data.trajectories(), data.transitions().size(), data.observation_size,
      data.action_size, reward, ends, seconds_since(start));
}

struct DataBenchOptions {
  Common common;
  std::int64_t rows = 1'000'000;
  std::string out = "speder-data-bench.h5";
};

/// Writes and reads back a file of the ant's width, as the generator and the learner do.
void bench(const DataBenchOptions& o) {
  const auto rows = static_cast<std::size_t>(o.rows);
  Rng rng = SeedTree(o.common.seed).stream("data-bench");
  auto start = std::chrono::steady_clock::now();
  {
    OfflineData data{.observation_size = 29,
                     .action_size = 8,
                     .observations = {},
                     .actions = {},
                     .rewards = std::vector<float>(rows),
                     .terminals = std::vector<std::uint8_t>(rows),
                     .last = std::vector<std::uint8_t>(rows),
                     .goal = std::vector<float>(2 * rows),
                     .position_size = 15};
    data.observations.resize(29 * rows);
    for (float& v : data.observations) v = static_cast<float>(rng.uniform());
    data.actions.resize(8 * rows);
    start = std::chrono::steady_clock::now();
    write_d4rl(o.out, data, "bench");
  }
  const double written = seconds_since(start);
  start = std::chrono::steady_clock::now();
  const std::size_t read = read_d4rl(o.out, {.max_episode_steps = 1000, .jump = 0}).rows();
  const double seconds = seconds_since(start);
  std::filesystem::remove(o.out);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const double peak_mib = static_cast<double>(usage.ru_maxrss) / 1024;
  if (o.common.json) {
    fmt::print("{}\n", speder::cli::json_text(nlohmann::json{{"rows", read},
                                                             {"write_seconds", written},
                                                             {"read_seconds", seconds},
                                                             {"peak_mib", peak_mib}}));
    return;
  }
  fmt::print("{} rows: written in {:.2f} s, read in {:.2f} s, at most {:.0f} MiB of memory\n", read,
             written, seconds, peak_mib);
}

void add_maker(CLI::App& data, const char* name, const char* what, bool ant) {
  auto o = std::make_shared<DataOptions>();
  CLI::App* command = data.add_subcommand(name, what);
  o->generate.body = ant ? "ant" : "point";
  o->generate.noise = ant ? 0.2 : 0.5;
  o->generate.new_goal = !ant;
  add_common(*command, o->common);
  command->add_option("--layout", o->generate.layout, "medium or large")->capture_default_str();
  command->add_option("--style", o->generate.style, "diverse, play or expert")
      ->capture_default_str();
  command->add_option("--transitions", o->generate.transitions, "Rows of diverse and play")
      ->capture_default_str()
      ->check(CLI::Range(1, 100'000'000));
  command->add_option("--episodes", o->generate.episodes, "Successful episodes of expert")
      ->capture_default_str()
      ->check(CLI::Range(1, 100'000));
  command->add_option("--noise", o->generate.noise, "Standard deviation of the action noise")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 10.0));
  command
      ->add_option("--new-goal", o->generate.new_goal,
                   "Replace a goal when it is reached (true) or keep it (false)")
      ->capture_default_str();
  command->add_option("--out", o->out, "HDF5 file to write, in D4RL's layout")->required();
  command->add_option("--picture", o->picture, "Draw the coverage into this .svg, .png or .pdf");
  command->add_option("--threads", o->threads, "Threads; changes no number")
      ->capture_default_str()
      ->check(CLI::Range(1, 256));
  command->add_option("--compress", o->compress, "gzip level of the file; 0 for none")
      ->capture_default_str()
      ->check(CLI::Range(0, 9));
  if (ant) {
    command->add_option("--policy", o->generate.policy,
                        "Walking policy: policy.h5 of speder deep train --env AntDirection "
                        "(default: the one that comes with the program)");
  }
  command->callback([o] { run(*o); });
}

}  // namespace

void add_data(CLI::App& app) {
  CLI::App* data = app.add_subcommand("data", "Make and inspect maze data sets");
  data->require_subcommand(1);
  data->footer(
      "Examples:\n"
      "  speder deep data pointmaze --layout large --style diverse --transitions 1000000 --out "
      "d.h5 "
      "--picture d.png\n"
      "  speder deep data pointmaze --layout large --style expert --episodes 10 --noise 0.1 --out "
      "e.h5\n"
      "  speder deep data antmaze --layout medium --style play --out a.h5\n"
      "  speder deep data info d.h5\n\n"
      "diverse: starts and goals anywhere; play: hand-picked goals; expert: from the start to the\n"
      "evaluation goal, successful episodes only. An interrupted command goes on where it was.");
  add_maker(*data, "pointmaze", "Waypoint follower with a ball", false);
  add_maker(*data, "antmaze", "Waypoint follower with the ant and a walking policy", true);
  auto o = std::make_shared<InfoOptions>();
  CLI::App* command =
      data->add_subcommand("info", "Count a D4RL or Minari file, or one of rollout --out");
  add_common(*command, o->common);
  command->add_option("file", o->file, "HDF5 file, or a Minari data set's folder")->required();
  command
      ->add_option("--jump", o->read.jump,
                   "A longer step of the first two observations ends a trajectory; 0: never")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  command
      ->add_option("--max-episode-steps", o->read.max_episode_steps,
                   "Cut files without timeouts every so many rows")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000'000));
  command->callback([o] { info(*o); });
  auto b = std::make_shared<DataBenchOptions>();
  command = data->add_subcommand("bench", "Time and memory of writing and reading a large file");
  add_common(*command, b->common);
  command->add_option("--rows", b->rows, "Rows of 29 observations and 8 actions")
      ->capture_default_str()
      ->check(CLI::Range(1, 10'000'000));
  command->add_option("--out", b->out, "Scratch file, removed afterwards")->capture_default_str();
  command->callback([b] { bench(*b); });
}

}  // namespace speder::deep::cli

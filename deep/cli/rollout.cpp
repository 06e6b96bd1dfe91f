#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "speder/cli/program.hpp"
#include "speder/core/check.hpp"
#include "speder/deep/cli/command.hpp"
#include "speder/deep/sim/data/minari.hpp"
#include "speder/deep/sim/render/renderer.hpp"
#include "speder/deep/sim/render/video.hpp"
#include "speder/deep/sim/rollout.hpp"

namespace speder::deep::cli {
namespace {

constexpr double kMaxFramesPerSecond = 30;
constexpr std::uint64_t kMaxValues = std::uint64_t{1} << 30U;

struct RolloutOptions {
  Common common;
  std::string env;
  std::string policy = "random";
  int episodes = 1;
  std::string initial_state, actions, out, video;
  std::string format = "rollout";
};

/// Renders every k-th state so that playback runs in simulated time at no more than 30 frames a
/// second.
class Film {
 public:
  Film(const Physics& physics, const std::filesystem::path& path)
      : renderer_(checked(physics)),
        stride_(static_cast<int>(std::ceil(1 / (kMaxFramesPerSecond * physics.spec.control_step)))),
        writer_(path, {renderer_.width(), renderer_.height(),
                       1 / (stride_ * physics.spec.control_step)}) {}
  void operator()(Env& env) {
    if (env.steps() % stride_ == 0) writer_.write(renderer_.render(*env.world().data));
  }
  void finish() { writer_.finish(); }

 private:
  static const mjModel& checked(const Physics& physics) {
    if (physics.model) return *physics.model;
    throw InputError(physics.spec.name +
                     " has closed-form dynamics and no model to draw: no video");
  }
  Renderer renderer_;
  int stride_;
  VideoWriter writer_;
};

Controller choose_policy(const RolloutOptions& options, const EnvSpec& spec, Rng& rng) {
  if (options.policy == "random") return random_controller(rng);
  if (options.policy == "zero") return zero_controller();
  return network_controller(options.policy, spec);
}

/// The given state, or a draw of the task's own distribution.
void start(Env& env, const RolloutOptions& options, Rng& rng) {
  if (options.initial_state.empty()) {
    env.reset(rng);
    return;
  }
  const H5File file = H5File::open(options.initial_state);
  try {
    env.place(file.read("qpos", kMaxValues).values, file.read("qvel", kMaxValues).values);
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("{}: {}", options.initial_state, error.what()));
  }
}

Trajectory replay(Env& env, const RolloutOptions& options, const FrameObserver& observer) {
  const H5Array actions = H5File::open(options.actions).read("actions", kMaxValues);
  try {
    return replay_actions(env, actions, observer);
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("{}: {}", options.actions, error.what()));
  }
}

std::vector<Trajectory> simulate(const RolloutOptions& options,
                                 const std::shared_ptr<const Physics>& physics) {
  const SeedTree seeds(options.common.seed);
  const bool given = !options.actions.empty();
  Env env(physics, {.keep_going = given});
  Rng noise = seeds.stream("policy");
  const Controller policy = choose_policy(options, physics->spec, noise);
  std::unique_ptr<Film> film;
  if (!options.video.empty()) film = std::make_unique<Film>(*physics, options.video);
  const FrameObserver observer =
      film ? FrameObserver([&](Env& e) { (*film)(e); }) : FrameObserver();
  std::vector<Trajectory> all;
  for (int e = 0; e < options.episodes; ++e) {
    Rng rng = seeds.stream("episode", static_cast<std::uint64_t>(e));
    start(env, options, rng);
    all.push_back(given ? replay(env, options, observer) : run_episode(env, policy, observer));
  }
  if (film) film->finish();
  return all;
}

const char* ending(const Trajectory& t) {
  if (t.unstable) return "unstable";
  if (t.steps() > 0 && t.terminated.back() != 0) return "terminated";
  if (t.steps() > 0 && t.truncated.back() != 0) return "truncated";
  return "running";
}

void report(const RolloutOptions& options, const std::vector<Trajectory>& all) {
  double total = 0;
  int unstable = 0;
  nlohmann::json episodes = nlohmann::json::array();
  for (const Trajectory& t : all) {
    total += t.total_reward();
    unstable += t.unstable ? 1 : 0;
    episodes.push_back({{"return", t.total_reward()}, {"length", t.steps()}, {"end", ending(t)}});
  }
  const double mean = total / static_cast<double>(all.size());
  if (options.common.json) {
    const nlohmann::json row = {{"env", options.env},          {"policy", options.policy},
                                {"seed", options.common.seed}, {"episodes", episodes},
                                {"mean_return", mean},         {"unstable_episodes", unstable}};
    fmt::print("{}\n", speder::cli::json_text(row));
    return;
  }
  fmt::print("{:>7} {:>12} {:>7}  {}\n", "episode", "return", "length", "end");
  for (std::size_t i = 0; i < all.size(); ++i) {
    fmt::print("{:>7} {:>12.4f} {:>7}  {}\n", i, all[i].total_reward(), all[i].steps(),
               ending(all[i]));
  }
  fmt::print("{:>7} {:>12.4f}\n", "mean", mean);
  if (unstable > 0) warn(fmt::format("{} unstable episode(s)", unstable));
}

void run(const RolloutOptions& options) {
  if (options.format == "minari" && options.out.empty())
    throw InputError("rollout: --format minari needs --out FOLDER");
  const auto physics = load_physics(options.env, packages_folder(options.common.packages));
  const std::vector<Trajectory> all = simulate(options, physics);
  if (options.format == "minari") {
    write_minari(options.out, physics->spec, all);
  } else if (!options.out.empty()) {
    write_trajectories(options.out, physics->spec, all);
  }
  report(options, all);
}

}  // namespace

void add_rollout(CLI::App& app) {
  auto o = std::make_shared<RolloutOptions>();
  CLI::App* command = app.add_subcommand("rollout", "Run episodes, or replay given actions");
  command->footer(
      "Examples:\n"
      "  speder deep rollout --env hopper_hop --policy random --episodes 3 --video hop.mp4\n"
      "  speder deep rollout --env Ant-ET --initial-state s.h5 --actions a.h5 --out t.h5\n"
      "  speder deep rollout --env Hopper-ET --episodes 10 --format minari --out hopper\n\n"
      "s.h5 holds qpos and qvel, a.h5 holds actions (T, A) in [-1, 1]; t.h5 gets observations\n"
      "(T+1, D), rewards (T), terminated (T), truncated (T), actions, lengths, qpos and qvel. A\n"
      "replay runs through all T actions, past any end; only a simulation that blows up stops it.\n"
      "A policy file is HDF5 with weight_0 (H, D), bias_0 (H), weight_1 ...: a network with ReLU\n"
      "between layers and tanh at the end.");
  add_common(*command, o->common);
  command->add_option("--env", o->env, "Task, as listed by: speder deep envs")->required();
  command->add_option("--policy", o->policy, "random, zero, or a network file")
      ->capture_default_str();
  auto* episodes = command->add_option("--episodes", o->episodes, "Number of episodes");
  episodes->capture_default_str()->check(CLI::Range(1, 1'000'000));
  command->add_option("--initial-state", o->initial_state,
                      "Start from qpos and qvel of this HDF5 file");
  command->add_option("--actions", o->actions, "Replay the actions of this HDF5 file")
      ->excludes(episodes);
  command->add_option("--out", o->out,
                      "Write the trajectories to this HDF5 file, or folder (minari)");
  command
      ->add_option("--format", o->format,
                   "Of --out: rollout, one HDF5 file; minari, a folder that "
                   "minari.MinariDataset(FOLDER/data) "
                   "loads")
      ->check(CLI::IsMember({"rollout", "minari"}))
      ->capture_default_str();
  command->add_option("--video", o->video, "Film the episodes into this file (needs ffmpeg)");
  command->callback([o] { run(*o); });
}

}  // namespace speder::deep::cli

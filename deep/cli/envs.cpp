#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "speder/cli/program.hpp"
#include "speder/deep/cli/command.hpp"
#include "speder/deep/sim/env/env.hpp"
#include "speder/deep/sim/env_speed.hpp"

namespace speder::deep::cli {
namespace {

struct EnvsOptions {
  Common common;
  double seconds = 0.1;
};

nlohmann::json describe(const EnvSpec& spec, double speed) {
  return {{"name", spec.name},
          {"suite", spec.suite},
          {"observation_size", spec.observation_size},
          {"action_size", spec.action_size},
          {"action_low", spec.action_low},
          {"action_high", spec.action_high},
          {"control_step", spec.control_step},
          {"physics_steps_per_step", spec.physics_steps},
          {"max_steps", spec.max_steps},
          {"physics_steps_per_second", speed}};
}

void print_row(const EnvSpec& spec, const Task& task, double speed) {
  const std::string rate = speed > 0 ? fmt::format("{:.0f}", speed) : "-";
  fmt::print("{:<19} {:<5} {:>5} {:>4} {:>7.3g} {:>9.3g} {:>6} {:>10}  {}\n", spec.name, spec.suite,
             spec.observation_size, spec.action_size, spec.action_high[0], spec.control_step,
             spec.max_steps, rate, task.description);
}

void run(const EnvsOptions& options) {
  const auto packages = packages_folder(options.common.packages);
  nlohmann::json list = nlohmann::json::array();
  if (!options.common.json) {
    fmt::print("{:<19} {:<5} {:>5} {:>4} {:>7} {:>9} {:>6} {:>10}\n", "task", "suite", "obs", "act",
               "action±", "step (s)", "limit", "physics/s");
  }
  for (const Task& task : tasks()) {
    const auto physics = load_physics(task.name, packages);
    double speed = 0;
    if (options.seconds > 0) {
      const SpeedOptions measure{
          .seconds = options.seconds, .repeats = 1, .seed = options.common.seed};
      speed = env_speed(physics, measure) * physics->spec.physics_steps;
    }
    if (options.common.json) {
      list.push_back(describe(physics->spec, speed));
    } else {
      print_row(physics->spec, task, speed);
      std::fflush(stdout);
    }
  }
  if (options.common.json)
    fmt::print("{}\n", speder::cli::json_text(nlohmann::json{{"envs", list}}));
}

}  // namespace

void add_envs(CLI::App& app) {
  auto options = std::make_shared<EnvsOptions>();
  CLI::App* command = app.add_subcommand("envs", "List the tasks: sizes, limits, measured speed");
  command->footer(
      "obs and act are sizes; action± is the task's own unit (the interface takes [-1, 1]);\n"
      "limit is the step that truncates an episode; physics/s counts physics steps per CPU-second\n"
      "with random actions, resets included.\n\n"
      "Example: speder deep envs --seconds 0.5");
  add_common(*command, options->common);
  command->add_option("--seconds", options->seconds, "CPU time per task for the speed; 0 skips it")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 60.0));
  command->callback([options] { run(*options); });
}

}  // namespace speder::deep::cli

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "speder/cli/program.hpp"
#include "speder/deep/cli/command.hpp"
#include "speder/deep/sim/env_speed.hpp"

namespace speder::deep::cli {
namespace {

struct BenchEnvOptions {
  Common common;
  std::vector<std::string> envs;
  double seconds = 0.2;
  int repeats = 9;
  int members = 16;
  int threads = 2;
};

struct Row {
  std::string name;
  WrapperSpeed wrapper;
  VectorSpeed vector;
};

Row measure(const std::string& name, const BenchEnvOptions& options) {
  const auto physics = load_physics(name, packages_folder(options.common.packages));
  const SpeedOptions speed{options.seconds, options.repeats, options.common.seed};
  Row row{.name = name, .wrapper = wrapper_speed(physics, speed), .vector = {}};
  if (options.members > 0) {
    row.vector = vector_speed(physics, options.members, options.threads, speed);
  }
  return row;
}

void print_row(const Row& row) {
  const bool bare = row.wrapper.ratio > 0;
  fmt::print("{:<19} {:>11.0f} {:>11} {:>7} {:>11.0f} {:>11.0f} {:>7.2f}\n", row.name,
             row.wrapper.env_steps_per_second,
             bare ? fmt::format("{:.0f}", row.wrapper.bare_steps_per_second) : "-",
             bare ? fmt::format("{:.1f}%", 100 * row.wrapper.ratio) : "-", row.vector.one_thread,
             row.vector.many_threads, row.vector.ratio);
  std::fflush(stdout);
}

nlohmann::json describe(const Row& row) {
  nlohmann::json j = {{"name", row.name},
                      {"env_steps_per_cpu_second", row.wrapper.env_steps_per_second},
                      {"vector_one_thread", row.vector.one_thread},
                      {"vector_many_threads", row.vector.many_threads},
                      {"vector_ratio", row.vector.ratio}};
  if (row.wrapper.ratio > 0) {
    j["bare_steps_per_cpu_second"] = row.wrapper.bare_steps_per_second;
    j["ratio"] = row.wrapper.ratio;
  }
  return j;
}

void run(const BenchEnvOptions& options) {
  std::vector<std::string> names = options.envs;
  if (names.empty()) {
    for (const Task& task : tasks()) names.emplace_back(task.name);
  }
  if (!options.common.json) {
    fmt::print("{:<19} {:>11} {:>11} {:>7} {:>11} {:>11} {:>7}\n", "task", "env", "bare", "ratio",
               "1 thread", fmt::format("{} threads", options.threads), "scale");
  }
  nlohmann::json list = nlohmann::json::array();
  for (const std::string& name : names) {
    const Row row = measure(name, options);
    if (options.common.json) {
      list.push_back(describe(row));
    } else {
      print_row(row);
    }
  }
  if (options.common.json)
    fmt::print("{}\n", speder::cli::json_text(nlohmann::json{{"bench", list}}));
}

}  // namespace

void add_bench_env(CLI::App& app) {
  auto o = std::make_shared<BenchEnvOptions>();
  CLI::App* command = app.add_subcommand("bench-env", "Measure the environments' speed");
  command->footer(
      "env and bare: control steps per CPU-second of the environment and of a loop of the same\n"
      "MuJoCo calls on the same states and actions, resets included; ratio: median over paired,\n"
      "alternating samples (100% = no overhead; closed-form tasks make no MuJoCo calls).\n"
      "1 thread, N threads: control steps per second of wall clock of a vectorised environment.\n\n"
      "Example: speder deep bench-env --env cheetah_run --env Ant-ET --repeats 21");
  add_common(*command, o->common);
  command->add_option("--env", o->envs, "Task to measure, again for more (default: all)");
  command->add_option("--seconds", o->seconds, "CPU time per sample")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 60.0));
  command->add_option("--repeats", o->repeats, "Paired samples per number")
      ->capture_default_str()
      ->check(CLI::Range(1, 10'000));
  command->add_option("--members", o->members, "Environments in the vectorised run; 0 skips it")
      ->capture_default_str()
      ->check(CLI::Range(0, 4096));
  command->add_option("--threads", o->threads, "Threads in the vectorised run")
      ->capture_default_str()
      ->check(CLI::Range(1, 256));
  command->callback([o] { run(*o); });
}

}  // namespace speder::deep::cli

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "speder/cli/program.hpp"
#include "speder/core/check.hpp"
#include "speder/deep/cli/command.hpp"
#include "speder/deep/cli/training.hpp"
#include "speder/deep/train/update_speed.hpp"

namespace speder::deep::cli {
namespace {

struct BenchUpdateOptions {
  bool json = false;
  int width = 0;  // 0: the preset's sizes
  std::string algorithm = "speder";
  TrainingOptions training;
  UpdateSpeedOptions speed;
};

AgentConfig chosen(const BenchUpdateOptions& o) {
  if (o.algorithm == "ppo") {
    throw InputError(
        "bench-update is not for ppo: it takes many small steps on a rollout, not one");
  }
  const std::string set = override_text(o.training);
  AgentConfig config =
      read_train_config(
          preset_path(o.training.preset),
          set + fmt::format("env = \"HalfCheetah\"\nalgorithm = \"{}\"\n", o.algorithm))
          .agent;
  config.pretrain = 1;
  config.explore_steps = std::numeric_limits<int>::max();
  // a fit of 500 steps cannot end sooner, so that its products can be counted
  config.model_steps = std::min(config.model_steps, 500);
  if (o.width == 0) return config;
  const ConfigTable given = ConfigTable::parse(set, "command line");
  config.feature_dim = o.width;
  config.feature_hidden = {o.width, o.width};
  if (!given.has("critic_width")) config.critic_width = o.width;
  return config;
}

void run(const BenchUpdateOptions& o) {
  // HalfCheetah's sizes: 17 observations, 6 actions. Its name is that of a task whose reward is known.
  const EnvSpec spec{.name = "HalfCheetah",
                     .suite = "",
                     .observation_size = 17,
                     .action_size = 6,
                     .action_low = std::vector<double>(6, -1),
                     .action_high = std::vector<double>(6, 1)};
  const AgentConfig config = chosen(o);
  const UpdateSpeed s = update_speed(config, spec, o.speed);
  const bool counted = s.gflop_per_update > 0;
  const bool plans = s.actions_per_second > 0;
  if (o.json) {
    nlohmann::json row = {{"width", config.critic_width},
                          {"updates_per_cpu_second", s.updates_per_second},
                          {"sampling_share", s.sampling_share},
                          {"sgemm_gflops", s.sgemm_gflops},
                          {"resident_mib", s.resident_mib}};
    if (counted) {
      row["gflop_per_update"] = s.gflop_per_update;
      row["peak_fraction"] = s.peak_fraction;
    }
    if (plans) {
      row["actions_per_cpu_second"] = s.actions_per_second;
      row["gflop_per_action"] = s.gflop_per_action;
      row["action_peak_fraction"] = s.action_peak_fraction;
    }
    fmt::print("{}\n", speder::cli::json_text(row));
    return;
  }
  const std::string sizes = o.width == 0 ? fmt::format("preset {}", o.training.preset)
                                         : fmt::format("width {}, batch {}", o.width, config.batch);
  fmt::print("{} at {}, one thread, per CPU-second:\n", o.algorithm, sizes);
  fmt::print("  {:.1f} updates/s", s.updates_per_second);
  if (counted) {
    fmt::print("; {:.2f} GFLOP each, {:.0f}% of this core's {:.0f} GFLOPS sgemm",
               s.gflop_per_update, 100 * s.peak_fraction, s.sgemm_gflops);
  }
  fmt::print("\n");
  if (plans) {
    fmt::print("  {:.1f} planned actions/s; {:.2f} GFLOP each, {:.0f}% of sgemm\n",
               s.actions_per_second, s.gflop_per_action, 100 * s.action_peak_fraction);
  }
  fmt::print("  drawing minibatches {:.1f}% of the time; {:.0f} MiB resident without the buffer\n",
             100 * s.sampling_share, s.resident_mib);
}

}  // namespace

void add_bench_update(CLI::App& app) {
  auto o = std::make_shared<BenchUpdateOptions>();
  CLI::App* command = app.add_subcommand("bench-update", "Speed and memory of one learning update");
  command->footer(
      "Example:\n  speder deep bench-update --width 1024\n\n"
      "tests/bench/compare_update.sh runs it beside the same update in eager PyTorch. The share "
      "of\n"
      "sgemm is counted on the products an update cannot do without; an update of rs and\n"
      "pets-* is a fit of its dynamics, of metrpo a round, of trpo one rollout.");
  command
      ->add_option("--width", o->width,
                   "Width of every layer, and d, of learners with a critic (default: the preset's)")
      ->check(CLI::Range(1, 8192));
  command->add_option("--algorithm", o->algorithm, "Any but ppo")->capture_default_str();
  command->add_option("--preset", o->training.preset, "small, plain, large, paper, or a TOML file")
      ->capture_default_str();
  command->add_option("--set", o->training.set,
                      "Any setting of config.toml, as key=value; may be repeated");
  command->add_option("--updates", o->speed.updates, "Updates per sample")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  command->add_option("--repeats", o->speed.repeats, "Samples; the median counts")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  command->add_flag("--json", o->json, "One JSON object on standard output");
  command->callback([o] { run(*o); });
}

}  // namespace speder::deep::cli

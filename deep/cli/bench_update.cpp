#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "speder/cli/program.hpp"
#include "speder/deep/cli/command.hpp"
#include "speder/deep/train/update_speed.hpp"

namespace speder::deep::cli {
namespace {

struct BenchUpdateOptions {
  bool json = false;
  int width = 256;
  std::string algorithm = "speder";
  std::string objective = "exact";
  bool in_batch = false;
  UpdateSpeedOptions speed;
};

void run(const BenchUpdateOptions& o) {
  // HalfCheetah's sizes: 17 observations, 6 actions.
  const EnvSpec spec{.name = "sizes of HalfCheetah",
                     .suite = "",
                     .observation_size = 17,
                     .action_size = 6,
                     .action_low = {},
                     .action_high = {}};
  AgentConfig config;
  config.algorithm = o.algorithm;
  config.objective = o.objective;
  config.in_batch = o.in_batch;
  config.feature_dim = config.critic_width = o.width;
  config.feature_hidden = {o.width, o.width};
  const UpdateSpeed s = update_speed(config, spec, o.speed);
  const bool counted = o.algorithm == "speder";  // necessary_flops() knows this update alone
  if (o.json) {
    nlohmann::json row = {{"width", o.width},
                          {"updates_per_cpu_second", s.updates_per_second},
                          {"sampling_share", s.sampling_share},
                          {"sgemm_gflops", s.sgemm_gflops},
                          {"resident_mib", s.resident_mib}};
    if (counted) {
      row["gflop_per_update"] = s.gflop_per_update;
      row["peak_fraction"] = s.peak_fraction;
    }
    fmt::print("{}\n", speder::cli::json_text(row));
    return;
  }
  fmt::print("{} at width {}, batch {}, one thread, per CPU-second:\n", o.algorithm, o.width,
             config.batch);
  fmt::print("  {:.1f} updates/s", s.updates_per_second);
  if (counted) {
    fmt::print("; {:.2f} GFLOP each, {:.0f}% of this core's {:.0f} GFLOPS sgemm",
               s.gflop_per_update, 100 * s.peak_fraction, s.sgemm_gflops);
  }
  fmt::print("\n");
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
      "sgemm is counted on the products a SPEDER update cannot do without, for speder alone.");
  command->add_option("--width", o->width, "Width of every layer, and d")
      ->capture_default_str()
      ->check(CLI::Range(1, 8192));
  command->add_option("--algorithm", o->algorithm, "speder sac2 sac3 sac3+ sac5 deepsf")
      ->capture_default_str();
  command->add_option("--objective", o->objective, "dual exact literal")->capture_default_str();
  command->add_flag("--in-batch", o->in_batch,
                    "Base states are the other rows' successors (as --set in_batch=true)");
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

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "speder/cli/program.hpp"
#include "speder/core/check.hpp"
#include "speder/deep/cli/command.hpp"
#include "speder/deep/cli/training.hpp"
#include "speder/deep/learn/agents/agent.hpp"
#include "speder/deep/results/curves.hpp"
#include "speder/deep/sim/exact/exact_task.hpp"
#include "speder/deep/train/checkpoint.hpp"
#include "speder/deep/train/run_folder.hpp"
#include "speder/plots/render/render.hpp"
#include "speder/sweep/stop_signal.hpp"

namespace speder::deep::cli {
namespace {

struct TrainOptions {
  Common common;
  TrainingOptions training;
  std::string env;
  std::string algorithm = "speder";
  std::string out;
  bool resume = false;
};

/// "the mean of its last 3 evaluations"
std::string averaged(const FinalReturn& r) {
  return r.evaluations == 1 ? "its last evaluation"
                            : fmt::format("the mean of its last {} evaluations", r.evaluations);
}

void print_result(const TrainConfig& config, const TrainResult& r, bool json) {
  const auto& result = r.final_return;
  if (json) {
    const nlohmann::json row = {
        {"env", config.env},
        {"algorithm", config.agent.algorithm},
        {"preset", config.preset},
        {"seed", config.seed},
        {"steps", r.steps},
        {"final_return", result ? nlohmann::json(result->mean) : nlohmann::json()},
        {"evaluations", result ? result->evaluations : 0},
        {"finished", r.end == TrainEnd::kFinished},
        {"problem", r.problem}};
    fmt::print("{}\n", speder::cli::json_text(row));
  } else if (r.end == TrainEnd::kFinished && result) {
    fmt::print("{} on {} ({}, seed {}): {:.2f}, {}, {} steps\n", config.agent.algorithm, config.env,
               config.preset, config.seed, result->mean, averaged(*result), r.steps);
  }
}

void warn_if_nothing_is_learned(const TrainConfig& c) {
  if (is_on_policy(c.agent.algorithm) || c.steps > c.random_steps) return;
  warn(
      fmt::format("all {} steps are random and nothing is learned: learning starts after "
                  "random_steps = {}; take more --steps, or --set random_steps={}",
                  c.steps, c.random_steps, c.steps / 10));
}

/// <folder>/curve.svg; a missing renderer must not cost a finished run its result.
void draw_curve(const Run& run, const std::filesystem::path& folder) {
  if (run.measures.empty()) return;
  try {
    render(learning_curves({run}), Picture::kSvg, folder / "curve.svg");
  } catch (const InputError& error) {
    warn(fmt::format("no curve.svg: {}", error.what()));
  }
}

void run(const TrainOptions& o) {
  std::string overrides = override_text(o.training);
  overrides += fmt::format("env = \"{}\"\nalgorithm = \"{}\"\nseed = {}\n", o.env, o.algorithm,
                           o.common.seed);
  TrainConfig config = read_train_config(preset_path(o.training.preset), overrides);
  if (is_exact(o.env) && !ConfigTable::parse(overrides, "command line").has("discount")) {
    config.agent.discount = exact_physics(o.env)->spec.discount;
  }
  const RunFolder folder{.path = o.out,
                         .device = o.training.device,
                         .packages = o.common.packages,
                         .checkpoint_every = o.training.checkpoint_every,
                         .start = o.resume ? Start::kResume : Start::kNew};
  const std::string experiment = fmt::format("deep-train-{}", config.steps);  // longer: a new one
  check_run(config, folder);
  warn_if_nothing_is_learned(config);
  RunStore store(folder.path, experiment, config);
  LiveLine line(config, !o.common.json);
  const TrainResult result = [&] {
    const StopSignal signal;
    return train_in_folder(config, folder, line.observer());
  }();
  line.end();
  print_result(config, result, o.common.json);
  if (result.end == TrainEnd::kInterrupted) {
    throw Interrupted(
        fmt::format("interrupted at step {}; {}", result.steps,
                    has_checkpoint(folder.path)
                        ? "add --resume to go on from the last checkpoint"
                        : "no checkpoint was taken yet: the same command starts again"));
  }
  const Run row = to_run(experiment, config, result, line.seconds());
  store.append(row);
  draw_curve(row, folder.path);
  if (result.end == TrainEnd::kDiverged) {
    throw InputError(fmt::format("stopped: {}; the last good checkpoint is in {}", result.problem,
                                 folder.path.string()));
  }
}

}  // namespace

void add_train(CLI::App& app) {
  auto o = std::make_shared<TrainOptions>();
  CLI::App* command = app.add_subcommand("train", "Train one agent on one task");
  command->footer(
      "Examples:\n"
      "  speder deep train --env HalfCheetah --algorithm speder --preset small --steps 200000 "
      "--out runs/x\n"
      "  speder deep train --env CartPole --algorithm sac3 --set batch=128 --set discount=0.95 "
      "--out runs/y\n"
      "  speder deep train --env HalfCheetah --out runs/x --resume\n\n"
      "The folder gets config.toml (all settings), checkpoint.bin, TensorBoard event files, "
      "policy.h5\n"
      "(for: speder deep rollout --policy), curve.svg and run.db (for: speder deep table). Every "
      "5,000\n"
      "steps and at the end the mean action is scored over 10 episodes; the result is the mean of "
      "the\nlast four scores, or of as many as there are.");
  add_common(*command, o->common);
  add_training(*command, o->training);
  command
      ->add_option("--env", o->env,
                   "Task, as listed by: speder deep envs; or mdp:FILE, an exact MDP seen as unit "
                   "vectors,\nmdp<n>:FILE as n fixed Gaussian numbers a state")
      ->required();
  std::vector<std::string> names(algorithms().begin(), algorithms().end());
  command->add_option("--algorithm", o->algorithm, fmt::format("{}", fmt::join(names, " ")))
      ->capture_default_str()
      ->check(CLI::IsMember(names));
  command->add_option("--out", o->out, "Folder of the run")->required();
  command->add_flag("--resume", o->resume,
                    "Go on from the newest sound checkpoint in --out, which must have one");
  command->callback([o] { run(*o); });
}

}  // namespace speder::deep::cli

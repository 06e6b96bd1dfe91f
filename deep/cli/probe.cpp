#include "speder/deep/train/probe.hpp"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "speder/cli/program.hpp"
#include "speder/deep/cli/command.hpp"
#include "speder/sweep/progress_bar.hpp"

namespace speder::deep::cli {
namespace {

struct ProbeCommand {
  Common common;
  ProbeOptions options;
  std::vector<std::string> folders;
};

nlohmann::json json_of(const ProbeMean& m) { return {{"mean", m.mean}, {"error", m.error}}; }

nlohmann::json json_of(const std::string& folder, const TrainedAgent& run, const Probe& p) {
  return {{"run", folder},
          {"env", run.config.env},
          {"algorithm", run.config.agent.algorithm},
          {"seed", run.config.seed},
          {"steps", run.steps},
          {"q", json_of(p.q)},
          {"return", json_of(p.g)},
          {"correlation_states", p.states},
          {"correlation_actions", json_of(p.correlation)},
          {"choice", json_of(p.choice)},
          {"spread", p.spread},
          {"told", p.told}};
}

void print(const std::string& folder, const TrainedAgent& run, const Probe& p) {
  fmt::print("{}: {} on {}, seed {}, {} steps\n", folder, run.config.agent.algorithm,
             run.config.env, run.config.seed, run.steps);
  fmt::print("  value     Q {:.2f} ± {:.2f}, simulated {:.2f} ± {:.2f}\n", p.q.mean, p.q.error,
             p.g.mean, p.g.error);
  fmt::print("  states    correlation {:.3f}\n", p.states);
  fmt::print("  actions   correlation {:.3f} ± {:.3f} over {} states, return differs by {:.3g}\n",
             p.correlation.mean, p.correlation.error, p.told, p.spread);
  fmt::print("  choice    {:.3f} ± {:.3f} of what the best action gains\n", p.choice.mean,
             p.choice.error);
  std::fflush(stdout);
}

void run(const ProbeCommand& o) {
  nlohmann::json rows = nlohmann::json::array();
  for (const std::string& folder : o.folders) {
    at::set_num_threads(1);
    const TrainedAgent trained = load_run(folder, o.common.packages);
    if (!trained.warning.empty()) warn(trained.warning);
    std::optional<SweepBar> bar(std::in_place, folder);
    const auto show = [&](int done) { bar->show({.total = o.options.states, .done = done}); };
    const Probe p = probe_critic(trained, o.options, SeedTree(o.common.seed).child("probe"),
                                 o.common.json ? std::function<void(int)>{} : show);
    bar.reset();
    if (o.common.json) {
      rows.push_back(json_of(folder, trained, p));
    } else {
      print(folder, trained, p);
    }
  }
  if (o.common.json) fmt::print("{}\n", speder::cli::json_text(rows));
}

}  // namespace

void add_probe(CLI::App& app) {
  auto o = std::make_shared<ProbeCommand>();
  CLI::App* command =
      app.add_subcommand("probe", "What a run's critic says of actions, beside the simulator");
  command->footer(
      "Examples:\n"
      "  speder deep probe runs/a\n"
      "  speder deep probe runs/speder runs/sac --states 128 --actions 32 --json\n\n"
      "Takes the newest checkpoint of a run of speder or sac*, goes to states that its policy "
      "meets,\n"
      "draws actions of the policy there, and lets the simulator take each one and go on with the\n"
      "mean action. Says how well Q foresees these returns: their size, their correlation over\n"
      "states, over the actions of a state (what the actor learns from), and how much of what the\n"
      "best action gains the action with the largest Q gets (1: all, 0: as much as one at "
      "random).\n"
      "Numbers behind ± are standard errors over states. Q has the entropy that SAC adds in it, "
      "the\n"
      "returns have not: it moves the actions of a state nearly alike.");
  add_common(*command, o->common);
  command->add_option("RUN", o->folders, "Folders of runs, as made by: speder deep train")
      ->required();
  command->add_option("--states", o->options.states, "States, one of an episode each")
      ->capture_default_str()
      ->check(CLI::Range(2, 100'000));
  command->add_option("--actions", o->options.actions, "Actions of each")
      ->capture_default_str()
      ->check(CLI::Range(2, 10'000));
  command->add_option("--steps", o->options.steps, "Steps of each return")
      ->capture_default_str()
      ->check(CLI::Range(1, 100'000));
  command->add_flag("--uniform", o->options.uniform,
                    "Actions are drawn uniformly, not from the policy");
  command->callback([o] { run(*o); });
}

}  // namespace speder::deep::cli

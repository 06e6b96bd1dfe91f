#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "speder/cli/program.hpp"
#include "speder/core/check.hpp"
#include "speder/experiments/cli/command.hpp"
#include "speder/experiments/cli/learn_figure.hpp"
#include "speder/experiments/cli/learn_options.hpp"
#include "speder/experiments/cli/learn_output.hpp"
#include "speder/experiments/cli/learn_several.hpp"
#include "speder/experiments/cli/progress.hpp"
#include "speder/experiments/learn/session.hpp"
#include "speder/sweep/stop_signal.hpp"

namespace speder::cli {
namespace {

/// What a command prepares before it can run.
struct Prepared {
  LearnProblem problem;
  TruthEvaluator truth;
  LearnRecord record;
};

Prepared prepare(LearnOptions& options, const std::string& command) {
  if (options.plot) check_picture(*options.plot);
  auto mdp = mdp_of(options);
  set_class_weights(*mdp, options);
  LearnRecord record{command, problem_cell(options, *mdp), options.seed, {}, {}, 0};
  LearnProblem problem = problem_of(mdp, options);
  TruthEvaluator truth(mdp);
  record.facts["optimal_value"] = truth.optimal_value();
  record.facts["class"] = class_facts(problem.model_class);
  return {std::move(problem), std::move(truth), std::move(record)};
}

int finish(const LearnOptions& options, const Prepared& prepared,
           const std::vector<std::string_view>& names) {
  if (options.json) {
    fmt::print("{}\n", json_text(to_json(prepared.record), 2));
  } else {
    fmt::print(
        "{}\nV* = {:.10g} (under the start distribution)\n\nClass: L2 distance to P*\n{}\n{}",
        prepared.record.settings.key(), prepared.truth.optimal_value(),
        class_table(prepared.problem.model_class), table(prepared.record, names));
  }
  std::fflush(stdout);  // the work is on the screen before a disk can refuse it
  write_out(options.out, prepared.record);
  if (!options.out.empty() && !options.json) fmt::print("written: {}\n", options.out);
  if (options.plot) {
    const std::string picture = draw(prepared.record, {*options.plot, options.out, options.style});
    if (!options.json) fmt::print("drawn: {}\n", picture);
  }
  if (prepared.record.interrupted_at == 0) return 0;
  fmt::print(stderr, "speder: interrupted at n = {}; what was done is kept\n",
             prepared.record.interrupted_at);
  return kInterruptedExit;
}

LearnHooks hooks_for(ProgressLine& progress, const std::atomic<bool>& interrupted) {
  const auto episode = [&](const LearnRow& row) {
    progress.show(row.n, "gap", row.gap_last);
    return !interrupted;
  };
  return {.on_row = {}, .on_episode = episode};
}

void take_rows(const LearnOutcome& outcome, LearnRecord& record) {
  for (const LearnRow& row : outcome.rows) record.rows.push_back(columns(row));
  if (outcome.result.interrupted) {
    record.interrupted_at = outcome.result.n;
  }
}

void behaviour_facts(const Behaviour& behaviour, LearnRecord& record) {
  record.facts["omega"] = behaviour.omega;
  record.facts["c_star"] = behaviour.c_star;
}

// One run of Algorithm 1 or a comparator, its settings and rows into the record.
void run_online_into(const LearnOptions& options, const LearnProblem& problem,
                     TruthEvaluator& truth, const LearnHooks& hooks, LearnRecord& record) {
  OnlineRun run{.algorithm = options.algorithm, .options = {}, .seed = options.seed};
  run.options.episodes = options.amount;
  run.options.bonus = constants_of(options);
  run.options.delta = options.delta;
  run.options.criterion = criterion_of(options);
  run.options.replan = options.replan == "every" ? Replan::kEvery : Replan::kDoubling;
  take_rows(run_online(problem, truth, run, hooks), record);
}

void online_settings(const LearnOptions& options, LearnRecord& record) {
  const BonusConstants constants = constants_of(options);
  record.settings.set("algorithm", options.algorithm)
      .set("episodes", static_cast<double>(options.amount))
      .set("c_alpha", constants.alpha)
      .set("c_lambda", constants.lambda)
      .set("delta", options.delta)
      .set("replan", options.replan);
  add_criterion_cell(options, record.settings);
}

// The data of --data, or drawn; saved where --save-data says.
StoredData data_of(const LearnOptions& options, const LearnProblem& problem, TruthEvaluator& truth,
                   const OfflineRun& run) {
  StoredData stored =
      options.data.empty() ? offline_data(problem, truth, run) : load_data(options.data);
  if (!options.save_data.empty()) save_data(options.save_data, stored);
  return stored;
}

void run_offline_into(const LearnOptions& options, const LearnProblem& problem,
                      TruthEvaluator& truth, const LearnHooks& hooks, LearnRecord& record) {
  OfflineRun run{.algorithm = options.algorithm,
                 .options = {},
                 .transitions = options.amount,
                 .behaviour = options.behaviour,
                 .seed = options.seed};
  run.options.bonus = constants_of(options);
  run.options.delta = options.delta;
  run.options.criterion = criterion_of(options);
  const StoredData stored = data_of(options, problem, truth, run);
  run.stored = &stored;
  const LearnOutcome outcome = run_offline(problem, truth, run, hooks);
  take_rows(outcome, record);
  behaviour_facts(outcome.behaviour, record);
}

void offline_settings(const LearnOptions& options, LearnRecord& record) {
  const BonusConstants constants = constants_of(options);
  record.settings.set("algorithm", options.algorithm)
      .set("transitions", static_cast<double>(options.amount))
      .set("c_alpha", constants.alpha)
      .set("c_lambda", constants.lambda)
      .set("delta", options.delta);
  add_criterion_cell(options, record.settings);
  if (options.data.empty()) {
    add_behaviour_cell(options, record.settings);
  } else {
    record.settings.set("data", word(options.data));
  }
}

int learn_with(LearnOptions options, const std::string& command, const Learner& learner,
               const std::vector<std::string_view>& names) {
  options.algorithm = options.algorithms.front();
  Prepared prepared = prepare(options, command);
  if (options.algorithms.size() > 1 || options.seeds > 1)
    return learn_several(options, prepared.problem, prepared.record, learner);
  learner.settings(options, prepared.record);
  check_out(options.out, prepared.record);
  {
    const StopSignal signal;
    ProgressLine progress(options.amount);
    learner.run(options, prepared.problem, prepared.truth, hooks_for(progress, StopSignal::flag()),
                prepared.record);
  }
  return finish(options, prepared, names);
}

int online(const LearnOptions& options) {
  return learn_with(options, "online", {online_settings, run_online_into},
                    {"n", "gap_last", "gap_mixture", "regret", "candidate", "error_rho",
                     "bonus_sup", "optimism", "env_steps"});
}

int offline(LearnOptions options) {
  if (!options.data.empty()) options.jobs = 1;  // HDF5 is not for several threads
  require_h5("--save-data", options.save_data);
  if (options.seeds > 1 && !options.data.empty())
    throw InputError("--data: every seed would have the same data; leave --seeds out");
  if ((options.seeds > 1 || options.algorithms.size() > 1) && !options.save_data.empty())
    throw InputError("--save-data: is for one run");
  return learn_with(options, "offline", {offline_settings, run_offline_into},
                    {"n", "gap_last", "candidate", "error_rho", "bonus_sup", "optimism"});
}

int estimate(LearnOptions options) {
  Prepared prepared = prepare(options, "estimate");
  prepared.record.settings.set("criterion", options.criterion)
      .set("transitions", static_cast<double>(options.amount))
      .set("data", options.data)
      .set("delta", options.delta);
  add_behaviour_cell(options, prepared.record.settings);
  check_out(options.out, prepared.record);
  const EstimateRun run{.criterion = criterion_of(options),
                        .transitions = options.amount,
                        .trajectory = options.data == "trajectory",
                        .behaviour = options.behaviour,
                        .delta = options.delta,
                        .seed = options.seed};
  const StopSignal signal;
  const std::atomic<bool>& interrupted = StopSignal::flag();
  const EstimateOutcome outcome = run_estimate(prepared.problem, prepared.truth, run,
                                               [&](const EstimateRow&) { return !interrupted; });
  for (const EstimateRow& row : outcome.rows) prepared.record.rows.push_back(columns(row));
  if (outcome.interrupted) prepared.record.interrupted_at = outcome.rows.back().n;
  behaviour_facts(outcome.behaviour, prepared.record);
  if (options.profile) {
    prepared.record.facts["profile"] =
        std::vector<double>(outcome.profile.begin(), outcome.profile.end());
  }
  return finish(options, prepared, {"n", "candidate", "loss", "l2_squared", "l1", "kl", "zeta"});
}

template <class Table>
std::string names_of(const Table& algorithms) {
  std::string text = "Algorithms:\n";
  for (const auto& entry : algorithms) {
    text += fmt::format("  {:<12} {}\n", entry.name, entry.description);
  }
  return text;
}

CLI::App* add_command(CLI::App& learn, const std::string& name, const std::string& description,
                      const std::shared_ptr<LearnOptions>& options) {
  CLI::App* app = learn.add_subcommand(name, description);
  add_mdp_options(*app, *options);
  add_class_options(*app, *options);
  add_output_options(*app, *options);
  return app;
}

void add_online(CLI::App& learn, int& exit_code) {
  auto options = std::make_shared<LearnOptions>();
  CLI::App* app = add_command(learn, "online", "Algorithm 1: explore with optimism", options);
  app->add_option("--episodes", options->amount, "N")->capture_default_str();
  add_several_options(*app, *options);
  add_bonus_options(*app, *options);
  app->add_option("--replan", options->replan,
                  "every episode, or doubling: when a pair's visits have doubled")
      ->check(CLI::IsMember({"every", "doubling"}))
      ->capture_default_str();
  app->footer(
      names_of(online_algorithms()) +
      "\nRows on a geometric grid of n; regret counts every episode. gap_last: V* - V of the last\n"
      "policy; gap_mixture: of the mixture of all so far; both exact in the true MDP. error_rho:\n"
      "squared L2 error of the learned kernel under the data. Ctrl-C keeps what is done (exit 130)."
      "\n\n  speder learn online --family simplex --states 50 --actions 5 --rank 4 --gamma 0.9 \\\n"
      "      --class multiscale --class-size 1000 --episodes 10000 --bonus tuned --out run.db\n"
      "  speder learn online --mdp m.h5 --algorithm tabular-ucb --bonus tuned\n"
      "  speder learn online --mdp m.h5 --algorithm speder --algorithm greedy --seeds 20 --plot");
  app->callback([options, &exit_code] { exit_code = online(*options); });
}

void add_offline(CLI::App& learn, int& exit_code) {
  auto options = std::make_shared<LearnOptions>();
  CLI::App* app = add_command(learn, "offline", "Algorithm 2: pessimism on given data", options);
  app->add_option("--transitions", options->amount, "n")->capture_default_str();
  add_several_options(*app, *options);
  add_bonus_options(*app, *options);
  add_behaviour_options(*app, *options);
  options->data.clear();
  CLI::Option* data =
      app->add_option("--data", options->data, "Learn from all transitions of a data file, NAME.h5")
          ->group("Data");
  for (const char* drawn : {"--transitions", "--behaviour", "--epsilon", "--temperature", "--omega",
                            "--mix", "--c-star"}) {
    data->excludes(app->get_option(drawn));
  }
  app->add_option("--save-data", options->save_data, "Also write the data: NAME.h5")->group("Data");
  app->footer(
      names_of(offline_algorithms()) +
      "\nData: independent draws s ~ d^pi_b, a ~ pi_b. The realised omega and C* are in the "
      "JSON.\n\n"
      "  speder learn offline --family simplex --states 50 --actions 5 --rank 4 --gamma 0.9 \\\n"
      "      --behaviour coverage --omega 50 --mix 0.2 --bonus tuned --transitions 20000\n"
      "  speder learn offline --mdp m.h5 --class-size 100 --save-class c.h5 --save-data d.h5\n"
      "  speder learn offline --mdp m.h5 --class c.h5 --data d.h5     # the files: "
      "docs/mdp-files.md");
  app->callback([options, &exit_code] { exit_code = offline(*options); });
}

void add_estimate(CLI::App& learn, int& exit_code) {
  auto options = std::make_shared<LearnOptions>();
  CLI::App* app = add_command(learn, "estimate", "The estimator alone: error against n", options);
  app->add_option("--transitions", options->amount, "n")->capture_default_str();
  app->add_option("--criterion", options->criterion,
                  "least-squares, likelihood, or constrained: as line 6 cites it")
      ->check(CLI::IsMember({"least-squares", "likelihood", "constrained"}))
      ->capture_default_str();
  app->add_option("--data", options->data,
                  "iid draws from the behaviour's occupancy, or one trajectory with restarts")
      ->check(CLI::IsMember({"iid", "trajectory"}))
      ->capture_default_str();
  app->add_option("--delta", options->delta, "Confidence delta")->capture_default_str();
  app->add_flag("--profile", options->profile, "Add every candidate's loss to the JSON");
  add_behaviour_options(*app, *options);
  app->footer(
      "l2_squared, l1, kl: distance of the estimate from P*, averaged over the data's law.\n\n"
      "  speder learn estimate --family simplex --states 50 --actions 5 --rank 4 --gamma 0.9 \\\n"
      "      --class-size 1000 --transitions 1000000\n"
      "  speder learn estimate --mdp m.h5 --criterion likelihood --data trajectory --json");
  app->callback([options, &exit_code] { exit_code = estimate(*options); });
}

}  // namespace

void add_learn(CLI::App& app, int& exit_code) {
  CLI::App* learn =
      app.add_subcommand("learn", "Finite-class SPEDER and its comparators on a known MDP");
  learn->require_subcommand(1);
  add_online(*learn, exit_code);
  add_offline(*learn, exit_code);
  add_estimate(*learn, exit_code);
}

}  // namespace speder::cli

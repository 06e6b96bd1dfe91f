#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <optional>

#include "speder/cli/program.hpp"
#include "speder/core/check.hpp"
#include "speder/core/names.hpp"
#include "speder/core/parallel.hpp"
#include "speder/experiments/cli/command.hpp"
#include "speder/experiments/cli/scale_output.hpp"
#include "speder/experiments/rates/learn/plan.hpp"
#include "speder/experiments/rates/registry.hpp"
#include "speder/experiments/rates/suite.hpp"
#include "speder/learning/bonus.hpp"
#include "speder/mdp/families/families.hpp"
#include "speder/sweep/progress_bar.hpp"
#include "speder/sweep/stop_signal.hpp"

namespace speder::cli {
namespace {

struct ScaleOptions {
  LearnGrid grid;
  std::string family;
  std::vector<std::string> axes;      // name=v,v,…
  std::vector<std::string> settings;  // name=v
  std::optional<double> states, actions, rank, gamma, class_size, c_alpha, c_lambda;
  std::string bonus = "theory";
  std::string theory;
  double epsilon = 0;
  double delta = 0.1;
  double budget = 10'000;
  int seeds = 20;
  bool no_control = false;
  std::string out = "scale.db";
  std::string report;
  std::uint64_t seed = 1;
  int jobs = 0;
  bool retry_failed = false;
  bool json = false;
};

std::vector<double> numbers_in(std::string_view text, std::string_view where) {
  std::vector<double> out;
  while (true) {
    const std::string_view word = text.substr(0, text.find(','));
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size())
      throw InputError(
          fmt::format("{}: '{}' is no number; expected numbers with commas between", where, word));
    out.push_back(value);
    if (word.size() == text.size()) return out;
    text.remove_prefix(word.size() + 1);
  }
}

// A setting of learn_numbers(), or a knob of the family.
std::string setting_named(const ScaleOptions& options, std::string name, std::string_view what,
                          bool scaled) {
  std::ranges::replace(name, '-', '_');
  std::vector<std::string> known;
  for (const LearnNumber& n : learn_numbers()) {
    if (scaled && n.symbol.empty()) continue;
    if (n.name == name) return name;
    known.emplace_back(n.name);
  }
  if (!options.family.empty()) {
    for (const KnobInfo& knob : family(options.family).knobs) {
      if (knob.name == name) return "knob_" + name;
      known.emplace_back(knob.name);
    }
  }
  refuse_name(what, name, known);
}

// name=v,v,…
void take_list(ScaleOptions& options, const std::string& text, bool axis) {
  const std::string_view what = axis ? "axis" : "set";
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw InputError(fmt::format("--{} {}: expected {}", what, text,
                                 axis ? "name=value,value,…" : "name=value"));
  const std::string name =
      setting_named(options, text.substr(0, equals), axis ? "axis" : "setting", axis);
  std::vector<double> values = numbers_in(std::string_view(text).substr(equals + 1),
                                          fmt::format("--{} {}", what, text.substr(0, equals)));
  if (axis && values.size() < 2)
    throw InputError(
        fmt::format("--axis {}: one value; a scaling needs two or more, a verdict five "
                    "points",
                    text));
  if (!axis && values.size() > 1)
    throw InputError(fmt::format("--set {}: has a list; what moves is an --axis", text));
  if (!options.grid.numbers.emplace(name, std::move(values)).second)
    throw InputError(fmt::format("--{} {}: {} is given twice", what, text, name));
  if (axis) options.grid.axes.push_back(name);
}

void take(ScaleOptions& options, const char* name, const std::optional<double>& value) {
  if (!value) return;
  if (!options.grid.numbers.emplace(name, std::vector{*value}).second)
    throw InputError(fmt::format("{} is an axis and has a value of its own", name));
}

LearnGrid grid_of(ScaleOptions options) {
  LearnGrid& grid = options.grid;
  if (!options.family.empty()) {
    (void)family(options.family);
    grid.families = {options.family};
  }
  if (options.axes.empty())
    throw InputError("scale: name an axis, such as --axis rank=8,12,16,20,24,32");
  for (const std::string& text : options.axes) take_list(options, text, true);
  for (const std::string& text : options.settings) take_list(options, text, false);
  take(options, "states", options.states);
  take(options, "actions", options.actions);
  take(options, "rank", options.rank);
  take(options, "gamma", options.gamma);
  take(options, "class_size", options.class_size);
  const BonusConstants constants = bonus_constants(options.bonus);
  if (!grid.numbers.contains("c_alpha"))
    take(options, "c_alpha", options.c_alpha.value_or(constants.alpha));
  if (!grid.numbers.contains("c_lambda"))
    take(options, "c_lambda", options.c_lambda.value_or(constants.lambda));
  if (!grid.numbers.contains("epsilon")) {
    if (!(options.epsilon > 0)) throw InputError("scale: --epsilon (or an axis of it) is missing");
    take(options, "epsilon", options.epsilon);
  }
  take(options, "delta", options.delta);
  take(options, "budget", options.budget);
  if (!options.theory.empty()) grid.theory = numbers_in(options.theory, "--theory");
  grid.control = !options.no_control;
  return grid;
}

// Under mpirun only rank 0 comes back with a result.
std::optional<SweepResult> run_all(const ScaleOptions& options, const Suite& suite) {
  Sweep runs = suite_runs(suite, options.seed);
  runs.retry_failed = options.retry_failed;
  SweepBar bar("scale");
  return run_sweep_here(
      {.store = options.out, .jobs = options.jobs > 0 ? options.jobs : hardware_jobs()}, runs,
      run_task(suite, options.seed), {.progress = [&](const SweepProgress& p) { bar.show(p); }});
}

void show(const ScaleOptions& options, const SweepResult& result) {
  const ResultStore store = ResultStore::read(options.out);
  ExperimentData data;
  for (ExperimentRecord& record : store.experiments()) {
    if (record.id == "learn") data = {std::move(record), store.runs("learn")};
  }
  const std::filesystem::path folder =
      options.report.empty()
          ? std::filesystem::path(options.out).replace_extension("").string() + "-report"
          : options.report;
  const ReportSection section = judge(data);
  const PageText text{
      .heading = "How it scales",
      .rule =
          "tight: the 95% interval of the measured exponent contains the theory's; "
          "below, violated: it lies under or above it. not a test: a premise fails, "
          "or the learner does as well without its bonus.",
      .audit = false};
  const std::filesystem::path page =
      write_report({section}, {.out = folder, .audit = {}, .jobs = options.jobs, .text = text});
  const std::vector<ScalingStudy> studies = scaling_studies(data);
  if (options.json) {
    nlohmann::json out = {{"store", options.out},
                          {"page", page.string()},
                          {"runs", result.progress.total},
                          {"done", result.progress.done},
                          {"restored", result.progress.restored},
                          {"failed", result.progress.failed + result.progress.failed_before},
                          {"complete", result.complete}};
    for (const ScalingStudy& study : studies) out["studies"].push_back(study_json(study));
    fmt::print("{}\n", json_text(out, 2));
    return;
  }
  fmt::print("{}\n", sweep_summary("scale", options.out, result.progress));
  if (!result.complete) {
    fmt::print("stopped; the same command continues where it was\n");
    return;
  }
  for (const ScalingStudy& study : studies) fmt::print("{}", study_text(study));
  fmt::print("\n{}\n", page.string());
}

void scale(const ScaleOptions& options, int& exit_code) {
  Suite suite{.id = "learn", .size = "scale", .plan = plan_learn_grid(grid_of(options))};
  suite.plan.repetitions = options.seeds;
  const std::optional<SweepResult> result = run_all(options, suite);
  if (!result) return;  // a rank that computed for another one
  if (!result->obstacle.empty())
    throw InputError(fmt::format("{} runs could not be made: {}; the same command makes them",
                                 result->progress.total - result->progress.done, result->obstacle));
  show(options, *result);
  if (!result->complete) {
    exit_code = kInterruptedExit;
  } else if (result->progress.failed + result->progress.failed_before > 0) {
    exit_code = 1;
  }
}

void add_instance_options(CLI::App& command, ScaleOptions& options) {
  command.add_option("--family", options.family, "Family of MDPs (speder mdp families)")
      ->group("MDP");
  command.add_option("--mdp", options.grid.mdp, "An MDP file instead")->group("MDP");
  command.add_option("--states", options.states, "|S|")->group("MDP");
  command.add_option("--actions", options.actions, "|A|")->group("MDP");
  command.add_option("--rank", options.rank, "d")->group("MDP");
  command.add_option("--gamma", options.gamma, "Discount (default 0.9)")->group("MDP");
  command
      .add_option("--set", options.settings,
                  "name=value: any other setting or knob of the family, repeatable")
      ->group("MDP");
}

void add_learner_options(CLI::App& command, ScaleOptions& options) {
  LearnGrid& grid = options.grid;
  command
      .add_option("--algorithm", grid.algorithms,
                  "Learner (speder learn online --help), repeatable")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->capture_default_str();
  command.add_flag("--offline", grid.offline,
                   "The learners of speder learn offline; the budget counts transitions");
  command.add_option("--behaviour", grid.behaviours, "--offline: where the data come from")
      ->expected(1);
  command
      .add_option(
          "--class", grid.classes,
          "Kind of class, or a file beside --mdp (default: the own one of needle, comblock, "
          "leaves and chain, else multiscale; lock: all locks of a comblock)")
      ->expected(1);
  command.add_option("--class-size", options.class_size, "|F| (default 1000)");
  command.add_option("--criterion", grid.criteria, "least-squares or constrained")->expected(1);
  command.add_option("--replan", grid.replan, "every episode, or doubling")->expected(1);
  command
      .add_option("--bonus", options.bonus,
                  fmt::format("theory: constants 1; tuned: c_alpha = {}", kTunedAlpha))
      ->check(CLI::IsMember({"theory", "tuned"}))
      ->capture_default_str();
  command.add_option("--c-alpha", options.c_alpha, "c_alpha itself, instead of --bonus");
  command.add_option("--c-lambda", options.c_lambda, "c_lambda itself (default 1)");
}

}  // namespace

void add_scale(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<ScaleOptions>();
  CLI::App* command = app.add_subcommand(
      "scale",
      "How the samples that a learner needs grow along one or two axes: N(epsilon, delta) of "
      "every\n"
      "cell, the exponents with their intervals, the map, and a verdict. Stopped or killed at any\n"
      "moment and started again, it continues where it was.");
  command
      ->add_option("--axis", options->axes,
                   "name=value,value,…; once or twice: rank, actions, states, gamma, epsilon, "
                   "class-size, omega or a knob of the family")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_instance_options(*command, *options);
  add_learner_options(*command, *options);
  command->add_option("--epsilon", options->epsilon, "The gap to reach (units of value)")
      ->check(CLI::PositiveNumber);
  command->add_option("--delta", options->delta, "Share of runs that may miss it")
      ->capture_default_str();
  command->add_option("--seeds", options->seeds, "Runs of a cell, each with its own instance")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command->add_option("--budget", options->budget, "Episodes (or transitions) of a run at most")
      ->capture_default_str();
  command->add_option("--theory", options->theory,
                      "p or p,q: exponents to judge by, in the axes' order");
  command->add_flag("--no-control", options->no_control,
                    "Leaves out the runs of the same learner without its bonus");
  command->add_option("-o,--out", options->out, "Result store")->capture_default_str();
  command->add_option("--report", options->report, "Folder of the page (default: <store>-report)");
  command->add_option("-j,--jobs", options->jobs, "Runs at once (default: all cores)")
      ->check(CLI::Range(0, 4096));
  command->add_option("--seed", options->seed, "Root of all randomness")->capture_default_str();
  command->add_flag("--retry-failed", options->retry_failed,
                    "Makes the runs again that failed before");
  command->add_flag("--json", options->json, "Cells, fit and verdicts as JSON");
  command->footer(
      "Examples:\n"
      "  speder scale --family needle --axis rank=8,12,16,20,24,32 --axis actions=2,4,8,16 \\\n"
      "      --gamma 0.8 --epsilon 0.05 --c-alpha 0.003 --c-lambda 0.01 --theory 4,2 -o map.db\n"
      "  speder scale --family river --axis states=4,5,6,7,8,10 --algorithm speder \\\n"
      "      --algorithm tabular-ucb --epsilon 0.05 --bonus tuned --class-size 50\n"
      "  mpirun -n 64 speder scale …              rank 0 schedules and writes, the others compute\n"
      "Verdicts (--theory): tight, below, violated, inconclusive, and not a test, when a premise\n"
      "fails or the learner without its bonus does as well. Rows depend on the settings and the\n"
      "seed alone. `speder report STORE` makes the page again; an `experiment = \"learn\"` suite\n"
      "does the same for lists of anything (docs/scale.md).\n"
      "Exit code 0: all runs are done; 1: some of them failed; 130: stopped by a signal; 2: bad "
      "input.");
  command->callback([options, &exit_code] { scale(*options, exit_code); });
}

}  // namespace speder::cli

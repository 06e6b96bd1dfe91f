#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "speder/cli/program.hpp"
#include "speder/core/check.hpp"
#include "speder/deep/cli/command.hpp"
#include "speder/deep/cli/training.hpp"
#include "speder/deep/learn/agents/agent.hpp"
#include "speder/deep/learn/nn/device.hpp"
#include "speder/deep/results/table.hpp"
#include "speder/deep/train/run_folder.hpp"
#include "speder/deep/train/update_speed.hpp"
#include "speder/io/durable_file.hpp"
#include "speder/sweep/progress_bar.hpp"
#include "speder/sweep/transport.hpp"

namespace speder::deep::cli {
namespace {

struct BenchOptions {
  Common common;
  TrainingOptions training;
  std::string suite = "mbbl";
  std::vector<std::string> envs, algorithms = {"speder", "sac3"};
  int seeds = 4;
  int jobs = 1;
  std::string out = "runs";
  bool retry_failed = false;
};

/// "CartPole" or "CartPole:40000", a task with its own number of steps.
struct TaskChoice {
  std::string env;
  std::string overrides;
};

TaskChoice parse_task(const std::string& text, const std::string& suite) {
  const auto colon = text.find(':');
  TaskChoice task{.env = text.substr(0, colon), .overrides = {}};
  const auto& all = suite_envs(suite);
  if (std::find(all.begin(), all.end(), task.env) == all.end()) {
    throw InputError(fmt::format("suite {} has no task '{}'", suite, task.env));
  }
  if (colon == std::string::npos) return task;
  const std::string steps = text.substr(colon + 1);
  if (steps.empty() || steps.find_first_not_of("0123456789") != std::string::npos) {
    throw InputError(fmt::format("--envs {}: expected a task or task:steps", text));
  }
  task.overrides = fmt::format("steps = {}\n", steps);
  return task;
}

TrainConfig cell_config(const BenchOptions& o, const TaskChoice& task, const std::string& algorithm,
                        std::uint64_t seed) {
  TrainingOptions training = o.training;
  if (!task.overrides.empty()) training.steps = 0;
  return read_train_config(
      preset_path(training.preset),
      override_text(training) + task.overrides +
          fmt::format("env = \"{}\"\nalgorithm = \"{}\"\nseed = {}\n", task.env, algorithm, seed));
}

/// The loop over seeds is the outer one: a bench that is stopped early has the first seeds of every task.
std::vector<TrainConfig> grid(const BenchOptions& o) {
  std::vector<TrainConfig> runs;
  for (const std::uint64_t seed : repetition_seeds(o.common.seed, o.seeds)) {
    for (const std::string& text : o.envs.empty() ? suite_envs(o.suite) : o.envs) {
      const TaskChoice task = parse_task(text, o.suite);
      for (const std::string& algorithm : o.algorithms) {
        runs.push_back(cell_config(o, task, algorithm, seed));
      }
    }
  }
  return runs;
}

class Bench {
 public:
  explicit Bench(const BenchOptions& o)
      : o_(o),
        runs_(grid(o)),
        device_(in_job() ? device_of_process(o.training.device, local_rank_in_job())
                         : o.training.device),
        live_(one_by_one(o.jobs) && !o.common.json) {
    std::set<std::pair<std::string, std::string>> seen;
    for (const TrainConfig& c : runs_) {  // bad input is refused before the first run starts
      if (seen.insert({c.env, c.agent.algorithm}).second) check_run(c, folder_of(c));
    }
    make_folder(o.out);
  }

  /// 1 if a run failed, now or before.
  [[nodiscard]] int run() const {
    // The preset's own name: --preset may be a file, wherever it lies.
    const std::string experiment = fmt::format("deep-{}-{}", o_.suite, runs_.front().preset);
    TrainingGrid grid;
    grid.sweep.record = {.id = experiment,
                         .config = config_text(),
                         .seed = o_.common.seed,
                         .planned = std::ssize(runs_),
                         .build = this_build()};
    grid.store = std::filesystem::path(o_.out) / "runs.db";
    grid.jobs = o_.jobs;
    grid.shown = !o_.common.json;
    std::once_flag told;  // when the first run starts: all input has been found good by then
    grid.run = [&](std::size_t i) {
      if (!o_.common.json && !in_job()) std::call_once(told, [&] { tell_cost(grid); });
      return train(experiment, runs_[i]);
    };
    grid.stored = [this](const Run& run) { tell(run); };
    for (const TrainConfig& c : runs_) grid.sweep.runs.push_back(key_of(experiment, c));
    grid.sweep.retry_failed = o_.retry_failed;
    const auto done = run_grid(grid);
    if (!done) return 0;  // a rank that trained for another one
    summarise(grid, *done);
    return done->failed + done->failed_before > 0 ? 1 : 0;
  }

 private:
  /// Of the first seed; the others differ in `seed` alone.
  [[nodiscard]] std::string config_text() const {
    std::string text;
    for (const TrainConfig& c : runs_) {
      if (c.seed == runs_.front().seed) text += "[[run]]\n" + to_toml(c);
    }
    return text;
  }

  [[nodiscard]] RunFolder folder_of(const TrainConfig& c) const {
    return {.path = std::filesystem::path(o_.out) /
                    fmt::format("{}-{}-{}-{}", c.env, c.agent.algorithm, c.preset, c.seed),
            .device = device_,
            .packages = o_.common.packages,
            .checkpoint_every = o_.training.checkpoint_every,
            .start = Start::kEither};
  }

  [[nodiscard]] std::optional<Run> train(const std::string& experiment,
                                         const TrainConfig& c) const {
    LiveLine line(c, live_);
    const TrainResult result = train_in_folder(c, folder_of(c), line.observer());
    line.end();
    if (result.end == TrainEnd::kInterrupted) return {};
    return to_run(experiment, c, result, line.seconds());
  }

  [[nodiscard]] double one_update(const TrainConfig& c) const {
    try {
      at::set_num_threads(1);
      return update_seconds(c.agent,
                            load_physics(c.env, packages_folder(o_.common.packages))->spec);
    } catch (const std::exception&) {
      return 0;  // the run itself will meet it, and be a row that says so
    }
  }

  /// What is still to do, before it starts: the updates of all runs that are not in the store, at the
  /// speed that this core has now. Runs with a checkpoint take less.
  void tell_cost(const TrainingGrid& grid) const {
    std::set<RunKey> there;
    if (std::filesystem::exists(grid.store)) {
      const auto done = ResultStore::read(grid.store).finished(grid.sweep.record.id);
      there.insert(done.begin(), done.end());
    }
    std::map<std::pair<std::string, std::string>, double> seconds;  // of an update
    double total = 0;
    int runs = 0, uncounted = 0;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (there.contains(grid.sweep.runs[i])) continue;
      const TrainConfig& c = runs_[i];
      const auto [cell, isnew] = seconds.try_emplace({c.agent.algorithm, c.env}, 0.0);
      if (isnew) cell->second = one_update(c);
      if (cell->second == 0) ++uncounted;
      total += cell->second * std::max(0, c.steps - c.random_steps);
      ++runs;
    }
    if (runs == 0) return;
    constexpr double kHour = 3600;
    const std::string cost =
        uncounted == runs ? ""
                          : fmt::format(", at most {:.2g} core-hours of updates{}", total / kHour,
                                        uncounted > 0 ? " without those of rollouts and fits" : "");
    fmt::print(stderr, "speder-deep: {} {} to do{}{}\n", runs, runs == 1 ? "run" : "runs", cost,
               o_.jobs > 1 ? fmt::format(", {} at a time", o_.jobs) : "");
  }

  void tell(const Run& run) const {
    if (o_.common.json) return;
    const GridCell cell = GridCell::parse(run.key.cell);
    const auto result = final_return(run.measures);
    fmt::print("{} {} seed {}: {}\n", cell.text("algorithm"), cell.text("env"), run.key.repetition,
               run.failed || !result ? run.error : fmt::format("{:.2f}", result->mean));
    std::fflush(stdout);
  }

  void summarise(const TrainingGrid& grid, const SweepProgress& p) const {
    if (!o_.common.json) {
      fmt::print("{}\n", sweep_summary(grid.sweep.record.id, grid.store, p));
      if (p.failed_before > 0) fmt::print("--retry-failed makes those that failed again\n");
      return;
    }
    const nlohmann::json out = {{"experiment", grid.sweep.record.id},
                                {"store", grid.store.string()},
                                {"seed", o_.common.seed},
                                {"runs", p.total},
                                {"restored", p.restored},
                                {"failed", p.failed + p.failed_before}};
    fmt::print("{}\n", speder::cli::json_text(out));
  }

  const BenchOptions& o_;
  std::vector<TrainConfig> runs_;
  std::string device_;
  bool live_;
};

}  // namespace

void add_bench(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<BenchOptions>();
  CLI::App* command =
      app.add_subcommand("bench", "Train every task, algorithm and seed of a suite; resumable");
  command->footer(
      "Examples:\n"
      "  speder deep bench --suite mbbl --preset small --seeds 4 --jobs 2 --out runs/mbbl\n"
      "  speder deep bench --suite mbbl --envs CartPole:40000 Pendulum:10000 --algorithms speder "
      "sac3 --out runs/a\n"
      "  mpirun -n 5 speder deep bench --suite dmc --device cuda --out runs/dmc   rank 0 schedules "
      "and\n"
      "                                          writes, the others train, each on a GPU of its "
      "own\n\n"
      "Finished runs are skipped and started ones go on from their checkpoints, so the same "
      "command\n"
      "can be given again at any time. Rows depend on the settings and seeds alone, never on "
      "--jobs or\n"
      "the number of ranks. Show them with: speder deep table runs/mbbl/runs.db\n"
      "Exit code 0: all runs are done; 1: some of them failed, each is a row with its error; 130: "
      "stopped\n"
      "by a signal; 2: bad input, or a run met a retryable error (disk full); the others are "
      "kept.");
  add_common(*command, o->common);
  add_training(*command, o->training);
  command->add_option("--suite", o->suite, "mbbl or dmc")
      ->capture_default_str()
      ->check(CLI::IsMember({"mbbl", "dmc"}));
  command->add_option(
      "--envs", o->envs,
      "Only these tasks of the suite, each with its own steps if given as task:steps");
  std::vector<std::string> names(algorithms().begin(), algorithms().end());
  command->add_option("--algorithms", o->algorithms, fmt::format("{}", fmt::join(names, " ")))
      ->capture_default_str()
      ->check(CLI::IsMember(names));
  command->add_option("--seeds", o->seeds, "Runs per cell, with the seeds --seed, --seed + 1, ...")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  command->add_option("--jobs", o->jobs, "Runs at a time, one thread each (not under mpirun)")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  command->add_option("--out", o->out, "Folder of the runs and of runs.db")->capture_default_str();
  command->add_flag("--retry-failed", o->retry_failed, "Makes the runs again that failed before");
  command->callback([o, &exit_code] { exit_code = Bench(*o).run(); });
}

}  // namespace speder::deep::cli

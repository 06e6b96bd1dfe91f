#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <set>

#include "core/check.hpp"
#include "core/parallel.hpp"
#include "deep/agent/agent.hpp"
#include "deep/cli/command.hpp"
#include "deep/cli/training.hpp"
#include "deep/table.hpp"
#include "deep/train_run.hpp"

namespace speder::deep::cli {
namespace {

struct Options {
  Common common;
  TrainingOptions training;
  std::string suite = "mbbl";
  std::vector<std::string> envs, algorithms = {"speder", "sac3"};
  int seeds = 4;
  int jobs = 1;
  std::string out = "runs";
};

/// Position among the processes of mpirun; alone when there is none.
struct Rank {
  int index = 0;
  int size = 1;
  int local = 0;
};

int environment(std::initializer_list<const char*> names, int otherwise) {
  for (const char* name : names) {
    if (const char* value = std::getenv(name)) return std::atoi(value);
  }
  return otherwise;
}

Rank this_rank() {
  return {environment({"OMPI_COMM_WORLD_RANK", "PMI_RANK"}, 0),
          environment({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}, 1),
          environment({"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID"}, 0)};
}

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

/// The settings of one run. The paper's table: bonus 5 and actors as wide as the critic on the
/// control suite, no bonus on MBBL.
TrainConfig cell_config(const Options& o, const TaskChoice& task, const std::string& algorithm,
                        std::uint64_t seed) {
  TrainingOptions training = o.training;
  if (!task.overrides.empty()) training.steps = 0;
  const std::string shared = override_text(training);
  TrainConfig c = read_train_config(
      preset_path(training.preset),
      shared + task.overrides +
          fmt::format("env = \"{}\"\nalgorithm = \"{}\"\nseed = {}\n", task.env, algorithm, seed));
  const auto given = [&](std::string_view key) {
    return ("\n" + shared).find(fmt::format("\n{} =", key)) != std::string::npos;
  };
  if (o.suite == "dmc" && !given("bonus") && algorithm == "speder") c.agent.bonus = 5.0;
  if (o.suite == "dmc" && !given("actor_hidden")) {
    c.agent.actor_hidden.assign(2, c.agent.critic_width);
  }
  return c;
}

/// Seeds outermost: stopped early, every task has its first seeds.
std::vector<TrainConfig> grid(const Options& o) {
  std::vector<TrainConfig> runs;
  for (int seed = 0; seed < o.seeds; ++seed) {
    for (const std::string& text : o.envs.empty() ? suite_envs(o.suite) : o.envs) {
      const TaskChoice task = parse_task(text, o.suite);
      for (const std::string& algorithm : o.algorithms) {
        runs.push_back(
            cell_config(o, task, algorithm, o.common.seed + static_cast<std::uint64_t>(seed)));
      }
    }
  }
  return runs;
}

class Bench {
 public:
  Bench(const Options& o, const Rank& rank)
      : o_(o),
        rank_(rank),
        experiment_(fmt::format("deep-{}-{}", o.suite, o.training.preset)),
        store_(open_store(o, rank)) {}

  void run() {
    std::vector<TrainConfig> all = grid(o_);
    std::vector<TrainConfig> mine;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (static_cast<int>(i % static_cast<std::size_t>(rank_.size)) == rank_.index)
        mine.push_back(all[i]);
    }
    declare(all);
    const auto done = store_.finished(experiment_);
    finished_.insert(done.begin(), done.end());
    const StopSignals signals;
    std::atomic<std::size_t> next = 0;  // in the order of the grid, however many jobs
    parallel_for(o_.jobs, o_.jobs, [&](Index) {
      for (std::size_t i = next++; i < mine.size(); i = next++) one(mine[i]);
    });
    if (StopSignals::requested()) throw InputError("interrupted; the same command goes on");
  }

 private:
  static ResultStore open_store(const Options& o, const Rank& rank) {
    std::filesystem::create_directories(o.out);
    const std::string name = rank.size > 1 ? fmt::format("runs.{}.db", rank.index) : "runs.db";
    return ResultStore::open(std::filesystem::path(o.out) / name);
  }

  void declare(const std::vector<TrainConfig>& all) {
    std::string configs;  // of the first seed; the others differ in `seed` alone
    for (const TrainConfig& c : all) {
      if (c.seed == all.front().seed) configs += "[[run]]\n" + to_toml(c);
    }
    store_.declare({.id = experiment_,
                    .config = configs,
                    .seed = o_.common.seed,
                    .planned = std::ssize(all),
                    .build = this_build()});
  }

  void one(const TrainConfig& c) {
    const RunKey key{experiment_, cell_of(c).key(), static_cast<std::int64_t>(c.seed)};
    if (finished_.contains(key) || StopSignals::requested()) return;
    const RunFolder folder{
        .path = std::filesystem::path(o_.out) /
                fmt::format("{}-{}-{}-{}", c.env, c.agent.algorithm, c.preset, c.seed),
        .device = rank_.size > 1 && o_.training.device == "cuda"
                      ? fmt::format("cuda:{}", rank_.local)
                      : o_.training.device,
        .packages = o_.common.packages,
        .checkpoint_every = o_.training.checkpoint_every,
        .resume = true};
    LiveLine line(c, o_.jobs == 1 && !o_.common.json);
    const TrainResult result = train_in_folder(c, folder, line.observer());
    line.end();
    if (result.end == TrainEnd::kInterrupted) return;
    const std::lock_guard lock(mutex_);
    store_.append(to_run(experiment_, c, result, line.seconds()));
    fmt::print(
        "{} {} seed {}: {}\n", c.agent.algorithm, c.env, c.seed,
        result.problem.empty() ? fmt::format("{:.2f}", result.final_return) : result.problem);
    std::fflush(stdout);
  }

  const Options& o_;
  Rank rank_;
  std::string experiment_;
  ResultStore store_;
  std::set<RunKey> finished_;
  std::mutex mutex_;
};

}  // namespace

void add_bench(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("bench", "Train every task, algorithm and seed of a suite; resumable");
  command->footer(
      "Examples:\n"
      "  speder deep bench --suite mbbl --preset small --seeds 4 --jobs 2 --out runs/mbbl\n"
      "  speder deep bench --suite mbbl --envs CartPole:40000 Pendulum:10000 --algorithms speder "
      "sac3 --out runs/a\n"
      "  mpirun -np 4 speder deep bench --suite dmc --device cuda --out runs/dmc   one GPU per "
      "rank\n\n"
      "Finished runs are skipped and started ones go on from their checkpoints, so the same "
      "command\n"
      "can be given again at any time. Under mpirun each rank takes every n-th run and writes its\n"
      "own runs.<rank>.db. Show the results with: speder deep table runs/mbbl/runs.db");
  add_common(*command, o->common);
  add_training(*command, o->training);
  command->add_option("--suite", o->suite, "mbbl or dmc")
      ->capture_default_str()
      ->check(CLI::IsMember({"mbbl", "dmc"}));
  command->add_option(
      "--envs", o->envs,
      "Only these tasks of the suite, each with its own steps if given as task:steps");
  std::vector<std::string> names(algorithms().begin(), algorithms().end());
  command->add_option("--algorithms", o->algorithms, "speder sac2 sac3 sac5 deepsf ppo")
      ->capture_default_str()
      ->check(CLI::IsMember(names));
  command->add_option("--seeds", o->seeds, "Seeds per cell, counted from --seed")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  command->add_option("--jobs", o->jobs, "Runs at a time, one thread each")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  command->add_option("--out", o->out, "Folder of the runs and of runs.db")->capture_default_str();
  command->callback([o] { Bench(*o, this_rank()).run(); });
}

}  // namespace speder::deep::cli

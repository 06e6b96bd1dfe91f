#include "speder/deep/cli/training.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>

#include "speder/core/check.hpp"
#include "speder/deep/train/run_folder.hpp"
#include "speder/io/durable_file.hpp"
#include "speder/sweep/progress_bar.hpp"
#include "speder/sweep/stop_signal.hpp"
#include "speder/sweep/transport.hpp"

namespace speder::deep::cli {
namespace {

/// A value as TOML: numbers, booleans, lists and quoted text as they are, other words quoted.
std::string as_toml(const std::string& value) {
  const bool literal =
      value == "true" || value == "false" ||
      (!value.empty() && value.find_first_not_of("0123456789+-.eE_[], ") == std::string::npos) ||
      (value.size() > 1 && value.front() == '"');
  return literal ? value : '"' + value + '"';
}

ResultStore open_in(const std::filesystem::path& folder) {
  make_folder(folder);
  return ResultStore::open(folder / "run.db");
}

/// libtorch appends a backtrace, whose addresses differ from start to start.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// libtorch has no exception of its own for that on the CPU.
bool lacks_memory(const std::string& error) {
  return error.find("allocate memory") != std::string::npos ||
         error.find("out of memory") != std::string::npos;
}

Outcome attempt(const TrainingGrid& grid, std::size_t index) {
  const auto start = std::chrono::steady_clock::now();
  try {
    return {.run = grid.run(index)};
  } catch (const Interrupted&) {
    return {};
  } catch (...) {
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    Outcome out = outcome_of_exception(grid.sweep.runs[index], seconds.count());
    if (!out.run) return out;
    out.run->error = first_line(out.run->error);
    if (lacks_memory(out.run->error)) return {.run = {}, .obstacle = out.run->error};
    return out;
  }
}

}  // namespace

void add_training(CLI::App& command, TrainingOptions& o) {
  command.add_option("--preset", o.preset, "small, plain, large, paper, or a TOML file")
      ->capture_default_str();
  command.add_option("--device", o.device, "cpu, cuda, cuda:<n>, or auto")->capture_default_str();
  command.add_option("--steps", o.steps, "Environment steps (default: the preset's, 200000)")
      ->check(CLI::Range(1, 2'000'000'000));
  command
      .add_option("--checkpoint-every", o.checkpoint_every,
                  "Steps between checkpoints, each taken at the next end of an episode")
      ->capture_default_str()
      ->check(CLI::Range(1, 2'000'000'000));
  command.add_option("--set", o.set, "Any setting of config.toml, as key=value; may be repeated");
}

std::string override_text(const TrainingOptions& o) {
  std::string out;
  for (const std::string& entry : o.set) {
    const auto equals = entry.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw InputError(fmt::format("--set {}: expected key=value", entry));
    }
    out += fmt::format("{} = {}\n", entry.substr(0, equals), as_toml(entry.substr(equals + 1)));
  }
  if (o.steps > 0) out += fmt::format("steps = {}\n", o.steps);
  return out;
}

LiveLine::LiveLine(const TrainConfig& config, bool shown)
    : name_(fmt::format("{} {} seed {}", config.agent.algorithm, config.env, config.seed)),
      steps_(config.steps),
      shown_(shown),
      terminal_(::isatty(STDERR_FILENO) != 0),
      start_(std::chrono::steady_clock::now()) {}

double LiveLine::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

TrainObserver LiveLine::observer() {
  TrainObserver o;
  o.progress = [this](const Progress& p) { draw(p); };
  o.evaluation = [this](std::int64_t step, const Evaluation& e) {
    last_eval_ = e.mean;
    if (!shown_) return;
    fmt::print(stderr, "{}{}: step {}: return {:.2f} ± {:.2f}, length {:.0f}, {:.0f} s\n",
               terminal_ ? "\r\x1b[K" : "", name_, step, e.mean, e.deviation, e.mean_length,
               seconds());
  };
  o.warning = [this](const std::string& w) { warn(fmt::format("{}: passed over {}", name_, w)); };
  o.resumed = [this](std::int64_t step) {
    first_step_ = step;
    if (shown_) fmt::print(stderr, "{}: resumed at step {}\n", name_, step);
  };
  o.stop = [] { return StopSignal::flag().load(); };
  return o;
}

void LiveLine::draw(const Progress& p) {
  if (!shown_ || !terminal_) return;
  if (first_update_ < 0) first_update_ = p.updates;
  const double t = std::max(seconds(), 1e-9);
  const double rate = static_cast<double>(p.step - first_step_) / t;
  std::string losses;
  for (const Measure& m : p.losses) {
    if (m.metric.ends_with("loss")) losses += fmt::format(" {} {:.3g}", m.metric, m.value);
  }
  fmt::print(
      stderr,
      "\r\x1b[K{}: {}/{} {:.0f} steps/s {:.0f} updates/s return {:.1f} eval {:.1f}{} ETA {:.0f} s",
      name_, p.step, steps_, rate, static_cast<double>(p.updates - first_update_) / t,
      p.episode_return, last_eval_, losses, static_cast<double>(steps_ - p.step) / rate);
  std::fflush(stderr);
}

void LiveLine::end() {
  if (shown_ && terminal_) fmt::print(stderr, "\r\x1b[K");
}

RunStore::RunStore(const std::filesystem::path& folder, const std::string& experiment,
                   const TrainConfig& config)
    : store_(open_in(folder)) {
  store_.declare({.id = experiment,
                  .config = to_toml(config),
                  .seed = config.seed,
                  .planned = 1,
                  .build = this_build()});
}

void RunStore::append(const Run& run) {
  const auto done = store_.finished(run.key.experiment);
  if (std::find(done.begin(), done.end(), run.key) == done.end()) store_.append(run);
}

std::vector<std::uint64_t> repetition_seeds(std::uint64_t first, int count) {
  std::vector<std::uint64_t> seeds(static_cast<std::size_t>(count));
  std::iota(seeds.begin(), seeds.end(), first);
  return seeds;
}

bool one_by_one(int jobs) { return jobs == 1 && !in_job(); }

std::optional<SweepProgress> run_grid(const TrainingGrid& grid) {
  std::optional<SweepResult> result;
  {
    const bool shared = grid.shown && !one_by_one(grid.jobs);
    SweepBar bar(grid.sweep.record.id);
    result =
        run_sweep_here({.store = grid.store, .jobs = grid.jobs}, grid.sweep,
                       [&](std::int64_t i) { return attempt(grid, static_cast<std::size_t>(i)); },
                       {.progress =
                            [&](const SweepProgress& p) {
                              if (shared) bar.show(p);
                            },
                        .stored =
                            [&](const Run& run) {
                              bar.clear();
                              grid.stored(run);
                            }});
  }
  if (!result) return {};
  if (!result->obstacle.empty()) throw InputError(result->obstacle);
  if (!result->complete) throw Interrupted("interrupted; the same command goes on");
  return result->progress;
}

}  // namespace speder::deep::cli

#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "speder/deep/cli/command.hpp"
#include "speder/deep/train/loop.hpp"
#include "speder/sweep/run_sweep.hpp"

namespace speder::deep::cli {

/// Options shared by train and bench.
struct TrainingOptions {
  std::string preset = "small";
  std::string device = "cpu";
  int steps = 0;  // 0: the preset's
  int checkpoint_every = 10'000;
  std::vector<std::string> set;  // key=value
};
void add_training(CLI::App& command, TrainingOptions& options);
/// --steps and --set as TOML lines; names and bare words get their quotes.
[[nodiscard]] std::string override_text(const TrainingOptions& options);

/// Progress on standard error: one line that is redrawn on a terminal, else a line per evaluation.
class LiveLine {
 public:
  LiveLine(const TrainConfig& config, bool shown);
  [[nodiscard]] TrainObserver observer();
  void end();
  [[nodiscard]] double seconds() const;

 private:
  void draw(const Progress& progress);
  std::string name_;
  int steps_;
  bool shown_;
  bool terminal_;
  std::int64_t first_step_ = 0;
  std::int64_t first_update_ = -1;
  double last_eval_ = 0;
  std::chrono::steady_clock::time_point start_;
};

/// <folder>/run.db, declared before the run so that a refusal comes early, and held until the end so
/// that no second run uses the folder.
class RunStore {
 public:
  RunStore(const std::filesystem::path& folder, const std::string& experiment,
           const TrainConfig& config);
  /// A run that is there already stays as it is.
  void append(const Run& run);

 private:
  ResultStore store_;
};

/// The root seeds of `count` repetitions: first, first + 1, … Each is a run of its own, the one that
/// `train --seed` gives; streams of neighbouring seeds are independent, since a seed is hashed.
[[nodiscard]] std::vector<std::uint64_t> repetition_seeds(std::uint64_t first, int count);

/// A grid of trainings, as bench and imitate give it to the sweep engine.
struct TrainingGrid {
  Sweep sweep;
  std::filesystem::path store;
  int jobs = 1;
  bool shown = true;                                         // progress on standard error
  std::function<std::optional<Run>(std::size_t index)> run;  // nothing: it was interrupted
  std::function<void(const Run&)> stored;                    // tells the user about it
};

/// Whether this process does one run at a time and shows the run's own progress; several runs share
/// one bar.
[[nodiscard]] bool one_by_one(int jobs);

/// Nothing on a rank other than 0. What is not a run's fault (memory, disk, a missing file) is
/// a retryable error: the run gets no row, and the error is thrown as an InputError when the others
/// are done. Any other exception is a failed row. Throws Interrupted after a signal.
std::optional<SweepProgress> run_grid(const TrainingGrid& grid);

}  // namespace speder::deep::cli

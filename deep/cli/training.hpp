#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "speder/deep/cli/command.hpp"
#include "speder/deep/train/loop.hpp"

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

}  // namespace speder::deep::cli

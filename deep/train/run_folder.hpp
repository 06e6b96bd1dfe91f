#pragma once

#include <string>

#include "speder/deep/train/loop.hpp"
#include "speder/sweep/grid_cell.hpp"

namespace speder::deep {

/// "algorithm=… env=… preset=… steps=…": the cell of a run in the result store; its repetition is the seed.
[[nodiscard]] GridCell cell_of(const TrainConfig& config);

[[nodiscard]] RunKey key_of(const std::string& experiment, const TrainConfig& config);

struct RunFolder {
  std::filesystem::path path;  // made when absent
  std::string device = "cpu";
  std::filesystem::path packages;
  int checkpoint_every = 10'000;
  bool resume = false;
};

/// Throws what train_in_folder would refuse, before anything is written: device, task, a folder that
/// is in use.
void check_run(const TrainConfig& config, const RunFolder& folder);

/// A training run with its files: config.toml, checkpoints, TensorBoard events and, at the end,
/// policy.h5 (a network `speder deep rollout --policy` takes; not for ppo). Without `resume`, a
/// folder that already has a checkpoint is refused.
[[nodiscard]] TrainResult train_in_folder(const TrainConfig& config, const RunFolder& folder,
                                          const TrainObserver& observer);

/// The run as a row of the store; failed when it diverged.
[[nodiscard]] Run to_run(const std::string& experiment, const TrainConfig& config,
                         const TrainResult& result, double seconds);

}  // namespace speder::deep

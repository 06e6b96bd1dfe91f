#pragma once

#include <string>
#include <string_view>

#include "speder/deep/train/checkpoint.hpp"
#include "speder/deep/train/loop.hpp"
#include "speder/io/durable_file.hpp"
#include "speder/sweep/grid_cell.hpp"

namespace speder::deep {

/// Scalars as a TensorBoard event file (framed protocol buffers, written by hand: four fields).
class EventFile {
 public:
  /// `wall_time` seconds since 1970 go into the records; `first_step` into the file's name, so that
  /// a resumed run adds a file and TensorBoard joins them.
  EventFile(const std::filesystem::path& folder, std::int64_t first_step, double wall_time);

  /// The measures of one step.
  void scalars(double wall_time, const std::vector<Measure>& measures);

  /// Writes it through to the disk and reads it back; InputError where it reads back as other bytes.
  /// No more scalars after it.
  void finish();

 private:
  void record(std::string_view data);
  std::filesystem::path path_;
  GrowingFile out_;
  std::uint64_t size_ = 0;  // of what was written, and its checksum
  Crc32c crc_;
};

/// "algorithm=… env=… preset=… steps=…": the cell of a run in the result store; its repetition is the seed.
[[nodiscard]] GridCell cell_of(const TrainConfig& config);

[[nodiscard]] RunKey key_of(const std::string& experiment, const TrainConfig& config);

/// What a run does with the checkpoint of its folder.
enum class Start {
  kNew,     // a folder that holds one is refused
  kResume,  // a folder that holds none is refused
  kEither,  // goes on from it if there is one
};

struct RunFolder {
  std::filesystem::path path;  // made when absent
  std::string device = "cpu";
  std::filesystem::path packages;
  int checkpoint_every = 10'000;
  Start start = Start::kNew;
};

/// Throws what train_in_folder would refuse, before anything is written: device, task, and a folder
/// that does not suit `start`.
void check_run(const TrainConfig& config, const RunFolder& folder);

/// A training run with its files: config.toml, checkpoints, TensorBoard events and, at the end,
/// policy.h5 (a network `speder deep rollout --policy` takes; not for ppo).
[[nodiscard]] TrainResult train_in_folder(const TrainConfig& config, const RunFolder& folder,
                                          const TrainObserver& observer);

/// The run as a row of the store; failed when it diverged.
[[nodiscard]] Run to_run(const std::string& experiment, const TrainConfig& config,
                         const TrainResult& result, double seconds);

}  // namespace speder::deep

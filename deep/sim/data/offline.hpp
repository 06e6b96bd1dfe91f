#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace speder::deep {

/// Logged steps one after the other, row-major. Row i + 1 holds the successor of row i unless
/// last[i] is set.
struct OfflineData {
  int observation_size = 0;
  int action_size = 0;
  std::vector<float> observations;      // (N × D)
  std::vector<float> actions;           // (N × A)
  std::vector<float> rewards;           // (N)
  std::vector<std::uint8_t> terminals;  // (N) the logged flag; in D4RL's mazes not an end
  std::vector<std::uint8_t> last;       // (N) the next row belongs to another trajectory
  // D4RL's infos/, written only: goal (N × 2) when there; qpos and qvel are the observation cut
  // after its first position_size entries, when that is not 0.
  std::vector<float> goal;
  int position_size = 0;

  [[nodiscard]] std::size_t rows() const { return last.size(); }
  /// Rows whose successor is known.
  [[nodiscard]] std::vector<std::int64_t> transitions() const;
  [[nodiscard]] std::size_t trajectories() const;
};

struct ReadOptions {
  int max_episode_steps = 1000;  // files without `timeouts` are cut every so many rows
  // Old AntMaze files mark ends in wrong rows: a step longer than this (metres, first two
  // observations) is an end too; 0 takes the file's word.  [docs/imitation.md]
  double jump = 1.0;
};

/// D4RL's flat layout. Throws ConfigError that names the dataset: missing, wrong shape, not
/// numeric, non-finite, or declared larger than stored.
[[nodiscard]] OfflineData read_d4rl(const std::filesystem::path& path,
                                    const ReadOptions& options = {});
/// Minari's episodes: `main_data.hdf5` or the folder above it. An episode of T steps gives T + 1
/// rows, the last without action. Goal tasks: the ant's state is achieved_goal ++ observation[:27],
/// the ball's is its observation.
[[nodiscard]] OfflineData read_minari(const std::filesystem::path& path);
/// What `speder deep rollout --out` writes (write_trajectories): T + 1 rows for T steps, as Minari's.
[[nodiscard]] OfflineData read_rollout(const std::filesystem::path& path);
/// Whichever of the three layouts the file has.
[[nodiscard]] OfflineData read_offline(const std::filesystem::path& path,
                                       const ReadOptions& options = {});
/// D4RL's layout: float32 tables, `terminals` and `timeouts` as numpy booleans. `task` becomes the
/// attribute env. compress: gzip level, 0 for none.
void write_d4rl(const std::filesystem::path& path, const OfflineData& data, const std::string& task,
                int compress = 0);

}  // namespace speder::deep

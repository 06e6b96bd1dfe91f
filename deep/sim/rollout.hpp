#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "speder/deep/sim/controller.hpp"
#include "speder/deep/sim/env/env.hpp"
#include "speder/io/hdf5.hpp"

namespace speder::deep {

/// T steps of one environment, row-major, exactly as it returned them (double).
struct Trajectory {
  std::vector<double> qpos;              // (nq) at the start
  std::vector<double> qvel;              // (nv)
  std::vector<double> observations;      // ((T+1) × D)
  std::vector<double> actions;           // (T × A)
  std::vector<double> rewards;           // (T)
  std::vector<std::int64_t> terminated;  // (T) 0 or 1
  std::vector<std::int64_t> truncated;   // (T)
  bool unstable = false;                 // the simulation blew up at the last step
  [[nodiscard]] double total_reward() const;
  [[nodiscard]] int steps() const { return static_cast<int>(rewards.size()); }
};

/// Called at the start and after every step, for rendering.
using FrameObserver = std::function<void(Env&)>;

/// Follows the policy from the environment's present state to the end of the episode.
[[nodiscard]] Trajectory run_episode(Env& env, const Controller& policy,
                                     const FrameObserver& observer);
/// Applies given actions (T × A) from the present state, past any end; stops only at a blow-up.
[[nodiscard]] Trajectory replay_actions(Env& env, const H5Array& actions,
                                        const FrameObserver& observer);
/// Datasets observations, actions, rewards, terminated, truncated of all trajectories one after the
/// other, lengths (E), and qpos, qvel of each start.
void write_trajectories(const std::filesystem::path& path, const EnvSpec& spec,
                        const std::vector<Trajectory>& trajectories);

}  // namespace speder::deep

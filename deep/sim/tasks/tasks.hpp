#pragma once

#include "speder/deep/sim/env/task.hpp"

namespace speder::deep {

// One function per file beside this one; tasks.cpp lists them.
[[nodiscard]] Task half_cheetah();
[[nodiscard]] Task reacher();
[[nodiscard]] Task humanoid_et();
[[nodiscard]] Task pendulum();
[[nodiscard]] Task inverted_pendulum();
[[nodiscard]] Task ant_et();
[[nodiscard]] Task hopper_et();
[[nodiscard]] Task slim_humanoid_et();
[[nodiscard]] Task cart_pole();
[[nodiscard]] Task walker_et();
[[nodiscard]] Task cheetah_run();
[[nodiscard]] Task cheetah_run_sparse();
[[nodiscard]] Task walker_run();
[[nodiscard]] Task walker_run_sparse();
[[nodiscard]] Task humanoid_run();
[[nodiscard]] Task hopper_hop();
[[nodiscard]] Task point_maze_medium();
[[nodiscard]] Task point_maze_large();
[[nodiscard]] Task ant_maze_medium();
[[nodiscard]] Task ant_maze_large();
[[nodiscard]] Task ant_direction();

}  // namespace speder::deep

#pragma once

#include <string>

#include "speder/deep/sim/env/world.hpp"
#include "speder/deep/sim/maze/maze.hpp"

namespace speder::deep {

/// MuJoCo models with the sizes, masses and limits of D4RL's (docs/imitation.md, Mazes); the goal of an
/// episode is kept in mjData::userdata.
inline constexpr double kPointCell = 1.0;
inline constexpr double kAntCell = 4.0;
inline constexpr int kUserData = 16;

/// D4RL's ball: two slide joints without gravity, 0.01 s a step, among walls.
[[nodiscard]] std::string point_maze_model(const Maze& maze);
/// D4RL's ant (torque ±30, 0.02 s a physics step) on a plain floor, and among walls 1 m half high.
[[nodiscard]] std::string ant_model();
[[nodiscard]] std::string ant_maze_model(const Maze& maze);

inline constexpr double kSuccessRadius = 0.5;  // metres, in both mazes  [docs/imitation.md]

/// The goal of the running episode is kept in mjData::userdata, which mj_resetData clears.
inline void set_goal(World& world, const Place& goal) {
  world.data->userdata[0] = goal.x;
  world.data->userdata[1] = goal.y;
}
[[nodiscard]] inline Place goal_of(const World& world) {
  return {world.data->userdata[0], world.data->userdata[1]};
}
[[nodiscard]] inline Place place_of(const World& world) { return {world.qpos[0], world.qpos[1]}; }

[[nodiscard]] inline bool at_goal(const World& world) {
  return distance(place_of(world), goal_of(world)) <= kSuccessRadius;
}

}  // namespace speder::deep

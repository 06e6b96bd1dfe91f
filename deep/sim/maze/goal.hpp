#pragma once

#include "speder/deep/sim/env/world.hpp"
#include "speder/deep/sim/maze/maze.hpp"

namespace speder::deep {

inline constexpr double kSuccessRadius = 0.5;  // metres, in both mazes  [docs/imitation.md]

/// The goal of the running episode lives in mjData::userdata, which mj_resetData clears.
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

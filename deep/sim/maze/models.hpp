#pragma once

#include <string>

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

}  // namespace speder::deep

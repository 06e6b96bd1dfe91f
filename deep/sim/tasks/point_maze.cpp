#include <algorithm>

#include "speder/deep/sim/maze/models.hpp"
#include "speder/deep/sim/tasks/common.hpp"
#include "speder/deep/sim/tasks/tasks.hpp"

namespace speder::deep {
namespace {

constexpr double kMaxSpeed = 5.0;
constexpr double kNoise = 0.1;  // of start, goal and velocity  [docs/imitation.md]

template <int layout>
const Maze& maze() {
  static const Maze m(maze_layouts()[layout], kPointCell);
  return m;
}

template <int layout>
void clear(World& world) {
  mj_resetData(world.model, world.data);
  set_goal(world, maze<layout>().centre(maze<layout>().layout().goal));
}

template <int layout>
void sample(World& world, Rng& rng) {
  for (double& q : world.qpos) q = rng.uniform(-kNoise, kNoise);
  for (double& v : world.qvel) v = kNoise * rng.normal();
  Place goal = goal_of(world);
  goal.x += rng.uniform(-kNoise, kNoise);
  goal.y += rng.uniform(-kNoise, kNoise);
  set_goal(world, goal);
}

// Velocities are clipped before a step, not after it.
void advance(World& world) {
  for (double& v : world.qvel) v = std::clamp(v, -kMaxSpeed, kMaxSpeed);
  mj_step(world.model, world.data);
}

double reward(const RewardInput& t) { return at_goal(t.world) ? 1.0 : 0.0; }

template <int layout>
Task point_maze(std::string_view name, int max_steps) {
  return {.name = name,
          .suite = "Maze",
          .description = "a ball finds the far corner of a maze",
          .package = Package::kNone,
          .model_file = {},
          .observation_size = 4,
          .action_size = 2,
          .substeps = 1,
          .max_steps = max_steps,
          .bodies = {},
          .sensors = {},
          .closed_form = {},
          .dynamics = {.clear = clear<layout>,
                       .finish = [](World& w) { mj_forward(w.model, w.data); },
                       .advance = advance},
          .sample = sample<layout>,
          .observe = positions_velocities<0>,
          .reward = reward,
          .terminated = never,
          .success = at_goal,
          .model_text = [] { return point_maze_model(maze<layout>()); }};
}

}  // namespace

Task point_maze_medium() { return point_maze<0>("PointMaze-medium", 600); }
Task point_maze_large() { return point_maze<1>("PointMaze-large", 800); }

}  // namespace speder::deep

#include <algorithm>

#include "speder/deep/sim/maze/models.hpp"
#include "speder/deep/sim/tasks/mbbl.hpp"
#include "speder/deep/sim/tasks/tasks.hpp"

namespace speder::deep {
namespace {

template <int layout>
const Maze& maze() {
  static const Maze m(maze_layouts()[layout], kAntCell);
  return m;
}

template <int layout>
void clear(World& world) {
  mj_resetData(world.model, world.data);
  set_goal(world, maze<layout>().centre(maze<layout>().layout().goal));
}

// qpos₀ + U(±0.1), qvel = 0.1 N(0,1); goal = cell centre + U(0,1) + U(0,0.5) per axis, a new one
// for every episode (D4RL's v2 resets).  [docs/imitation.md]
template <int layout>
void sample(World& world, Rng& rng) {
  mbbl::uniform_positions(world, rng, 0.1);
  mbbl::normal_velocities(world, rng, 0.1);
  const auto offset = [&rng] { return rng.uniform(0.0, 1.0) + rng.uniform(0.0, 0.5); };
  Place goal = goal_of(world);
  goal.x = std::max(goal.x + offset(), 0.0);
  goal.y = std::max(goal.y + offset(), 0.0);
  set_goal(world, goal);
}

double reward(const RewardInput& t) { return at_goal(t.world) ? 1.0 : 0.0; }

template <int layout>
Task ant_maze(std::string_view name) {
  return {.name = name,
          .suite = "Maze",
          .description = "the ant walks to the far corner of a maze",
          .package = Package::kNone,
          .model_file = {},
          .observation_size = 29,
          .action_size = 8,
          .substeps = 5,
          .max_steps = 1000,
          .bodies = {},
          .sensors = {},
          .closed_form = {},
          .dynamics = {.clear = clear<layout>,
                       .finish = gym_dynamics().finish,
                       .advance = gym_dynamics().advance},
          .sample = sample<layout>,
          .observe = positions_velocities<0>,
          .reward = reward,
          .terminated = never,  // a fallen ant goes on, as in D4RL
          .success = at_goal,
          .model_text = [] { return ant_maze_model(maze<layout>()); }};
}

}  // namespace

Task ant_maze_medium() { return ant_maze<0>("AntMaze-medium"); }
Task ant_maze_large() { return ant_maze<1>("AntMaze-large"); }

}  // namespace speder::deep

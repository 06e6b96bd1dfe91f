#include <algorithm>
#include <cmath>
#include <numbers>

#include "speder/deep/sim/maze/models.hpp"
#include "speder/deep/sim/tasks/mbbl.hpp"
#include "speder/deep/sim/tasks/tasks.hpp"

namespace speder::deep {
namespace {

// Observation: qpos without x, y (13), qvel (14), the commanded direction z (2).
// userdata: the angle of each stretch of 100 steps, then x, y before the running step.
constexpr int kStretch = 100;
constexpr int kStretches = 10;
constexpr double kControlStep = 0.1;

void sample(World& world, Rng& rng) {
  mbbl::uniform_positions(world, rng, 0.1);
  mbbl::normal_velocities(world, rng, 0.1);
  for (int k = 0; k < kStretches; ++k) {
    world.data->userdata[k] = rng.uniform(0.0, 2 * std::numbers::pi);
  }
}

void advance(World& world) {
  world.data->userdata[kStretches] = world.qpos[0];
  world.data->userdata[kStretches + 1] = world.qpos[1];
  gym_dynamics().advance(world);
}

void observe(const World& world, std::span<double> out) {
  positions_velocities<2>(world, out);
  const auto step = std::lround(world.data->time / kControlStep);
  const double angle = world.data->userdata[std::min<long>(step / kStretch, kStretches - 1)];
  out[27] = std::cos(angle);
  out[28] = std::sin(angle);
}

bool done(std::span<const double> obs) { return obs[0] > 1.0 || obs[0] < 0.2; }

// r = (xy' − xy)·z / 0.1 s: metres per second along the commanded direction.  [docs/imitation.md]
double reward(const RewardInput& t) {
  const double* before = t.world.data->userdata + kStretches;
  return ((t.world.qpos[0] - before[0]) * t.before[27] +
          (t.world.qpos[1] - before[1]) * t.before[28]) /
         kControlStep;
}

}  // namespace

Task ant_direction() {
  return {.name = "AntDirection",
          .suite = "Maze",
          .description = "the ant follows a direction that changes every 100 steps",
          .package = Package::kNone,
          .model_file = {},
          .observation_size = 29,
          .action_size = 8,
          .substeps = 5,
          .max_steps = kStretch * kStretches,
          .bodies = {},
          .sensors = {},
          .closed_form = {},
          .dynamics = {.clear = gym_dynamics().clear,
                       .finish = gym_dynamics().finish,
                       .advance = advance},
          .sample = sample,
          .observe = observe,
          .reward = reward,
          .terminated = done,
          .success = nullptr,
          .model_text = ant_model};
}

}  // namespace speder::deep

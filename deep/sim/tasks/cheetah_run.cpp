#include "speder/deep/sim/tasks/control_suite.hpp"
#include "speder/deep/sim/tasks/tasks.hpp"

namespace speder::deep {
namespace {

enum Sensor { kVelocity };
constexpr int kSettlingSteps = 200;
constexpr double kRunSpeed = 10;  // m/s

// Limited joints U(range); 200 steps without control let it drop onto its feet; the clock restarts.
// Only the six limited joints are drawn: the root's pitch is not.
void sample(World& world, Rng& rng) {
  const mjModel& m = *world.model;
  for (int j = 0; j < m.njnt; ++j) {
    if (m.jnt_limited[j] == 0) continue;
    world.qpos[static_cast<std::size_t>(j)] =
        rng.uniform(m.jnt_range[2 * j], m.jnt_range[2 * j + 1]);
  }
  control_suite_step(world, kSettlingSteps);
  world.data->time = 0;
}

// r = clip(v / 10, 0, 1)  [docs/environments.md]
double reward(const RewardInput& t) {
  return control_suite::speed_reward(t.world.data->sensordata[t.world.sensor[kVelocity]],
                                     kRunSpeed);
}

}  // namespace

Task cheetah_run() {
  return {.name = "cheetah_run",
          .suite = "DMC",
          .description = "planar cheetah, speed up to 10 m/s",
          .package = Package::kDmControl,
          .model_file = "cheetah.xml",
          .observation_size = 17,
          .action_size = 6,
          .substeps = 1,
          .max_steps = 1000,
          .bodies = {},
          .sensors = {"torso_subtreelinvel"},
          .closed_form = {},
          .dynamics = control_suite_dynamics(),
          .sample = sample,
          .observe = positions_velocities<1>,
          .reward = reward,
          .terminated = never};
}

Task cheetah_run_sparse() {
  Task task = cheetah_run();
  task.name = "cheetah_run_sparse";
  task.description = "cheetah_run with rewards below 0.25 (2.5 m/s) set to 0";
  task.reward = [](const RewardInput& t) { return control_suite::sparse(reward(t)); };
  return task;
}

}  // namespace speder::deep

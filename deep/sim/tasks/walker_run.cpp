#include "speder/deep/sim/tasks/control_suite.hpp"
#include "speder/deep/sim/tasks/tasks.hpp"

namespace speder::deep {
namespace {

enum Body { kTorso };
enum Sensor { kVelocity };
constexpr double kStandHeight = 1.2;
constexpr double kRunSpeed = 8;
constexpr int kXx = 0, kXz = 2, kZz = 8;  // entries of a row-major 3 × 3 rotation

// orientations (x·x, x·z of bodies 1…7), torso height, velocities
void observe(const World& world, std::span<double> out) {
  auto next = out.begin();
  for (int b = 1; b < world.model->nbody; ++b) {
    *next++ = world.data->xmat[9 * b + kXx];
    *next++ = world.data->xmat[9 * b + kXz];
  }
  *next++ = world.data->xpos[3 * world.body[kTorso] + 2];
  std::copy(world.qvel.begin(), world.qvel.end(), next);
}

// r = stand · (5 move + 1) / 6, stand = (3 g(h) + (1 + zz)/2) / 4, move = clip(v / 8, 0, 1)
double reward(const RewardInput& t) {
  const mjData& d = *t.world.data;
  const double h = d.xpos[3 * t.world.body[kTorso] + 2];
  const double upright = (1 + d.xmat[9 * t.world.body[kTorso] + kZz]) / 2;
  const double standing = control_suite::height_reward(h, kStandHeight, kStandHeight / 2);
  const double stand = (3 * standing + upright) / 4;
  const double move =
      control_suite::speed_reward(d.sensordata[t.world.sensor[kVelocity]], kRunSpeed);
  return stand * (5 * move + 1) / 6;
}

}  // namespace

Task walker_run() {
  return {.name = "walker_run",
          .suite = "DMC",
          .description = "planar walker, upright and up to 8 m/s",
          .package = Package::kDmControl,
          .model_file = "walker.xml",
          .observation_size = 24,
          .action_size = 6,
          .substeps = 10,
          .max_steps = 1000,
          .bodies = {"torso"},
          .sensors = {"torso_subtreelinvel"},
          .closed_form = {},
          .dynamics = control_suite_dynamics(),
          .sample = control_suite::randomise_joints,
          .observe = observe,
          .reward = reward,
          .terminated = never};
}

Task walker_run_sparse() {
  Task task = walker_run();
  task.name = "walker_run_sparse";
  task.description = "walker_run with rewards below 0.25 set to 0";
  task.reward = [](const RewardInput& t) { return control_suite::sparse(reward(t)); };
  return task;
}

}  // namespace speder::deep

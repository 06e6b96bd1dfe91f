#include <cmath>

#include "speder/deep/sim/tasks/control_suite.hpp"
#include "speder/deep/sim/tasks/tasks.hpp"

namespace speder::deep {
namespace {

enum Body { kTorso, kFoot };
enum Sensor { kVelocity, kToe, kHeel };
constexpr double kStandHeight = 0.6;
constexpr double kMaxHeight = 2.0;
constexpr double kHopSpeed = 2;

// qpos[1:] (6), velocities (7), log(1 + touch) of toe and heel. Touch is an acceleration-stage
// sensor and stays one physics step old by design.
void observe(const World& world, std::span<double> out) {
  const auto q = world.qpos.subspan(1);
  auto next = std::copy(q.begin(), q.end(), out.begin());
  next = std::copy(world.qvel.begin(), world.qvel.end(), next);
  *next++ = std::log1p(world.data->sensordata[world.sensor[kToe]]);
  *next++ = std::log1p(world.data->sensordata[world.sensor[kHeel]]);
}

// r = 1[0.6 ≤ height ≤ 2] · clip(v / 2, 0, 1); height between centres of mass (xipos, not xpos)
double reward(const RewardInput& t) {
  const mjData& d = *t.world.data;
  const double height =
      d.xipos[3 * t.world.body[kTorso] + 2] - d.xipos[3 * t.world.body[kFoot] + 2];
  if (height < kStandHeight || height > kMaxHeight) return 0;
  return control_suite::speed_reward(d.sensordata[t.world.sensor[kVelocity]], kHopSpeed);
}

}  // namespace

Task hopper_hop() {
  return {.name = "hopper_hop",
          .suite = "DMC",
          .description = "planar hopper, tall and up to 2 m/s",
          .package = Package::kDmControl,
          .model_file = "hopper.xml",
          .observation_size = 15,
          .action_size = 4,
          .substeps = 4,
          .max_steps = 1000,
          .bodies = {"torso", "foot"},
          .sensors = {"torso_subtreelinvel", "touch_toe", "touch_heel"},
          .closed_form = {},
          .dynamics = control_suite_dynamics(),
          .sample = control_suite::randomise_joints,
          .observe = observe,
          .reward = reward,
          .terminated = never};
}

}  // namespace speder::deep

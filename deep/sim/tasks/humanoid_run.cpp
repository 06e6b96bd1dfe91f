#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "speder/deep/sim/tasks/control_suite.hpp"
#include "speder/deep/sim/tasks/tasks.hpp"

namespace speder::deep {
namespace {

enum Body { kTorso, kHead, kLeftHand, kLeftFoot, kRightHand, kRightFoot };
enum Sensor { kVelocity };
constexpr double kStandHeight = 1.4;
constexpr double kRunSpeed = 10;
constexpr int kZx = 6, kZz = 8;  // row-major rotation: zx, zy, zz are consecutive
constexpr int kMaxDraws = 10000;

// Draw again until nothing touches; each draw is judged after a forward without actuation.
void sample(World& world, Rng& rng) {
  for (int draw = 0; draw < kMaxDraws; ++draw) {
    control_suite::randomise_joints(world, rng);
    mj_forward(world.passive, world.data);
    if (world.data->ncon == 0) return;
  }
  throw std::runtime_error("humanoid_run: no collision-free pose found");
}

// joint angles qpos[7:] (21), head height, extremities (12), torso vertical (3), velocity of the
// centre of mass (3), velocities (27)
void observe(const World& world, std::span<double> out) {
  const mjData& d = *world.data;
  const mjtNum* torso = d.xpos + 3 * world.body[kTorso];
  const mjtNum* frame = d.xmat + 9 * world.body[kTorso];
  const auto joints = world.qpos.subspan(7);
  auto next = std::copy(joints.begin(), joints.end(), out.begin());
  *next++ = d.xpos[3 * world.body[kHead] + 2];
  for (const Body limb : {kLeftHand, kLeftFoot, kRightHand, kRightFoot}) {
    const mjtNum* at = d.xpos + 3 * world.body[limb];
    const double offset[3] = {at[0] - torso[0], at[1] - torso[1], at[2] - torso[2]};
    for (int c = 0; c < 3; ++c) {  // Rᵀ (x_limb − x_torso)
      *next++ = offset[0] * frame[c] + offset[1] * frame[3 + c] + offset[2] * frame[6 + c];
    }
  }
  next = std::copy_n(frame + kZx, 3, next);
  next = std::copy_n(d.sensordata + world.sensor[kVelocity], 3, next);
  std::copy(world.qvel.begin(), world.qvel.end(), next);
}

// r = sc · (g · up) · (5 clip(‖v_xy‖ / 10, 0, 1) + 1) / 6  [docs/environments.md]
double reward(const RewardInput& t) {
  const mjData& d = *t.world.data;
  const double head = d.xpos[3 * t.world.body[kHead] + 2];
  const double standing = control_suite::height_reward(head, kStandHeight, kStandHeight / 4);
  const double zz = d.xmat[9 * t.world.body[kTorso] + kZz];
  const double tilt = (0.9 - zz) / 1.9;  // up = clip((1 + zz) / 1.9, 0, 1)
  const double upright = zz >= 0.9 ? 1.0 : (tilt < 1 ? 1 - tilt : 0.0);
  double calm = 0;  // mean of max(0, 1 − u²)
  for (const double u : t.action) calm += std::max(0.0, 1 - u * u);
  calm = (4 + calm / static_cast<double>(t.action.size())) / 5;
  const mjtNum* v = d.sensordata + t.world.sensor[kVelocity];
  const double speed = std::sqrt(v[0] * v[0] + v[1] * v[1]);
  const double move = (5 * control_suite::speed_reward(speed, kRunSpeed) + 1) / 6;
  return calm * (standing * upright) * move;
}

}  // namespace

Task humanoid_run() {
  return {.name = "humanoid_run",
          .suite = "DMC",
          .description = "humanoid, upright and up to 10 m/s",
          .package = Package::kDmControl,
          .model_file = "humanoid.xml",
          .observation_size = 67,
          .action_size = 21,
          .substeps = 5,
          .max_steps = 1000,
          .bodies = {"torso", "head", "left_hand", "left_foot", "right_hand", "right_foot"},
          .sensors = {"torso_subtreelinvel"},
          .closed_form = {},
          .dynamics = control_suite_dynamics(),
          .sample = sample,
          .observe = observe,
          .reward = reward,
          .terminated = never};
}

}  // namespace speder::deep

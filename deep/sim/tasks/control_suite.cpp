#include "speder/deep/sim/tasks/control_suite.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace speder::deep::control_suite {
namespace {

void random_quaternion(mjtNum* quaternion, Rng& rng) {
  double norm2 = 0;
  for (int i = 0; i < 4; ++i) {
    quaternion[i] = rng.uniform();
    norm2 += quaternion[i] * quaternion[i];
  }
  for (int i = 0; i < 4; ++i) quaternion[i] /= std::sqrt(norm2);
}

}  // namespace

double speed_reward(double speed, double target) {
  if (speed >= target) return 1.0;
  // 1 − (target − v)/target, in dm_control's order of operations, so that the bits agree
  const double gap = (target - speed) / target;
  return gap < 1 ? 1 - gap : 0.0;
}

double height_reward(double h, double height, double margin) {
  if (h >= height) return 1.0;
  const double scaled = (height - h) / margin * std::sqrt(-2 * std::log(0.1));
  return std::exp(-0.5 * (scaled * scaled));
}

double sparse(double reward) { return reward < 0.25 ? 0.0 : reward; }

void randomise_joints(World& world, Rng& rng) {
  const mjModel& m = *world.model;
  for (int j = 0; j < m.njnt; ++j) {
    mjtNum* q = world.data->qpos + m.jnt_qposadr[j];
    const int type = m.jnt_type[j];
    if (m.jnt_limited[j] != 0) {
      *q = rng.uniform(m.jnt_range[2 * j], m.jnt_range[2 * j + 1]);
    } else if (type == mjJNT_HINGE) {
      *q = rng.uniform(-std::numbers::pi, std::numbers::pi);
    } else if (type == mjJNT_FREE) {
      random_quaternion(q + 3, rng);
    }
  }
}

}  // namespace speder::deep::control_suite

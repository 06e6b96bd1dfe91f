#include <cmath>

#include "speder/deep/sim/tasks/mbbl.hpp"
#include "speder/deep/sim/tasks/tasks.hpp"

namespace speder::deep {
namespace {

// State: qpos = (x, θ), qvel = (ẋ, θ̇).
constexpr double kGravity = 9.8;
constexpr double kPoleMass = 0.1;
constexpr double kTotalMass = 1.0 + kPoleMass;
constexpr double kHalfLength = 0.5;
constexpr double kForce = 10.0;  // newtons, to the right when a > 0, else to the left
constexpr double kStep = 0.02;

void clear(World& world) {
  std::fill(world.qpos.begin(), world.qpos.end(), 0.0);
  std::fill(world.qvel.begin(), world.qvel.end(), 0.0);
  world.control[0] = 0;
}
void finish(World&) {}

void sample(World& world, Rng& rng) {
  for (double* s : {&world.qpos[0], &world.qvel[0], &world.qpos[1], &world.qvel[1]}) {
    *s = rng.uniform(-0.05, 0.05);
  }
}

// gym's explicit Euler step of the cart-pole equations; it never terminates.  [docs/environments.md]
void advance(World& world) {
  double &x = world.qpos[0], &theta = world.qpos[1];
  double &v = world.qvel[0], &omega = world.qvel[1];
  const double force = world.control[0] > 0 ? kForce : -kForce;
  const double c = std::cos(theta);
  const double s = std::sin(theta);
  const double pole = kPoleMass * kHalfLength;
  const double temp = (force + pole * (omega * omega) * s) / kTotalMass;
  const double angular =
      (kGravity * s - c * temp) / (kHalfLength * (4.0 / 3.0 - kPoleMass * (c * c) / kTotalMass));
  const double linear = temp - pole * angular * c / kTotalMass;
  x += kStep * v;
  v += kStep * linear;
  theta += kStep * omega;
  omega += kStep * angular;
}

void observe(const World& world, std::span<double> out) {
  out[0] = world.qpos[0];
  out[1] = world.qvel[0];
  out[2] = world.qpos[1];
  out[3] = world.qvel[1];
}

// r = cos θ − 0.01 x²  [docs/environments.md]
double reward(const RewardInput& t) {
  return std::cos(t.before[2]) - 0.01 * t.before[0] * t.before[0];
}

}  // namespace

Task cart_pole() {
  return {.name = "CartPole",
          .suite = "MBBL",
          .description = "pole on a cart pushed left or right by the action's sign",
          .package = Package::kNone,
          .model_file = {},
          .observation_size = 4,
          .action_size = 1,
          .substeps = 1,
          .max_steps = 201,  // MBBL tests step > 200
          .bodies = {},
          .sensors = {},
          .closed_form = {.nq = 2, .nv = 2, .control_limit = 1.0, .control_step = kStep},
          .dynamics = {.clear = clear, .finish = finish, .advance = advance},
          .sample = sample,
          .observe = observe,
          .reward = reward,
          .terminated = never};
}

}  // namespace speder::deep

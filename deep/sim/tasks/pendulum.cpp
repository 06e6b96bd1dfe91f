#include <algorithm>
#include <cmath>
#include <numbers>

#include "speder/deep/sim/tasks/mbbl.hpp"
#include "speder/deep/sim/tasks/tasks.hpp"

namespace speder::deep {
namespace {

// State: qpos = (θ), qvel = (θ̇); θ = 0 is upright. g = 10, m = l = 1.
constexpr double kStep = 0.05;
constexpr double kMaxSpeed = 8.0;
constexpr double kMaxTorque = 2.0;

void clear(World& world) { world.qpos[0] = world.qvel[0] = world.control[0] = 0; }
void finish(World&) {}

// MBBL writes the state back from the observation: θ ∈ (−π, π].
void sample(World& world, Rng& rng) {
  const double theta = rng.uniform(-std::numbers::pi, std::numbers::pi);
  world.qpos[0] = std::atan2(std::sin(theta), std::cos(theta));
  world.qvel[0] = rng.uniform(-1.0, 1.0);
}

// θ̇' = θ̇ + (−15 sin(θ + π) + 3u) Δ,  θ' = θ + θ̇' Δ with the unclipped θ̇', then |θ̇'| ≤ 8
void advance(World& world) {
  double& theta = world.qpos[0];
  double& speed = world.qvel[0];
  speed = speed + (-15 * std::sin(theta + std::numbers::pi) + 3 * world.control[0]) * kStep;
  theta = theta + speed * kStep;
  speed = std::clamp(speed, -kMaxSpeed, kMaxSpeed);
}

void observe(const World& world, std::span<double> out) {
  out[0] = std::cos(world.qpos[0]);
  out[1] = std::sin(world.qpos[0]);
  out[2] = world.qvel[0];
}

// r = −(cos θ + 0.1 |sin θ| + 0.1 θ̇² + 0.001 u²): MBBL rewards hanging down.  [docs/environments.md]
double reward(const RewardInput& t) {
  const double u = t.action[0];
  return -(t.before[0] + 0.1 * std::abs(t.before[1]) + 0.1 * t.before[2] * t.before[2] +
           0.001 * u * u);
}

}  // namespace

Task pendulum() {
  return {.name = "Pendulum",
          .suite = "MBBL",
          .description = "single pendulum; MBBL's sign rewards hanging still",
          .package = Package::kNone,
          .model_file = {},
          .observation_size = 3,
          .action_size = 1,
          .substeps = 1,
          .max_steps = 201,  // MBBL tests step > 200
          .bodies = {},
          .sensors = {},
          .closed_form = {.nq = 1, .nv = 1, .control_limit = kMaxTorque, .control_step = kStep},
          .dynamics = {.clear = clear, .finish = finish, .advance = advance},
          .sample = sample,
          .observe = observe,
          .reward = reward,
          .terminated = never};
}

}  // namespace speder::deep

#include <cmath>

#include "speder/deep/sim/tasks/mbbl.hpp"
#include "speder/deep/sim/tasks/tasks.hpp"

namespace speder::deep {
namespace {

enum Body { kFingertip, kTarget };

// The goal is drawn from the square U(±0.2)²: gym 0.9's test ‖goal‖ < 2 always held; gymnasium's
// disc of radius 0.2 is not MBBL's task.
void sample(World& world, Rng& rng) {
  mbbl::uniform_positions(world, rng, 0.1);
  mbbl::uniform_velocities(world, rng, 0.005);
  for (const std::size_t i : {std::size_t{2}, std::size_t{3}}) {
    world.qpos[i] = rng.uniform(-0.2, 0.2);
    world.qvel[i] = 0;
  }
}

// cos θ (2), sin θ (2), target (2), θ̇ (2), fingertip − target (3)
void observe(const World& world, std::span<double> out) {
  const mjtNum* tip = world.data->xpos + 3 * world.body[kFingertip];
  const mjtNum* target = world.data->xpos + 3 * world.body[kTarget];
  for (std::size_t i = 0; i < 2; ++i) {
    out[i] = std::cos(world.qpos[i]);
    out[2 + i] = std::sin(world.qpos[i]);
    out[4 + i] = world.qpos[2 + i];
    out[6 + i] = world.qvel[i];
  }
  for (std::size_t i = 0; i < 3; ++i) out[8 + i] = tip[i] - target[i];
}

// r = −‖fingertip − target‖ − ‖a‖²  [docs/environments.md]
double reward(const RewardInput& t) {
  return -std::sqrt(mbbl::squared_norm(t.before.last(3))) - mbbl::squared_norm(t.action);
}

}  // namespace

Task reacher() {
  return {.name = "Reacher",
          .suite = "MBBL",
          .description = "two-joint arm reaches a point",
          .package = Package::kGymnasium,
          .model_file = "reacher.xml",
          .observation_size = 11,
          .action_size = 2,
          .substeps = 2,
          .max_steps = 50,
          .bodies = {"fingertip", "target"},
          .sensors = {},
          .closed_form = {},
          .dynamics = gym_dynamics(),
          .sample = sample,
          .observe = observe,
          .reward = reward,
          .terminated = never};
}

}  // namespace speder::deep

#include "speder/deep/sim/tasks/mbbl.hpp"
#include "speder/deep/sim/tasks/tasks.hpp"

namespace speder::deep {
namespace {

constexpr int kAngle = 1;  // observation: cart, pole, then their velocities

void sample(World& world, Rng& rng) {
  mbbl::uniform_positions(world, rng, 0.01);
  mbbl::uniform_velocities(world, rng, 0.01);
}

// r = −θ²; the cart's place has weight 0  [docs/environments.md]
double reward(const RewardInput& t) { return -t.before[kAngle] * t.before[kAngle]; }

}  // namespace

Task inverted_pendulum() {
  return {.name = "I-Pendulum",
          .suite = "MBBL",
          .description = "pole on a cart, held upright",
          .package = Package::kGymnasium,
          .model_file = "inverted_pendulum.xml",
          .observation_size = 4,
          .action_size = 1,
          .substeps = 2,
          .max_steps = 101,  // MBBL tests step > 100
          .bodies = {},
          .sensors = {},
          .closed_form = {},
          .dynamics = gym_dynamics(),
          .sample = sample,
          .observe = positions_velocities<0>,
          .reward = reward,
          .terminated = never};
}

}  // namespace speder::deep

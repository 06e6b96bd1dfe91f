#include "speder/deep/sim/tasks/mbbl.hpp"
#include "speder/deep/sim/tasks/tasks.hpp"

namespace speder::deep {
namespace {

constexpr int kSpeed = 8;  // observation: qpos[1:] (8), qvel (9)

void sample(World& world, Rng& rng) {
  mbbl::uniform_positions(world, rng, 0.1);
  mbbl::normal_velocities(world, rng, 0.1);
  mbbl::hide(world, 1);
}

// r = v_x − 0.1 ‖a‖²  [docs/environments.md]
double reward(const RewardInput& t) {
  return t.before[kSpeed] - 0.1 * mbbl::squared_norm(t.action);
}

}  // namespace

Task half_cheetah() {
  return {.name = "HalfCheetah",
          .suite = "MBBL",
          .description = "planar cheetah, forward speed",
          .package = Package::kGymnasium,
          .model_file = "half_cheetah.xml",
          .observation_size = 17,
          .action_size = 6,
          .substeps = 5,
          .max_steps = 1000,
          .bodies = {},
          .sensors = {},
          .closed_form = {},
          .dynamics = gym_dynamics(),
          .sample = sample,
          .observe = positions_velocities<1>,
          .reward = reward,
          .terminated = never};
}

}  // namespace speder::deep

#include "speder/deep/sim/tasks/mbbl.hpp"
#include "speder/deep/sim/tasks/tasks.hpp"

namespace speder::deep {
namespace {

// Observation: height, quaternion (4), 8 joints, then qvel (14); no contact forces.
constexpr int kHeight = 0;
constexpr int kSpeed = 13;

void sample(World& world, Rng& rng) {
  mbbl::uniform_positions(world, rng, 0.1);
  mbbl::normal_velocities(world, rng, 0.1);
  mbbl::hide(world, 2);
}

bool done(std::span<const double> obs) { return obs[kHeight] > 1.0 || obs[kHeight] < 0.2; }

// r = v_x − 3 (h − 0.57)² − 0.1 ‖a‖² + alive  [docs/environments.md]
double reward(const RewardInput& t) {
  const double off = t.before[kHeight] - 0.57;
  return t.before[kSpeed] - 3 * off * off - 0.1 * mbbl::squared_norm(t.action) +
         mbbl::alive(done(t.before));
}

}  // namespace

Task ant_et() {
  return {.name = "Ant-ET",
          .suite = "MBBL",
          .description = "four-legged ant, forward speed, ends when it jumps or falls",
          .package = Package::kGymnasium,
          .model_file = "ant.xml",
          .observation_size = 27,
          .action_size = 8,
          .substeps = 5,
          .max_steps = 1000,
          .bodies = {},
          .sensors = {},
          .closed_form = {},
          .dynamics = gym_dynamics(),
          .sample = sample,
          .observe = positions_velocities<2>,
          .reward = reward,
          .terminated = done};
}

}  // namespace speder::deep

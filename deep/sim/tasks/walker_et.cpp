#include <cmath>

#include "speder/deep/sim/tasks/mbbl.hpp"
#include "speder/deep/sim/tasks/tasks.hpp"

namespace speder::deep {
namespace {

// Observation: height, angle, 6 joints, then qvel (9).
constexpr int kHeight = 0;
constexpr int kAngle = 1;
constexpr int kSpeed = 8;

void sample(World& world, Rng& rng) {
  mbbl::uniform_positions(world, rng, 0.005);
  mbbl::uniform_velocities(world, rng, 0.005);
  mbbl::hide(world, 1);
}

bool done(std::span<const double> obs) {
  return obs[kHeight] >= 2.0 || obs[kHeight] <= 0.8 || std::abs(obs[kAngle]) >= 1.0;
}

// r = v_x − 3 (h − 1.3)² − 0.1 ‖a‖² + alive  [docs/environments.md]
double reward(const RewardInput& t) {
  const double off = t.before[kHeight] - 1.3;
  return t.before[kSpeed] - 3 * off * off - 0.1 * mbbl::squared_norm(t.action) +
         mbbl::alive(done(t.before));
}

}  // namespace

Task walker_et() {
  return {.name = "Walker-ET",
          .suite = "MBBL",
          .description = "two-legged planar walker, forward speed, ends when it falls",
          .package = Package::kGymnasium,
          .model_file = "walker2d_v5.xml",  // keeps the old geometry and foot friction
          .observation_size = 17,
          .action_size = 6,
          .substeps = 4,
          .max_steps = 1000,
          .bodies = {},
          .sensors = {},
          .closed_form = {},
          .dynamics = gym_dynamics(),
          .sample = sample,
          .observe = positions_velocities<1>,
          .reward = reward,
          .terminated = done};
}

}  // namespace speder::deep

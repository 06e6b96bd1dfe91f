#include "speder/deep/sim/tasks/mbbl.hpp"
#include "speder/deep/sim/tasks/tasks.hpp"

namespace speder::deep {

Task slim_humanoid_et() {
  return {.name = "S-Humanoid-ET",
          .suite = "MBBL",
          .description = "humanoid observed by positions and velocities only",
          .package = Package::kGymnasium,
          .model_file = "humanoid.xml",
          .observation_size = 45,
          .action_size = 17,
          .substeps = 5,
          .max_steps = 1000,
          .bodies = {},
          .sensors = {},
          .closed_form = {},
          .dynamics = gym_dynamics(),
          .sample = humanoid::sample,
          .observe = positions_velocities<2>,
          .reward = humanoid::locomotion_reward,
          .terminated = humanoid::done};
}

}  // namespace speder::deep

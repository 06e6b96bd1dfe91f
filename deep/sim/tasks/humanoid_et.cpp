#include <algorithm>

#include "speder/deep/sim/tasks/mbbl.hpp"
#include "speder/deep/sim/tasks/tasks.hpp"

namespace speder::deep {
namespace {

constexpr std::size_t kForces = 84;  // cfrc_ext, the last part of the observation

// mj_step has not filled cfrc_ext since MuJoCo 2.0: without the explicit call the last 84 entries
// and the impact cost would be 0.  [docs/environments.md]
void advance(World& world) {
  for (int i = 0; i < world.substeps; ++i) mj_step(world.model, world.data);
  mj_rnePostConstraint(world.model, world.data);
}

Dynamics dynamics() {
  Dynamics calls = gym_dynamics();
  calls.advance = advance;
  return calls;
}

// positions and velocities (45), cinert (140), cvel (84), qfrc_actuator (23), cfrc_ext (84). MBBL
// keeps the rows of the world body and of the root that gymnasium drops as always zero.
void observe(const World& world, std::span<double> out) {
  positions_velocities<2>(world, out);
  const mjData& d = *world.data;
  const auto bodies = world.model->nbody;
  double* next = out.data() + world.qpos.size() - 2 + world.qvel.size();
  next = std::copy_n(d.cinert, 10 * bodies, next);
  next = std::copy_n(d.cvel, 6 * bodies, next);
  next = std::copy_n(d.qfrc_actuator, world.model->nv, next);
  std::copy_n(d.cfrc_ext, 6 * bodies, next);
}

// S-Humanoid-ET's reward + max(−5·10⁻⁷ ‖cfrc_ext‖², −10)
double reward(const RewardInput& t) {
  const double impact = mbbl::squared_norm(t.before.last(kForces));
  return humanoid::locomotion_reward(t) + std::max(-5e-7 * impact, -10.0);
}

}  // namespace

Task humanoid_et() {
  return {.name = "Humanoid-ET",
          .suite = "MBBL",
          .description = "humanoid with inertias, velocities and contact forces",
          .package = Package::kGymnasium,
          .model_file = "humanoid.xml",
          .observation_size = 376,
          .action_size = 17,
          .substeps = 5,
          .max_steps = 1000,
          .bodies = {},
          .sensors = {},
          .closed_form = {},
          .dynamics = dynamics(),
          .sample = humanoid::sample,
          .observe = observe,
          .reward = reward,
          .terminated = humanoid::done};
}

}  // namespace speder::deep

#pragma once

#include <algorithm>
#include <span>

#include "speder/deep/sim/tasks/common.hpp"

/// What the MBBL tasks share: r_t is a function of the observation BEFORE the step and of the action
/// in the task's own units; done is a function of the observation after it; alive = 1 iff the
/// pre-step observation is not done, so the step that ends an episode still earns it.
/// [docs/environments.md]
namespace speder::deep::mbbl {

inline double squared_norm(std::span<const double> x) {
  double sum = 0;
  for (const double v : x) sum += v * v;
  return sum;
}

inline double alive(bool done) { return done ? 0.0 : 1.0; }

/// qpos₀ + U(±scale) for every coordinate; the caller hides what the task hides.
inline void uniform_positions(World& world, Rng& rng, double scale) {
  for (double& q : world.qpos) q += rng.uniform(-scale, scale);
}
inline void uniform_velocities(World& world, Rng& rng, double scale) {
  for (double& v : world.qvel) v = rng.uniform(-scale, scale);
}
inline void normal_velocities(World& world, Rng& rng, double scale) {
  for (double& v : world.qvel) v = scale * rng.normal();
}

/// MBBL resets its walkers twice and writes the first observation back with the unobserved root
/// coordinates at 0. The second draw is lost, so one draw and the zeros are the same distribution.
inline void hide(World& world, int hidden) { std::fill_n(world.qpos.begin(), hidden, 0.0); }

}  // namespace speder::deep::mbbl

/// What MBBL's Humanoid-ET and S-Humanoid-ET share.  [docs/environments.md]
namespace speder::deep::humanoid {

// Observation begins: height, quaternion (4), 17 joints, then qvel (23).
inline constexpr int kHeight = 0;
inline constexpr int kSpeed = 22;

/// No reset hack here: x and y keep their noise.
inline void sample(World& world, Rng& rng) {
  mbbl::uniform_positions(world, rng, 0.01);
  mbbl::uniform_velocities(world, rng, 0.01);
}

inline bool done(std::span<const double> obs) { return obs[kHeight] < 1.0 || obs[kHeight] > 2.0; }

/// r = (0.25 / 0.015) v_x − 0.1 ‖a‖² + 5 alive. The factor is MBBL's, 13.3 times gym's.
inline double locomotion_reward(const RewardInput& t) {
  return 0.25 / 0.015 * t.before[kSpeed] - 0.1 * mbbl::squared_norm(t.action) +
         5 * mbbl::alive(done(t.before));
}

}  // namespace speder::deep::humanoid

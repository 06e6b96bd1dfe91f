#pragma once

#include "speder/deep/sim/tasks/mbbl.hpp"

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
inline double locomotion_reward(const Transition& t) {
  return 0.25 / 0.015 * t.before[kSpeed] - 0.1 * mbbl::squared_norm(t.action) +
         5 * mbbl::alive(done(t.before));
}

}  // namespace speder::deep::humanoid

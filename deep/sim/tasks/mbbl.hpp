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

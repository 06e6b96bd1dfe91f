#pragma once

#include <algorithm>
#include <span>

#include "speder/deep/sim/env/task.hpp"

namespace speder::deep {

/// For tasks without early termination; the step limit is a truncation.
inline bool never(std::span<const double>) { return false; }

/// qpos without the first `hidden` root coordinates, then qvel. Velocities are not clipped.
template <int hidden>
void positions_velocities(const World& world, std::span<double> out) {
  const auto q = world.qpos.subspan(hidden);
  std::copy(world.qvel.begin(), world.qvel.end(), std::copy(q.begin(), q.end(), out.begin()));
}

}  // namespace speder::deep

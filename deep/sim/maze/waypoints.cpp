#include "speder/deep/sim/maze/waypoints.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace speder::deep {
namespace {

constexpr double kGain = 10;
constexpr double kDamping = 1;
constexpr double kOffset = 1.0 / 8;  // of a cell

}  // namespace

Place Waypoints::next(const Place& here, Rng& rng) {
  const Cell cell = maze_->cell_at(here);
  if (cell == cell_) return waypoint_;
  cell_ = cell;
  const Cell target = maze_->cell_at(goal_);
  const Cell towards = maze_->next(cell, target);
  waypoint_ = goal_;
  if (towards == target) return waypoint_;
  const double offset = kOffset * maze_->cell_size();
  waypoint_ = maze_->centre(towards);
  waypoint_.x += rng.uniform(-offset, offset);
  waypoint_.y += rng.uniform(-offset, offset);
  return waypoint_;
}

Walk point_walk() {
  return [](std::span<const double> s, const Place& waypoint, std::span<double> action) {
    action[0] = std::clamp(kGain * (waypoint.x - s[0]) - kDamping * s[2], -1.0, 1.0);
    action[1] = std::clamp(kGain * (waypoint.y - s[1]) - kDamping * s[3], -1.0, 1.0);
  };
}

Walk ant_walk(Controller policy) {
  return [policy = std::move(policy), told = std::vector<double>()](
             std::span<const double> s, const Place& waypoint, std::span<double> action) mutable {
    const double dx = waypoint.x - s[0], dy = waypoint.y - s[1];
    const double norm = std::hypot(dx, dy);
    told.assign(s.begin() + 2, s.end());
    told.push_back(norm > 0 ? dx / norm : 1.0);
    told.push_back(norm > 0 ? dy / norm : 0.0);
    policy(told, action);
  };
}

}  // namespace speder::deep

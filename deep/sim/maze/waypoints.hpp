#pragma once

#include <functional>
#include <span>

#include "speder/core/rng.hpp"
#include "speder/deep/sim/controller.hpp"
#include "speder/deep/sim/env/env.hpp"
#include "speder/deep/sim/maze/maze.hpp"

namespace speder::deep {

/// High level: where to head for. The waypoint is the centre of the next cell on a shortest path,
/// plus an offset of up to an eighth of a cell per axis that is held until the cell changes; the
/// goal itself in the goal's cell and the cell before it.  [docs/imitation.md]
class Waypoints {
 public:
  Waypoints(const Maze& maze, const Place& goal) : maze_(&maze), goal_(goal) {}
  [[nodiscard]] const Place& goal() const { return goal_; }
  [[nodiscard]] Place next(const Place& here, Rng& rng);

 private:
  const Maze* maze_;
  Place goal_;
  Cell cell_{-1, -1};
  Place waypoint_;
};

/// Low level: an action in [−1, 1]ᴬ that heads for a waypoint.
using Walk = std::function<void(std::span<const double> observation, const Place& waypoint,
                                std::span<double> action)>;

/// The ball: a = clip(10 (waypoint − position) − velocity).  [docs/imitation.md]
[[nodiscard]] Walk point_walk();
/// The ant: a policy of AntDirection told the unit direction to the waypoint.
[[nodiscard]] Walk ant_walk(Controller policy);

}  // namespace speder::deep

#pragma once

#include <algorithm>
#include <memory>

#include "speder/deep/sim/env/env.hpp"
#include "speder/deep/sim/tasks/common.hpp"

namespace speder::deep {

/// A point on a line: x ← clip(x + ¼a, ±2), reward −x², twelve steps from x ~ U(−1, 1). The best
/// policy drives x to zero and stays: the return is that of pure control, no exploration needed.
inline Task point_task() {
  Task task;
  task.name = "Point";
  task.suite = "test";
  task.observation_size = 1;
  task.action_size = 1;
  task.max_steps = 12;
  task.closed_form = {.nq = 1, .nv = 0, .control_limit = 1, .control_step = 1};
  task.dynamics.clear = [](World& w) { w.qpos[0] = 0; };
  task.dynamics.finish = [](World&) {};
  task.dynamics.advance = [](World& w) {
    w.qpos[0] = std::clamp(w.qpos[0] + 0.25 * w.control[0], -2.0, 2.0);
  };
  task.sample = [](World& w, Rng& rng) { w.qpos[0] = rng.uniform(-1, 1); };
  task.observe = [](const World& w, std::span<double> out) { out[0] = w.qpos[0]; };
  task.reward = [](const RewardInput& t) { return -t.before[0] * t.before[0]; };
  task.terminated = never;
  return task;
}

inline std::shared_ptr<const Physics> point_physics() {
  static const Task task = point_task();
  auto physics = std::make_shared<Physics>();
  physics->task = &task;
  physics->spec = {.name = "Point",
                   .suite = "test",
                   .observation_size = 1,
                   .action_size = 1,
                   .action_low = {-1},
                   .action_high = {1},
                   .control_step = 1,
                   .physics_steps = 1,
                   .max_steps = task.max_steps};
  return physics;
}

}  // namespace speder::deep

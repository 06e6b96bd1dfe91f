#pragma once

#include <array>
#include <span>
#include <vector>

#include "speder/core/rng.hpp"
#include "speder/deep/sim/env/mujoco.hpp"

namespace speder::deep {

struct ExactMdp;  // deep/sim/exact/exact_task.hpp

/// The simulated state that task functions work on. For closed-form tasks model and data are null
/// and qpos, qvel, control view the environment's own memory.
struct World {
  const mjModel* model = nullptr;
  const mjModel* passive = nullptr;  // the same model with actuation disabled
  mjData* data = nullptr;
  std::span<double> qpos;
  std::span<double> qvel;
  std::span<double> control;  // action in the task's own units
  int substeps = 1;
  std::array<int, 8> body{};
  std::array<int, 8> sensor{};
  const ExactMdp* exact = nullptr;  // of an exact MDP, whose steps are random:
  Rng noise{0};                     // made anew at each start, from the episode's own stream
};

/// State sizes and limits of a task without a MuJoCo model.
struct ClosedForm {
  int nq = 0;
  int nv = 0;
  double control_limit = 0;
  double control_step = 0;  // seconds
};

/// One order of calls. A new episode is clear, write the state, finish; a step is advance.
struct Dynamics {
  void (*clear)(World&) = nullptr;
  void (*finish)(World&) = nullptr;
  void (*advance)(World&) = nullptr;
};

/// gym and gymnasium: mj_resetData, state, mj_forward; then mj_step × substeps. Quantities derived
/// from positions stay one substep old, as in the originals.
[[nodiscard]] Dynamics gym_dynamics();
/// dm_control's "legacy" order: forward without actuation around the reset; mj_step2, mj_step ×
/// (substeps − 1), mj_step1, so that derived quantities are current.  [docs/environments.md]
[[nodiscard]] Dynamics control_suite_dynamics();
void control_suite_step(World& world, int substeps);

}  // namespace speder::deep

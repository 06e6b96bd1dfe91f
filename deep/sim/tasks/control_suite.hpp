#pragma once

#include "speder/deep/sim/tasks/common.hpp"

/// What the DeepMind Control tasks share.  [docs/environments.md]
namespace speder::deep::control_suite {

/// min(max(v / target, 0), 1): rewards.tolerance with a linear slope that reaches 0 at rest.
[[nodiscard]] double speed_reward(double speed, double target);
/// 1 from `height` on; below it 0.1 to the power of ((height − h) / margin)².
[[nodiscard]] double height_reward(double h, double height, double margin);
/// RE3 / MADE's run_sparse: a reward below 0.25 counts as 0.
[[nodiscard]] double sparse(double reward);

/// Limited hinges and slides U(range), free hinges U(−π, π), free-joint quaternions a normalised
/// U[0,1)⁴ (dm_control keeps that on purpose), root translations untouched.
void randomise_joints(World& world, Rng& rng);

}  // namespace speder::deep::control_suite

#pragma once

#include <string>
#include <vector>

namespace speder::deep {

/// What an agent may know about a task. Actions are in [−1, 1] at the interface; action_low and
/// action_high are the task's own units, in which control costs are counted.
struct EnvSpec {
  std::string name;
  std::string suite;  // MBBL or DMC
  int observation_size = 0;
  int action_size = 0;
  std::vector<double> action_low;   // (action_size)
  std::vector<double> action_high;  // (action_size)
  double control_step = 0;          // seconds of simulated time per step()
  int physics_steps = 0;            // per step(); 1 for closed-form dynamics
  int max_steps = 0;                // the step with this number is truncated
  bool discrete = false;            // action_size choices: the largest entry is taken
  double discount = 0;              // the task's own; 0: it has none
};

/// terminated: the task's own end, no value beyond it. truncated: the step limit or a simulation
/// that blew up; the value beyond it still counts (bootstrap).
struct StepResult {
  double reward = 0;
  bool terminated = false;
  bool truncated = false;
  bool unstable = false;  // truncated because of a MuJoCo warning or a non-finite number
  [[nodiscard]] bool ended() const { return terminated || truncated; }
};

}  // namespace speder::deep

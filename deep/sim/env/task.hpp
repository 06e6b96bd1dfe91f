#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "speder/core/rng.hpp"
#include "speder/deep/sim/env/assets.hpp"
#include "speder/deep/sim/env/world.hpp"

namespace speder::deep {

/// Arguments of a reward. MBBL rewards read `before` (the observation before the step) and
/// `action`; control-suite rewards read the world after the step.
struct RewardInput {
  const World& world;
  std::span<const double> before;
  std::span<const double> action;  // in the task's own units
};

/// One task: a row of facts and functions. Adding a task is one file that returns such a row and
/// one line in tasks.cpp.
struct Task {
  std::string_view name;
  std::string_view suite;
  std::string_view description;
  Package package = Package::kNone;
  std::string_view model_file;  // empty: written in code, or closed-form dynamics
  int observation_size = 0;
  int action_size = 0;
  int substeps = 1;
  int max_steps = 0;
  std::vector<const char*> bodies;   // names resolved once: world.body[i]
  std::vector<const char*> sensors;  // world.sensor[i]: address of the sensor's first value
  ClosedForm closed_form;            // sizes and limits when there is no model

  Dynamics dynamics;                       // clear, finish, advance: one call order
  void (*sample)(World&, Rng&) = nullptr;  // draws the state of a new episode
  void (*observe)(const World&, std::span<double>) = nullptr;
  double (*reward)(const RewardInput&) = nullptr;
  bool (*terminated)(std::span<const double> after) = nullptr;
  bool (*success)(const World&) = nullptr;  // goal tasks: being there ends the episode
  std::string (*model_text)() = nullptr;    // a model written in code
};

/// Every task, in the order of the paper's tables.
[[nodiscard]] const std::vector<Task>& tasks();
/// Throws InputError that lists the names.
[[nodiscard]] const Task& find_task(std::string_view name);

}  // namespace speder::deep

#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "speder/core/rng.hpp"
#include "speder/deep/sim/env/spec.hpp"
#include "speder/deep/sim/env/task.hpp"

namespace speder::deep {

/// A task with its compiled models: read-only, shared by any number of environments and threads.
struct Physics {
  const Task* task = nullptr;
  ModelPtr model;    // null for closed-form tasks
  ModelPtr passive;  // actuation disabled; only for tasks whose dynamics ask for it
  EnvSpec spec;
  std::shared_ptr<const ExactMdp> exact;   // an exact MDP, whose file is the task
  std::shared_ptr<const Task> exact_task;  // then `task` points to it
};

/// Loads the model of a task from the packages folder, or the MDP of "mdp:FILE" (exact_task.hpp). Throws
/// InputError when a file is missing.
[[nodiscard]] std::shared_ptr<const Physics> load_physics(std::string_view task,
                                                          const std::filesystem::path& packages);

struct EnvOptions {
  bool keep_going = false;  // replay: ends are reported, not enforced; step() is allowed after them
};

/// One simulated environment. Not copyable; one thread at a time.
class Env {
 public:
  explicit Env(std::shared_ptr<const Physics> physics, EnvOptions options = {});
  Env(Env&&) = default;

  [[nodiscard]] const EnvSpec& spec() const { return physics_->spec; }
  /// Starts an episode from the task's own distribution; returns the first observation.
  std::span<const double> reset(Rng& rng);
  /// Starts an episode from a given state. Throws unless the sizes match and all is finite.
  std::span<const double> place(std::span<const double> qpos, std::span<const double> qvel);
  /// Action in [−1, 1] per entry (values outside are clipped). Throws std::invalid_argument on a
  /// wrong size or a non-finite entry, std::logic_error when the episode is over. A simulation that
  /// blows up ends the episode as truncated with reward 0 and the last sound observation.
  StepResult step(std::span<const double> action);

  [[nodiscard]] std::span<const double> observation() const { return observation_; }
  [[nodiscard]] std::span<const double> qpos() const { return world_.qpos; }
  [[nodiscard]] std::span<const double> qvel() const { return world_.qvel; }
  [[nodiscard]] int steps() const { return steps_; }
  [[nodiscard]] std::int64_t unstable_episodes() const { return unstable_; }
  /// For rendering and tests.
  [[nodiscard]] World& world() { return world_; }
  [[nodiscard]] const Physics& physics() const { return *physics_; }

 private:
  void set_control(std::span<const double> action);
  [[nodiscard]] bool sound(std::span<const double> observation) const;
  bool begin();

  std::shared_ptr<const Physics> physics_;
  EnvOptions options_;
  DataPtr data_;
  std::vector<double> closed_form_;  // qpos, qvel, control of closed-form tasks
  World world_;
  std::vector<double> middle_;       // (A) control = middle + half · action
  std::vector<double> half_;         // (A)
  std::vector<double> observation_;  // (D)
  std::vector<double> next_;         // (D)
  int steps_ = 0;
  bool ended_ = false;
  bool broken_ = true;  // no state to step from: before the first reset, or after a blow-up
  std::int64_t unstable_ = 0;
};

}  // namespace speder::deep

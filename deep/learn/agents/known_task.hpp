#pragma once

#include <optional>

#include "speder/deep/learn/nn/torch.hpp"
#include "speder/deep/sim/env/spec.hpp"

namespace speder::deep {

/// Reward and end of an MBBL task as functions of tensors, for learners that imagine steps. These
/// rewards read nothing but the observation before the step and the action; rewards of the control suite
/// read quantities that are not observed.
class KnownTask {
 public:
  /// Nothing for a task whose reward is not known.
  static std::optional<KnownTask> find(const EnvSpec& spec, Device device);
  /// Throws std::invalid_argument instead; check_suits() refuses earlier and says more.
  static KnownTask of(const EnvSpec& spec, Device device);
  [[nodiscard]] static bool is_known(const EnvSpec& spec);

  /// state (…, S), action (…, A) in [−1, 1], clipped and taken to the task's own units here as the
  /// environment does → (…).
  [[nodiscard]] Tensor reward(const Tensor& state, const Tensor& action) const;
  /// 1 where an episode ends with this observation, else 0.
  [[nodiscard]] Tensor ended(const Tensor& next_state) const;

  using Reward = Tensor (*)(const Tensor& state, const Tensor& units);
  using Ended = Tensor (*)(const Tensor& state);

 private:
  KnownTask(Reward r, Ended e, Tensor middle, Tensor half)
      : reward_(r), ended_(e), middle_(std::move(middle)), half_(std::move(half)) {}

  Reward reward_;
  Ended ended_;
  Tensor middle_, half_;  // (A) units = middle + half · action
};

}  // namespace speder::deep

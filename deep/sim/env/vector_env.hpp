#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "speder/core/rng.hpp"
#include "speder/deep/sim/env/env.hpp"
#include "speder/deep/sim/env/worker_pool.hpp"

namespace speder::deep {

struct VectorOptions {
  int envs = 1;
  int threads = 1;
};

/// N environments stepped together into contiguous float32 buffers. Environment i draws from its
/// own stream ("env", i), so results do not depend on the number of threads. An environment whose
/// episode ended starts a new one within the same step.
class VectorEnv {
 public:
  VectorEnv(const std::shared_ptr<const Physics>& physics, const VectorOptions& options,
            const SeedTree& seeds);

  [[nodiscard]] const EnvSpec& spec() const { return envs_.front().spec(); }
  [[nodiscard]] int size() const { return static_cast<int>(envs_.size()); }
  void reset();
  /// actions: (N × A), row-major. Throws before anything moves on a wrong size or non-finite entry.
  void step(std::span<const float> actions);

  /// (N × D) what to act on next: the new episode's first observation after an end.
  [[nodiscard]] std::span<const float> observations() const { return observations_; }
  /// (N × D) the true successors of the last step, never a reset observation: what to store.
  [[nodiscard]] std::span<const float> next_observations() const { return next_observations_; }
  [[nodiscard]] std::span<const float> rewards() const { return rewards_; }
  [[nodiscard]] std::span<const std::uint8_t> terminated() const { return terminated_; }
  [[nodiscard]] std::span<const std::uint8_t> truncated() const { return truncated_; }
  [[nodiscard]] std::int64_t unstable_episodes() const;
  /// One member, for rendering and tests; not while a step runs.
  [[nodiscard]] Env& member(int i) { return envs_.at(static_cast<std::size_t>(i)); }

 private:
  void step_one(int i, std::span<const float> actions);

  std::vector<Env> envs_;
  std::vector<Rng> rngs_;
  std::vector<std::vector<double>> actions_;  // per environment: the action as double
  std::unique_ptr<WorkerPool> pool_;
  std::vector<float> observations_;
  std::vector<float> next_observations_;
  std::vector<float> rewards_;
  std::vector<std::uint8_t> terminated_;
  std::vector<std::uint8_t> truncated_;
};

}  // namespace speder::deep

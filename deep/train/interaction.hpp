#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <semaphore>
#include <thread>

#include "speder/deep/learn/agents/agent.hpp"
#include "speder/deep/sim/env/env.hpp"

namespace speder::deep {

/// The environment of a run and the policy's side of a step.
class Interaction {
 public:
  Interaction(const std::shared_ptr<const Physics>& physics, Device device, const SeedTree& seeds);

  void start_episode(std::int64_t episode);
  /// Acts on the current observation (uniformly without an agent) and steps; all randomness comes
  /// from the stream of this step's number. An agent with memory has it from its first step in the
  /// episode on.
  void step(const Agent* agent, std::int64_t number);
  /// The last step, for the buffer. Valid until advance().
  [[nodiscard]] EnvStep taken() const;
  /// Makes the successor the current observation; true when the episode is over.
  bool advance();
  [[nodiscard]] double episode_return() const { return episode_return_; }

 private:
  void choose_action(const Agent* agent, Rng& rng);

  Device device_;
  SeedTree seeds_;
  Env env_;
  std::optional<Player> player_;  // of this episode
  std::vector<float> observation_, next_, action_;
  std::vector<double> double_action_;
  StepResult result_;
  double episode_return_ = 0;
};

/// A thread that does one thing at a time beside its owner.
class SideThread {
 public:
  explicit SideThread(int product_threads);
  SideThread(const SideThread&) = delete;
  SideThread& operator=(const SideThread&) = delete;
  ~SideThread();

  void start(std::function<void()> work);
  /// Waits for it; rethrows what it threw.
  void join();

 private:
  std::function<void()> work_;  // empty: the thread ends
  std::exception_ptr error_;
  std::binary_semaphore begin_{0}, end_{0};
  std::thread thread_;
};

struct Evaluation {
  double mean = 0;       // of the undiscounted returns
  double deviation = 0;  // sample standard deviation over the episodes
  double mean_length = 0;
};

/// Episodes with the mean action, side by side in environments of their own: training is not
/// touched. Episode i starts from stream ("episode", i) of `seeds`, and a player draws at step t from
/// ("plan", t).
[[nodiscard]] Evaluation evaluate(const Agent& agent, const std::shared_ptr<const Physics>& physics,
                                  int episodes, Device device, const SeedTree& seeds);

}  // namespace speder::deep

#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "speder/deep/learn/agents/agent.hpp"
#include "speder/deep/sim/env/env.hpp"
#include "speder/deep/train/interaction.hpp"
#include "speder/sweep/store.hpp"

namespace speder::deep {

/// Where a run happens; none of it changes its numbers (on one kind of device).
struct RunPlace {
  Device device = at::kCPU;
  std::filesystem::path checkpoints;  // folder; empty: none are written
  int checkpoint_every = 10'000;      // steps; taken at the next end of an episode
  bool resume = false;                // goes on from the newest sound checkpoint, if there is one
};

struct Progress {
  std::int64_t step = 0;
  std::int64_t updates = 0;
  std::int64_t episodes = 0;
  double episode_return = 0;    // of the last finished training episode
  std::vector<Measure> losses;  // of this step
};

/// Called as the run goes on; any may be empty.
struct TrainObserver {
  std::function<void(const Progress&)> progress;  // every kProgressSteps steps
  std::function<void(std::int64_t step, const Evaluation&)> evaluation;
  std::function<void(const std::string&)> warning;
  std::function<void(std::int64_t step)> resumed;
  std::function<void(const EnvStep&)> step;  // every step that goes into the buffer
  std::function<bool()> stop;  // asked after every step: true ends the run as interrupted
};
inline constexpr int kProgressSteps = 1000;
inline constexpr int kResultWindow = 4;     // evaluations averaged into a result, as in the paper
inline constexpr double kLossLimit = 1e12;  // a run with a larger loss has diverged

/// A run's result: the mean of its last kResultWindow evaluations, or of as many as it has.
struct FinalReturn {
  double mean = 0;
  int evaluations = 0;
};
/// Of the metric "return". Nothing when there was no evaluation: the run diverged before its first.
[[nodiscard]] std::optional<FinalReturn> final_return(const std::vector<Measure>& measures);

/// Everything that decides a run's numbers up to a given step: what a checkpoint is recognised by.
[[nodiscard]] std::string identity(TrainConfig config);

enum class TrainEnd { kFinished, kDiverged, kInterrupted };

struct TrainResult {
  std::vector<Measure> measures;  // return, return_std, length and losses at every evaluation
  std::optional<FinalReturn> final_return;
  TrainEnd end = TrainEnd::kFinished;
  std::string problem;  // names the first bad quantity when the run had to stop
  std::int64_t steps = 0;
  std::vector<NamedTensor> tensors;  // the trained agent
  bool network_policy = false;       // its actor.* alone give the mean action
};

/// One training run. The same configuration gives the same numbers, bit for bit on a CPU, whether
/// it was interrupted and resumed or not: all randomness comes from streams named by counters, and
/// checkpoints are taken between episodes. The policy is evaluated every eval_every steps and at the end.
///
/// With config.overlap, step t is acted and simulated on a second thread while the update of step t
/// runs. Who sees what is fixed, so the numbers still depend on the configuration alone: the action
/// of step t comes from the policy before that update, and the update draws from the steps before t.
/// Without it the update draws from the steps up to t.
[[nodiscard]] TrainResult train(const TrainConfig& config,
                                const std::shared_ptr<const Physics>& physics,
                                const RunPlace& place, const TrainObserver& observer = {});

}  // namespace speder::deep

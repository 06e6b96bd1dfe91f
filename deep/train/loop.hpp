#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "speder/deep/learn/agents/agent.hpp"
#include "speder/deep/sim/env/env.hpp"
#include "speder/deep/train/evaluate.hpp"
#include "speder/sweep/store.hpp"

namespace speder::deep {

/// Where a run happens; none of it changes its numbers (on one kind of device).
struct RunPlace {
  Device device = at::kCPU;
  std::filesystem::path checkpoints;  // folder; empty: none are written
  int checkpoint_every = 10'000;      // steps; taken at the next end of an episode
  bool resume = false;                // go on from the newest sound checkpoint when there is one
};

using Values = std::vector<std::pair<std::string, double>>;

struct Progress {
  std::int64_t step = 0;
  std::int64_t updates = 0;
  std::int64_t episodes = 0;
  double episode_return = 0;  // of the last finished training episode
  Values losses;
};

/// Called as the run goes on; any may be empty.
struct TrainObserver {
  std::function<void(const Progress&)> progress;  // every kProgressSteps steps
  std::function<void(std::int64_t step, const Evaluation&)> evaluation;
  std::function<void(const std::string&)> warning;
  std::function<void(std::int64_t step)> resumed;
  std::function<bool()> stop;  // asked after every step: true ends the run as interrupted
};
inline constexpr int kProgressSteps = 1000;
inline constexpr int kResultWindow =
    4;  // evaluations averaged into a run's result, as in the paper
inline constexpr double kLossLimit = 1e12;  // a loss above this is not learning any more

enum class TrainEnd { kFinished, kDiverged, kInterrupted };

struct TrainResult {
  std::vector<Measure> measures;  // return, return_std, length and losses at every evaluation
  double final_return = 0;        // mean of the last kResultWindow evaluations
  TrainEnd end = TrainEnd::kFinished;
  std::string problem;  // names the first bad quantity when the run had to stop
  std::int64_t steps = 0;
  std::vector<NamedTensor> tensors;  // the trained agent
};

/// One training run. The same configuration gives the same numbers, bit for bit on a CPU, whether
/// it was interrupted and resumed or not: all randomness comes from streams named by counters, and
/// checkpoints are taken between episodes.
///
/// With config.overlap, step t is acted and simulated on a second thread while the update of step t
/// runs. Who sees what is fixed, so the numbers still depend on the configuration alone: the action
/// of step t comes from the policy before that update, and the update draws from the steps before t.
/// Without it the update draws from the steps up to t.
[[nodiscard]] TrainResult train(const TrainConfig& config,
                                const std::shared_ptr<const Physics>& physics,
                                const RunPlace& place, const TrainObserver& observer = {});

/// Mean of the last kResultWindow values of metric "return".
[[nodiscard]] double final_return(const std::vector<Measure>& measures);

}  // namespace speder::deep

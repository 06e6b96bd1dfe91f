#pragma once

#include "speder/deep/learn/config.hpp"
#include "speder/deep/sim/env/spec.hpp"

namespace speder::deep {

struct UpdateSpeedOptions {
  int updates = 100;  // per sample, after as many to warm up
  int repeats = 5;    // medians are reported
  int stored = 20'000;
};

/// One thread, times in CPU-seconds: on a busy machine these are what an idle core would take.
struct UpdateSpeed {
  double updates_per_second = 0;
  double sampling_share = 0;    // of an update's time spent drawing its minibatch
  double gflop_per_update = 0;  // products a learner cannot do without; 0: not counted
  double sgemm_gflops = 0;      // of this core on a 1024³ product
  double peak_fraction = 0;     // gflop_per_update · updates_per_second / sgemm_gflops
  double resident_mib = 0;      // of the process, buffer not counted
  // of one action for one environment, for planners alone
  double actions_per_second = 0;
  double gflop_per_action = 0;
  double action_peak_fraction = 0;
};

[[nodiscard]] UpdateSpeed update_speed(const AgentConfig& config, const EnvSpec& spec,
                                       const UpdateSpeedOptions& options);

/// CPU-seconds of one update, measured on a few; 0 for learners that do not update at every step from a replay
/// buffer: their updates are of another kind.
[[nodiscard]] double update_seconds(const AgentConfig& config, const EnvSpec& spec);

/// Multiplications and additions of the matrix products of one update: forward passes, weight gradients, and
/// input gradients except into the data. For speder, trpo, rs, pets-*, metrpo, spede, dreamer and proto (before
/// explore_steps); 0 for the others. `stored` steps are in the buffer. A fit of the dynamics is taken to need
/// model_steps steps: those that end sooner are counted too high.
[[nodiscard]] double necessary_flops(const AgentConfig& config, const EnvSpec& spec, int stored);
/// Those of one planned action.
[[nodiscard]] double planning_flops(const AgentConfig& config, const EnvSpec& spec);

}  // namespace speder::deep

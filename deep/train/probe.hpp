#pragma once

#include "speder/deep/learn/agents/agent.hpp"
#include "speder/deep/sim/env/env.hpp"

namespace speder::deep {

/// The agent of a run's newest sound checkpoint, and its configuration.
struct TrainedAgent {
  TrainConfig config;
  Agent agent;
  std::int64_t steps = 0;  // that it had taken
  std::string warning;     // why a newer checkpoint was passed over; empty when none was
  std::shared_ptr<const Physics> physics;
};
/// Throws InputError when the folder holds no checkpoint, or not that of its config.toml.
[[nodiscard]] TrainedAgent load_run(const std::filesystem::path& folder,
                                    const std::filesystem::path& packages);

struct ProbeOptions {
  int states = 64;       // M
  int actions = 16;      // K of each
  int steps = 100;       // H of each return: what is left out is γᴴ of a value
  bool uniform = false;  // actions drawn uniformly, not from the policy
};

/// A mean over states with its standard error.
struct ProbeMean {
  double mean = 0;
  double error = 0;
};

/// What a critic says of actions beside what the simulator says: Q(s,a) and G(s,a), the discounted return of
/// a at s and of the mean action from then on. States are those that the policy meets, one of an episode each,
/// and actions those that it draws there.
struct Probe {
  ProbeMean q, g;     // over states, of the means over actions
  double states = 0;  // correlation of these means
  ProbeMean
      correlation;  // of Q and G over the actions of a state; states whose G is constant are left out
  ProbeMean
      choice;  // gain in G by the action with the largest Q, in gains of the best: 1 is the best
               // action, 0 one at random
  double spread =
      0;  // deviation of G over the actions of a state, root mean square: what there is to see
  int told = 0;  // states that are not left out
};

/// All randomness comes from streams of `seeds`. Needs an agent with `act` and `q`; throws InputError else.
/// `observe` hears how many states are done.
[[nodiscard]] Probe probe_critic(const TrainedAgent& run, const ProbeOptions& options,
                                 const SeedTree& seeds,
                                 const std::function<void(int done)>& observe = {});

/// The same from the numbers alone: rows are states, columns actions.           (M × K)
[[nodiscard]] Probe compare_actions(const Matrix& Q, const Matrix& G);

}  // namespace speder::deep

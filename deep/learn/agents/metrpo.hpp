#pragma once

#include <functional>

#include "speder/deep/learn/agents/dynamics_ensemble.hpp"
#include "speder/deep/learn/agents/known_task.hpp"
#include "speder/deep/learn/agents/trpo.hpp"

namespace speder::deep {

/// Everything that chance decides in T imagined steps of M trajectories side by side.
struct ImaginationDraws {
  Tensor start;   // (T, M, S)  where a trajectory begins at step t, if it begins there
  Tensor noise;   // (T, M, A)  standard normal
  Tensor member;  // (T, M)  which network takes the step
};
/// Starts are drawn from `starts` (n, S), each trajectory draws a member anew at every step.
[[nodiscard]] ImaginationDraws draw_imagination(const Tensor& starts, std::int64_t length,
                                                std::int64_t trajectories, int actions, int members,
                                                Device device, Rng& rng);

struct Imagination {
  std::function<Tensor(const Tensor& state, const Tensor& action, const Tensor& member)> step;
  std::function<Tensor(const Tensor& state, const Tensor& noise)> policy;  // unclipped actions
  Tensor limits;            // (2, S)  states are kept between these
  bool stop_at_end = true;  // else an imagined episode never ends before T
};
/// The M·T steps as rows, one trajectory after the other: an episode that ends is followed by another in the
/// same trajectory, and the last step of each is truncated.
[[nodiscard]] Minibatch imagine(const Imagination& world, const KnownTask& task,
                                const ImaginationDraws& draws);

/// First observations of the episodes in the buffer: (n, S) on the host.
[[nodiscard]] Tensor episode_starts(const RingBuffer& buffer);

/// ME-TRPO (Kurutach et al. 2018): TRPO inside an ensemble of deterministic models. An update is a round: fit
/// the models on all real steps, widen the policy to where it began, and improve it G times on imagined steps.
class ModelEnsembleTrpo {
 public:
  ModelEnsembleTrpo(const AgentConfig& config, const EnvSpec& spec, Device device,
                    const SeedTree& seeds);

  Diagnostics update(const RingBuffer& buffer, Rng& rng);
  [[nodiscard]] Tensor mean_action(const Tensor& states) const { return trpo_.mean_action(states); }
  [[nodiscard]] Tensor sample(const Tensor& states, const Tensor& noise) const {
    return trpo_.sample(states, noise);
  }
  [[nodiscard]] std::vector<NamedTensor> tensors();

 private:
  AgentConfig config_;
  Device device_;
  int actions_;
  KnownTask task_;
  DynamicsEnsemble ensemble_;
  Trpo trpo_;
};

}  // namespace speder::deep

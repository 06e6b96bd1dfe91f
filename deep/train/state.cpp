#include "speder/deep/train/state.hpp"

#include "speder/deep/train/saved_state.hpp"

namespace speder::deep {
namespace {

/// Everything that decides the numbers up to a given step.
std::string identity(TrainConfig config) {
  config.steps = 0;
  return to_toml(config);
}

SavedState saved(const TrainState& state, const TrainConfig& config) {
  return {.config = identity(config),
          .measures = state.measures,
          .counters = {state.step, state.episodes, state.updates, state.buffer.added()},
          .tensors = state.agent.tensors()};
}

}  // namespace

TrainState::TrainState(const TrainConfig& config, const EnvSpec& spec, Device device)
    : buffer(spec.observation_size, spec.action_size,
             config.agent.algorithm == "ppo" ? config.agent.rollout : config.replay),
      agent(make_agent(config.agent, spec, device, SeedTree(config.seed).child("agent"))) {}

void write(const TrainState& state, const TrainConfig& config,
           const std::filesystem::path& folder) {
  SavedState all = saved(state, config);
  all.more.push_back({"replay", std::as_bytes(state.buffer.rows())});
  save_state(all, folder);
}

void restore(TrainState& state, const TrainConfig& config, const Checkpoint& checkpoint) {
  SavedState all = saved(state, config);
  restore_state(all, checkpoint);
  state.step = all.counters[0];
  state.episodes = all.counters[1];
  state.updates = all.counters[2];
  state.measures = std::move(all.measures);
  std::vector<float> values(checkpoint.section("replay").size() / sizeof(float));
  checkpoint.copy_to("replay", std::as_writable_bytes(std::span(values)));
  state.buffer.restore(values, all.counters[3]);
}

}  // namespace speder::deep

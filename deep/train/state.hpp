#pragma once

#include "speder/deep/learn/agents/agent.hpp"
#include "speder/deep/train/checkpoint.hpp"
#include "speder/sweep/store.hpp"

namespace speder::deep {

/// Everything a run carries from one episode to the next. Random streams are named by the counters
/// and environments restart between episodes, so neither has a state of its own to keep.
struct TrainState {
  TrainState(const TrainConfig& config, const EnvSpec& spec, Device device);

  std::int64_t step = 0;
  std::int64_t episodes = 0;
  std::int64_t updates = 0;
  RingBuffer buffer;
  Agent agent;
  std::vector<Measure> measures;
};

/// Saves into <folder>/checkpoint.bin, under the conditions of save_state.
void write(const TrainState& state, const TrainConfig& config, const std::filesystem::path& folder);
/// Throws InputError when the checkpoint belongs to another configuration; `steps` may differ.
void restore(TrainState& state, const TrainConfig& config, const Checkpoint& checkpoint);

}  // namespace speder::deep

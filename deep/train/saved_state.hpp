#pragma once

#include "speder/deep/learn/nn/torch.hpp"
#include "speder/deep/train/checkpoint.hpp"
#include "speder/sweep/store.hpp"

namespace speder::deep {

/// What a checkpoint keeps of a run.
struct SavedState {
  std::string config;  // all that decides the numbers
  std::vector<Measure> measures;
  std::vector<std::int64_t> counters;
  std::vector<NamedTensor> tensors;
  std::vector<Section> more = {};  // bytes of the caller's own
};

/// Saves into <folder>/checkpoint.bin. Throws InputError when it cannot be written, and
/// std::runtime_error when a number is not finite: a diverged run must not replace a sound checkpoint.
void save_state(const SavedState& state, const std::filesystem::path& folder);
/// Measures, counters (as many as there are in `state`) and the values of its tensors; `more` is
/// the caller's to read. Throws InputError when the checkpoint was made with another config.
void restore_state(SavedState& state, const Checkpoint& checkpoint);

}  // namespace speder::deep

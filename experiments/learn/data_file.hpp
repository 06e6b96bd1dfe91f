#pragma once

#include <filesystem>

#include "speder/learning/dataset.hpp"
#include "speder/mdp/model/policy.hpp"

namespace speder {

/// Transitions and the policy that drew them, which sets ω and the law of the errors.
struct StoredData {
  Dataset data;
  Policy behaviour;
};

/// The HDF5 layout of docs/mdp-files.md. The file appears whole or not at all.
void save_data(const std::filesystem::path& path, const StoredData& stored);

/// Refuses, with one line naming file, dataset, index and value: a missing dataset, columns of
/// different length, no transition, a state or action that the sizes do not have, a behaviour
/// policy whose rows are no distributions or leave an action out, γ outside (0,1).
[[nodiscard]] StoredData load_data(const std::filesystem::path& path);

}  // namespace speder

#pragma once

#include <filesystem>
#include <vector>

#include "speder/deep/sim/rollout.hpp"

namespace speder::deep {

/// Trajectories as a Minari data set: folder/data/main_data.hdf5 (a group an episode) and metadata.json, written
/// last. Observations in double, actions in float32, as the task's gymnasium spaces have them; the environment is
/// speder/<task>-v0 of the Python package. InputError when the folder has a data set already.
void write_minari(const std::filesystem::path& folder, const EnvSpec& spec,
                  const std::vector<Trajectory>& trajectories);

}  // namespace speder::deep

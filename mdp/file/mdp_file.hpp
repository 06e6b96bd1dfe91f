#pragma once

#include <filesystem>

#include "speder/mdp/model/tabular_mdp.hpp"

namespace speder {

/// The HDF5 layout of docs/mdp-files.md. The file appears whole or not at all, and
/// load_mdp(path) gives back the same numbers bit for bit.
void save_mdp(const std::filesystem::path& path, const TabularMdp& mdp);

/// Refuses, with one line naming file, dataset, index and value: a missing dataset, a wrong shape,
/// a number that is not finite, a negative probability, a row that does not sum to one, a reward
/// outside [0,1], γ outside (0,1).
[[nodiscard]] TabularMdp load_mdp(const std::filesystem::path& path);

}  // namespace speder

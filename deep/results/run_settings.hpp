#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "speder/sweep/grid_cell.hpp"
#include "speder/sweep/store.hpp"

namespace speder::deep {

/// The training runs of several stores, made fit to be averaged: where runs of one task, algorithm and preset
/// differ in a setting that the algorithm reads, the cell of each says so ("with"); their lengths may differ too.
/// Throws InputError where one seed of a cell is there twice, or a store has no training run.
[[nodiscard]] std::vector<Run> comparable_runs(const std::vector<std::string>& stores);

/// "small", or "small, reward_model=false" where that tells runs apart.
[[nodiscard]] std::string settings_label(const GridCell& cell);

/// Whether this setting of config.toml can change this algorithm's numbers.
[[nodiscard]] bool reads_setting(std::string_view algorithm, std::string_view key);

}  // namespace speder::deep

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "speder/sweep/grid_cell.hpp"
#include "speder/sweep/store.hpp"

namespace speder::deep {

/// The training runs of several stores, made fit to be averaged: where runs of one task, algorithm and preset
/// differ in a setting that the algorithm reads, the cell of each says so ("with"), and so do the cells of the
/// suite's other tasks, which are one row with them; their lengths may differ too.
/// Throws InputError where one seed of a cell is there twice, or a store has no training run.
[[nodiscard]] std::vector<Run> comparable_runs(const std::vector<std::string>& stores);

/// "small", or "small, reward_model=false" where that tells runs apart; "no reward_model" of runs that are older
/// than this setting.
[[nodiscard]] std::string settings_label(const GridCell& cell);
/// What "no reward_model" means, where one of these labels says such a thing; else "".
[[nodiscard]] std::string older_note(const std::vector<std::string>& labels);

/// The one preset of all training runs, or "".
[[nodiscard]] std::string common_preset(const std::vector<Run>& runs);
/// "speder (small, reward_model=false)"; without its preset where that is the common one.
[[nodiscard]] std::string method_label(const GridCell& cell, std::string_view common);

/// Whether this setting of config.toml can change this algorithm's numbers.
[[nodiscard]] bool reads_setting(std::string_view algorithm, std::string_view key);

}  // namespace speder::deep

#pragma once

#include "speder/experiments/worst/search.hpp"

namespace speder::worst {

/// worst-d4.json (settings and genes: instance and class can be made again from it) and worst-d4.h5
/// (the MDP, for every command that takes one), for each value, and report.json.
void save_report(const SearchOptions& options, const SearchReport& report);
[[nodiscard]] std::string report_json(const SearchOptions& options, const SearchReport& report);

/// A saved instance. ConfigError names file and key.
struct SavedInstance {
  Setting setting;
  Genes genes;
};
[[nodiscard]] SavedInstance load_instance(const std::filesystem::path& file);

}  // namespace speder::worst

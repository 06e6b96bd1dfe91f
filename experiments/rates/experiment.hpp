#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "speder/core/rng.hpp"
#include "speder/io/toml_file.hpp"
#include "speder/sweep/grid_cell.hpp"
#include "speder/sweep/store.hpp"

namespace speder {

/// One run: a cell and a repetition, with the only randomness it may use.
struct RunContext {
  const GridCell& cell;
  std::int64_t repetition;
  SeedTree seeds;  // of (experiment, repetition): cells share it, so that they can be compared pair
                   // by pair; seeds.child(cell.key()) is the cell's own
};

/// An experiment with its settings read: what to run, and how to run one of them.
struct SweepPlan {
  std::vector<GridCell> cells;  // in order, no two alike
  int repetitions = 1;
  std::string config;  // all settings in full: one "key = value" a line
  std::function<std::vector<Measure>(const RunContext&)> run;
};

// Ranges of common settings.
inline constexpr Limits kDiscount{0.01, 0.9999};
inline constexpr Limits kScale{1e-6, 1e6};
inline constexpr Limits kClassSize{2, 1e6};
inline constexpr Limits kFailure{1e-6, 0.5};  // δ

/// Reads settings and keeps what was read, defaults included, as "key = value" lines; numbers are
/// written so that they read back exactly.
class Settings {
 public:
  explicit Settings(const ConfigTable& table) : table_(&table) {}
  Settings& read(std::string_view key, int& out, Limits limits = kPositiveInteger);
  Settings& read(std::string_view key, double& out, Limits limits = kAnyNumber);
  Settings& read(std::string_view key, std::vector<int>& out, Limits limits = kPositiveInteger);
  Settings& read(std::string_view key, std::vector<double>& out, Limits limits = kAnyNumber);
  Settings& read(std::string_view key, std::vector<std::string>& out);  // of plain names
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  const ConfigTable* table_;
  std::string text_;
};

}  // namespace speder

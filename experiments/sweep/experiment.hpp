#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/config_file.hpp"
#include "core/grid_cell.hpp"
#include "core/results.hpp"
#include "core/rng.hpp"

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

struct Experiment {
  std::string_view question;  // in one sentence, as the report asks it
  std::function<SweepPlan(const ConfigTable&)> plan;
};

/// The visible table: id → experiment.
[[nodiscard]] const std::map<std::string_view, Experiment>& experiment_table();

/// "key = value" lines of a config, numbers written so that they read back exactly.
class ConfigText {
 public:
  ConfigText& add(std::string_view key, double value);
  ConfigText& add(std::string_view key, std::string_view value);
  ConfigText& add(std::string_view key, const std::vector<double>& values);
  ConfigText& add(std::string_view key, const std::vector<int>& values);
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace speder

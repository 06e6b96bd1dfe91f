#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "speder/sweep/run_sweep.hpp"

namespace speder::deep::cli {

/// A grid of trainings, as bench and imitate give it to the sweep engine.
struct TrainingGrid {
  Sweep sweep;
  std::filesystem::path store;
  int jobs = 1;
  bool shown = true;                                         // progress on standard error
  std::function<std::optional<Run>(std::size_t index)> run;  // nothing: told to stop
  std::function<void(const Run&)> stored;                    // tells the user about it
};

/// Whether one run at a time goes on in this process, which may then show how it does; several
/// share a bar.
[[nodiscard]] bool one_by_one(int jobs);

/// Nothing on a rank that computed for another one. An InputError of a run (disk full, a file that
/// is not there) leaves it for the next time and is thrown when the others are done; any other
/// exception is a failed row. Throws Interrupted when a signal came.
std::optional<SweepProgress> run_grid(const TrainingGrid& grid);

}  // namespace speder::deep::cli

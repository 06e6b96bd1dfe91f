#pragma once

#include <atomic>
#include <functional>

#include "core/results.hpp"
#include "experiments/sweep/suite.hpp"
#include "experiments/sweep/workers.hpp"

namespace speder {

struct SweepProgress {
  std::int64_t total = 0;     // runs of the grid
  std::int64_t done = 0;      // finished, those of earlier starts included
  std::int64_t restored = 0;  // finished by earlier starts
  std::int64_t failed = 0;    // of those done now
};

struct SweepResult {
  SweepProgress progress;
  bool complete = false;  // false: told to stop
};

/// Called after each finished run and now and then between.
using SweepObserver = std::function<void(const SweepProgress&)>;

/// Task i of the suite is cell i / repetitions, repetition i % repetitions; its rows depend on the
/// suite, the seed and i alone. Never throws: an exception of the run is a failed Run.
[[nodiscard]] RunTask run_task(const Suite& suite, std::uint64_t seed);

/// Runs what the store does not have, in the order of the grid, and appends each run as it
/// finishes; this thread alone writes. When `stop` becomes true no run is started any more, and
/// those under way are finished and kept.
SweepResult run_sweep(ResultStore& store, const Suite& suite, std::uint64_t seed,
                      const Workers& workers, const std::atomic<bool>& stop,
                      const SweepObserver& observer = {});

}  // namespace speder

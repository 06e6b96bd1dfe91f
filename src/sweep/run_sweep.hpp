#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "speder/sweep/store.hpp"
#include "speder/sweep/workers.hpp"

namespace speder {

/// Runs to be made, in this order, no two alike; task i is runs[i].
struct Sweep {
  ExperimentRecord record;
  std::vector<RunKey> runs;
  bool retry_failed = false;  // runs that failed before are forgotten and made again
};

struct SweepProgress {
  std::int64_t total = 0;          // runs of the sweep
  std::int64_t done = 0;           // finished, those of earlier starts included
  std::int64_t restored = 0;       // finished by earlier starts
  std::int64_t failed = 0;         // of those done now
  std::int64_t failed_before = 0;  // of those restored
};

struct SweepResult {
  SweepProgress progress;
  bool complete = false;      // false: told to stop, or there was an obstacle
  std::string obstacle = {};  // the first one's text
};

/// Called on the thread that writes; any may be empty.
struct SweepObserver {
  std::function<void(const SweepProgress&)> progress = {};  // after each run, now and then between
  std::function<void(const Run&)> stored = {};              // a run has just become durable
};

/// Runs what the store does not have, in order, and appends each run as it finishes; this thread
/// alone writes. When `stop` becomes true no run is started any more, and what those under way
/// give is kept. A run that meets an obstacle is left for another time and the others go on.
SweepResult run_sweep(ResultStore& store, const Sweep& sweep, const Workers& workers,
                      const std::atomic<bool>& stop, const SweepObserver& observer = {});

struct SweepPlace {
  std::filesystem::path store;
  int jobs = 1;  // threads, outside mpirun
};

/// run_sweep as a command does it. Under mpirun rank 0 schedules and alone writes and every other
/// rank computes one run at a time; it gets no result. Elsewhere threads compute, and the first
/// SIGINT or SIGTERM is an orderly stop (StopSignal::flag).
std::optional<SweepResult> run_sweep_here(const SweepPlace& place, const Sweep& sweep,
                                          const RunTask& task, const SweepObserver& observer = {});

}  // namespace speder

#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "speder/sweep/store.hpp"

namespace speder {

/// What became of a task.
struct Outcome {
  std::optional<Run> run;     // nothing: it is not finished and nothing is stored
  std::string obstacle = {};  // why not (disk full, file missing); empty when it was told to stop
};

/// What becomes of a run that throws; to be called while its exception is being handled. What is
/// not the run's fault (memory, disk, a file, a thread) is an obstacle and is tried again by the
/// next start; anything else is the run's result, a failed one.
[[nodiscard]] Outcome outcome_of_exception(RunKey key, double seconds);

/// Computes task i of a sweep. This never throws (outcome_of_exception).
using RunTask = std::function<Outcome(std::int64_t task)>;

/// Whoever computes runs: threads of this process, or ranks of a job. One caller.
struct Workers {
  int capacity = 0;  // tasks they take before any is finished
  std::function<void(std::int64_t task)> submit;
  /// The next task's outcome, or nothing when none ends in time.
  std::function<std::optional<Outcome>(std::chrono::milliseconds patience)> wait;
  /// Forgets the tasks that nobody has begun; says how many.
  std::function<int()> drop;
};

/// Threads of this process, with a few tasks waiting for each, so that none is idle while a run is
/// being stored. Its end waits for the tasks under way.
[[nodiscard]] Workers thread_workers(int threads, RunTask run);

}  // namespace speder

#include "speder/sweep/cluster.hpp"
#include "speder/sweep/run_sweep.hpp"
#include "speder/sweep/stop_signal.hpp"

namespace speder {

std::optional<SweepResult> run_sweep_here(const SweepPlace& place, const Sweep& sweep,
                                          const RunTask& task, const SweepObserver& observer) {
  if (const auto job = join_job()) {
    if (job->rank != 0) {
      serve(*job, task);
      return {};
    }
    // mpirun's signals end every rank; what is committed is safe.
    const std::atomic<bool> never = false;
    const Workers workers = rank_workers(*job);  // first: its end lets the ranks go
    ResultStore store = ResultStore::open(place.store);
    return run_sweep(store, sweep, workers, never, observer);
  }
  const StopSignal signal;
  const Workers workers = thread_workers(place.jobs, task);
  try {
    ResultStore store = ResultStore::open(place.store);
    return run_sweep(store, sweep, workers, StopSignal::flag(), observer);
  } catch (...) {
    StopSignal::raise();  // nobody can store what is under way, which may take hours
    throw;
  }
}

}  // namespace speder

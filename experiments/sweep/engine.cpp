#include "experiments/sweep/engine.hpp"

#include <algorithm>
#include <chrono>
#include <set>

namespace speder {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kPatience(100);  // how soon a stop or a redraw is noticed

RunKey key_of(const Suite& suite, std::int64_t task) {
  const std::int64_t repetitions = suite.plan.repetitions;
  return {suite.id, suite.plan.cells[static_cast<std::size_t>(task / repetitions)].key(),
          task % repetitions};
}

std::vector<std::int64_t> unfinished(const ResultStore& store, const Suite& suite) {
  const std::vector<RunKey> finished = store.finished(suite.id);
  const std::set<RunKey> done(finished.begin(), finished.end());
  std::vector<std::int64_t> tasks;
  for (std::int64_t i = 0; i < suite.runs(); ++i) {
    if (!done.contains(key_of(suite, i))) tasks.push_back(i);
  }
  return tasks;
}

// Waits for one and takes all that have finished.
std::vector<Run> finished_runs(const Workers& workers) {
  std::vector<Run> out;
  for (auto run = workers.wait(kPatience); run; run = workers.wait(std::chrono::milliseconds(0))) {
    out.push_back(std::move(*run));
  }
  return out;
}

}  // namespace

RunTask run_task(const Suite& suite, std::uint64_t seed) {
  const SeedTree root = SeedTree(seed).child(suite.id);
  return [&suite, root](std::int64_t task) {
    Run out{.key = key_of(suite, task)};
    const std::size_t cell = static_cast<std::size_t>(task / suite.plan.repetitions);
    const auto start = Clock::now();
    try {
      const auto repetition = static_cast<std::uint64_t>(out.key.repetition);
      out.measures = suite.plan.run({.cell = suite.plan.cells[cell],
                                     .repetition = out.key.repetition,
                                     .seeds = root.child("repetition", repetition)});
    } catch (const std::exception& e) {
      out.failed = true;
      out.error = e.what();
    }
    out.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return out;
  };
}

SweepResult run_sweep(ResultStore& store, const Suite& suite, std::uint64_t seed,
                      const Workers& workers, const std::atomic<bool>& stop,
                      const SweepObserver& observer) {
  store.declare(suite.record(seed));
  const std::vector<std::int64_t> tasks = unfinished(store, suite);
  SweepProgress progress{.total = suite.runs()};
  progress.restored = progress.done = progress.total - static_cast<std::int64_t>(tasks.size());
  std::size_t next = 0;
  int under_way = 0;
  while (true) {
    while (!stop && next < tasks.size() && under_way < workers.capacity) {
      workers.submit(tasks[next++]);
      ++under_way;
    }
    if (stop) under_way -= workers.drop();
    if (under_way == 0) break;
    const std::vector<Run> runs = finished_runs(workers);
    under_way -= static_cast<int>(runs.size());
    if (!runs.empty()) store.append(runs);
    progress.done += static_cast<std::int64_t>(runs.size());
    progress.failed += std::ranges::count_if(runs, &Run::failed);
    if (observer) observer(progress);
  }
  if (observer) observer(progress);
  return {.progress = progress, .complete = progress.done == progress.total};
}

}  // namespace speder

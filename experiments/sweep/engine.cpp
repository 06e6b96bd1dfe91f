#include "experiments/sweep/engine.hpp"

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
    if (under_way == 0) break;
    if (const auto run = workers.wait(kPatience)) {
      --under_way;
      store.append(*run);
      ++progress.done;
      progress.failed += run->failed ? 1 : 0;
    }
    if (observer) observer(progress);
  }
  if (observer) observer(progress);
  return {.progress = progress, .complete = progress.done == progress.total};
}

}  // namespace speder

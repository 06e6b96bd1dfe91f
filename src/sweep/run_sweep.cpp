#include "speder/sweep/run_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <set>
#include <system_error>

#include "speder/core/check.hpp"

namespace speder {
namespace {

constexpr std::chrono::milliseconds kPatience(100);  // how soon a stop or a redraw is noticed

void require_distinct(const std::vector<RunKey>& runs) {
  std::set<RunKey> seen;
  for (const RunKey& key : runs) {
    if (seen.insert(key).second) continue;
    throw InputError(
        fmt::format("the run '{}', repetition {}, is asked for twice", key.cell, key.repetition));
  }
}

std::vector<std::int64_t> unfinished(const ResultStore& store, const Sweep& sweep,
                                     std::int64_t& failed) {
  const std::set<RunKey> wanted(sweep.runs.begin(), sweep.runs.end());
  std::set<RunKey> done;
  for (Run& run : store.runs(sweep.record.id)) {
    failed += run.failed && wanted.contains(run.key) ? 1 : 0;
    done.insert(std::move(run.key));
  }
  std::vector<std::int64_t> tasks;
  for (std::size_t i = 0; i < sweep.runs.size(); ++i) {
    if (!done.contains(sweep.runs[i])) tasks.push_back(static_cast<std::int64_t>(i));
  }
  return tasks;
}

// Waits for one and takes all that have ended.
std::vector<Outcome> ended(const Workers& workers) {
  std::vector<Outcome> out;
  for (auto o = workers.wait(kPatience); o; o = workers.wait(std::chrono::milliseconds(0))) {
    out.push_back(std::move(*o));
  }
  return out;
}

void keep(ResultStore& store, std::vector<Outcome> outcomes, SweepResult& result,
          const SweepObserver& observer) {
  std::vector<Run> runs;
  for (Outcome& o : outcomes) {
    if (o.run) runs.push_back(std::move(*o.run));
    if (result.obstacle.empty()) result.obstacle = std::move(o.obstacle);
  }
  if (!runs.empty()) store.append(runs);
  result.progress.done += std::ssize(runs);
  result.progress.failed += std::ranges::count_if(runs, &Run::failed);
  if (observer.stored) std::ranges::for_each(runs, observer.stored);
  if (observer.progress) observer.progress(result.progress);
}

}  // namespace

Outcome outcome_of_exception(RunKey key, double seconds) {
  try {
    throw;
  } catch (const InputError& e) {
    return {.run = {}, .obstacle = e.what()};
  } catch (const std::bad_alloc&) {
    return {.run = {}, .obstacle = "not enough memory"};
  } catch (const std::system_error& e) {  // file systems, streams and threads as well
    return {.run = {}, .obstacle = e.what()};
  } catch (const std::exception& e) {
    return {.run =
                Run{.key = std::move(key), .failed = true, .error = e.what(), .seconds = seconds}};
  }
}

SweepResult run_sweep(ResultStore& store, const Sweep& sweep, const Workers& workers,
                      const std::atomic<bool>& stop, const SweepObserver& observer) {
  require_distinct(sweep.runs);
  store.declare(sweep.record);
  if (sweep.retry_failed) store.forget_failed(sweep.record.id);
  SweepResult result{.progress = {.total = std::ssize(sweep.runs)}};
  const std::vector<std::int64_t> tasks = unfinished(store, sweep, result.progress.failed_before);
  result.progress.restored = result.progress.done = result.progress.total - std::ssize(tasks);
  std::size_t next = 0;
  int under_way = 0;
  while (true) {
    while (!stop && next < tasks.size() && under_way < workers.capacity) {
      workers.submit(tasks[next++]);
      ++under_way;
    }
    if (stop) under_way -= workers.drop();
    if (under_way == 0) break;
    std::vector<Outcome> outcomes = ended(workers);
    under_way -= static_cast<int>(outcomes.size());
    keep(store, std::move(outcomes), result, observer);
  }
  if (observer.progress) observer.progress(result.progress);
  result.complete = result.progress.done == result.progress.total;
  return result;
}

}  // namespace speder

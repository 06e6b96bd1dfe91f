#include "speder/deep/cli/sweep.hpp"

#include <chrono>

#include "speder/core/check.hpp"
#include "speder/sweep/progress_bar.hpp"
#include "speder/sweep/stop_signal.hpp"
#include "speder/sweep/transport.hpp"

namespace speder::deep::cli {
namespace {

/// libtorch appends a backtrace, whose addresses differ from start to start.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

Outcome attempt(const TrainingGrid& grid, std::size_t index) {
  const auto start = std::chrono::steady_clock::now();
  try {
    return {.run = grid.run(index)};
  } catch (const Interrupted&) {
    return {};
  } catch (const InputError& e) {
    return {.run = {}, .obstacle = e.what()};
  } catch (const std::exception& e) {
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    return {.run = Run{.key = grid.sweep.runs[index],
                       .failed = true,
                       .error = first_line(e.what()),
                       .seconds = seconds.count()}};
  }
}

}  // namespace

bool one_by_one(int jobs) { return jobs == 1 && !in_job(); }

std::optional<SweepProgress> run_grid(const TrainingGrid& grid) {
  std::optional<SweepResult> result;
  {
    const bool shared = grid.shown && !one_by_one(grid.jobs);
    SweepBar bar(grid.sweep.record.id);
    result =
        run_sweep_here({.store = grid.store, .jobs = grid.jobs}, grid.sweep,
                       [&](std::int64_t i) { return attempt(grid, static_cast<std::size_t>(i)); },
                       {.progress =
                            [&](const SweepProgress& p) {
                              if (shared) bar.show(p);
                            },
                        .stored =
                            [&](const Run& run) {
                              bar.clear();
                              grid.stored(run);
                            }});
  }
  if (!result) return {};
  if (!result->obstacle.empty()) throw InputError(result->obstacle);
  if (!result->complete) throw Interrupted("interrupted; the same command goes on");
  return result->progress;
}

}  // namespace speder::deep::cli

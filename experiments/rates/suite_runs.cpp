#include "speder/experiments/rates/suite_runs.hpp"

#include <chrono>

namespace speder {
namespace {

using Clock = std::chrono::steady_clock;

RunKey key_of(const Suite& suite, std::int64_t task) {
  const std::int64_t repetitions = suite.plan.repetitions;
  return {suite.id, suite.plan.cells[static_cast<std::size_t>(task / repetitions)].key(),
          task % repetitions};
}

}  // namespace

Sweep suite_runs(const Suite& suite, std::uint64_t seed) {
  Sweep sweep{.record = suite.record(seed), .runs = {}};
  for (std::int64_t i = 0; i < suite.runs(); ++i) sweep.runs.push_back(key_of(suite, i));
  return sweep;
}

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
    return Outcome{.run = std::move(out)};
  };
}

}  // namespace speder

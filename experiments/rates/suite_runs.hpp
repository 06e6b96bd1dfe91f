#pragma once

#include "speder/experiments/rates/suite.hpp"
#include "speder/sweep/run_sweep.hpp"

namespace speder {

/// The runs of a suite: number i is cell i / repetitions, repetition i % repetitions.
[[nodiscard]] Sweep suite_runs(const Suite& suite, std::uint64_t seed);

/// Computes one of them; its rows depend on the suite, the seed and i alone. Never throws: an
/// exception of the run is a failed Run.
[[nodiscard]] RunTask run_task(const Suite& suite, std::uint64_t seed);

}  // namespace speder

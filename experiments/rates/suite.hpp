#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "speder/experiments/rates/experiment.hpp"
#include "speder/sweep/run_sweep.hpp"

namespace speder {

/// A suite file at one of its sizes: `experiment = "id"`, shared settings in [all], the sizes
/// [quick] and [full].
struct Suite {
  std::string id;
  std::string size;
  SweepPlan plan;
  [[nodiscard]] std::int64_t runs() const;
  /// What the store keeps of it.
  [[nodiscard]] ExperimentRecord record(std::uint64_t seed) const;
};

/// A file, or the id of a suite that came with the program.
[[nodiscard]] Suite load_suite(const std::filesystem::path& file, std::string_view size);
[[nodiscard]] Suite read_suite(const ConfigTable& file, std::string_view size);

/// The runs of a suite: number i is cell i / repetitions, repetition i % repetitions.
[[nodiscard]] Sweep suite_runs(const Suite& suite, std::uint64_t seed);

/// Computes one of them; its rows depend on the suite, the seed and i alone. Never
/// throws (outcome_of_exception).
[[nodiscard]] RunTask run_task(const Suite& suite, std::uint64_t seed);

}  // namespace speder

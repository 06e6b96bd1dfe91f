#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "speder/io/manifest.hpp"

namespace speder {

/// Identity of a run: the cell is a GridCell's key, the repetition counts 0, 1, 2, …
struct RunKey {
  std::string experiment;
  std::string cell;
  std::int64_t repetition = 0;
  friend auto operator<=>(const RunKey&, const RunKey&) = default;  // NOLINT(modernize-use-nullptr)
};

/// One number of a run: a metric at sample size (or other integer coordinate) n.
struct Measure {
  std::string metric;
  std::int64_t n = 0;
  double value = 0;
  friend bool operator==(const Measure&, const Measure&) = default;
};

/// Name of a metric measured several times in a run: "error", "error.1", "error.2", …
[[nodiscard]] std::string draw_name(std::string_view metric, int draw);

/// A finished run. A failed one keeps its error and what it measured before.
struct Run {
  RunKey key;
  std::vector<Measure> measures = {};
  bool failed = false;
  std::string error = {};
  double seconds = 0;  // wall clock; stored apart, never part of content()
};

/// A tidy row: one measure with its run.
struct ResultRow {
  RunKey run;
  std::string metric;
  std::int64_t n = 0;
  double value = 0;
};

/// What an experiment was run with; a store holds one per experiment.
struct ExperimentRecord {
  std::string id;
  std::string config;  // the settings in full, as text
  std::uint64_t seed = 0;
  std::int64_t planned = 0;  // runs of the whole grid
  Manifest build;
  friend bool operator==(const ExperimentRecord&, const ExperimentRecord&) = default;
};

/// SQLite file of finished runs (WAL; a run is there whole or not at all, and durable when append
/// returns). Every
/// failure is an InputError naming the file; the store stays healthy, and so it does when the
/// process is killed at any moment. At most one writer at a time.
class ResultStore {
 public:
  /// For writing; made when absent. Refuses while another process writes to it.
  static ResultStore open(const std::filesystem::path& path);
  /// For reading only; works beside a running sweep.
  static ResultStore read(const std::filesystem::path& path);
  ResultStore(ResultStore&&) noexcept;
  ResultStore& operator=(ResultStore&&) = delete;
  ~ResultStore();

  /// Declares an experiment before its runs. Declared already with the same record: nothing
  /// happens; with another: InputError naming what differs.
  void declare(const ExperimentRecord& record);
  /// A run that is already there is an error: finished runs are never repeated.
  void append(const Run& run) { append(std::span(&run, 1)); }
  /// All of them or none, in one transaction: for runs that finished while the last one was being
  /// made durable.
  void append(std::span<const Run> runs);

  /// Removes the failed runs of an experiment, so that they can be made again.
  void forget_failed(std::string_view experiment);

  [[nodiscard]] std::vector<ExperimentRecord> experiments() const;  // by id
  [[nodiscard]] std::vector<RunKey> finished(std::string_view experiment) const;
  [[nodiscard]] std::vector<Run> runs(std::string_view experiment) const;  // ordered by key
  [[nodiscard]] double seconds(std::string_view experiment) const;         // ∑ over its runs
  /// All tidy rows ordered by (run, metric, n), one call each.
  void each_row(const std::function<void(const ResultRow&)>& visit) const;
  /// Canonical text of all that must not depend on interruptions, threads or machines: records,
  /// runs, rows. Two stores with equal content hold the same results.
  [[nodiscard]] std::string content() const;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  struct Connection;
  ResultStore(std::filesystem::path path, std::unique_ptr<Connection> connection);
  std::filesystem::path path_;
  std::unique_ptr<Connection> connection_;
};

/// 64-bit FNV-1a of a text as 16 hex digits: to compare contents at a glance.
[[nodiscard]] std::string digest(std::string_view text);

}  // namespace speder

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "speder/sweep/grid_cell.hpp"
#include "speder/sweep/store.hpp"

namespace speder::deep {

struct MeanStd {
  double mean = 0;
  double deviation = 0;
};

/// With the unbiased deviation; 0 for a single value.
[[nodiscard]] MeanStd mean_std(const std::vector<double>& values);

/// A row of the paper's result tables as printed.
struct PublishedRow {
  std::string_view suite;      // mbbl or dmc
  std::string_view method;     // as printed
  std::string_view algorithm;  // ours of the same kind, or empty: not implemented here
  std::vector<MeanStd> cells;  // in the order of suite_envs()
};
[[nodiscard]] const std::vector<PublishedRow>& published_rows();
/// Tasks of a suite in the order of its table. Throws InputError on another name.
[[nodiscard]] const std::vector<std::string>& suite_envs(std::string_view suite);

/// Whether a store's cell is a training run of ours.
[[nodiscard]] bool is_training(const GridCell& cell);

/// What our runs of one task, algorithm and preset came to.
struct OurCell {
  std::string env, algorithm;
  std::string preset;  // with the settings in which other runs differ (settings_label)
  MeanStd value;       // over seeds, of each run's final_return
  int seeds = 0;
  std::int64_t steps = 0;  // of every run
  int failed = 0;          // runs that diverged; not part of the mean
  int unevaluated = 0;     // runs of older builds that ended before their first evaluation
};
/// Where a task was run for several lengths, the longest counts.
[[nodiscard]] std::vector<OurCell> summarise(const std::vector<Run>& runs);

/// A row of a suite's table: published ones first, then ours for each algorithm and preset found.
struct ResultRow {
  std::string name;
  bool published = false;
  std::vector<std::optional<MeanStd>> values = {};  // a NaN deviation: one seed
  std::vector<std::string> notes = {};              // seeds and steps of our cells
  std::vector<int> misprints = {};                  // position in misprints(), or −1
};
[[nodiscard]] std::vector<ResultRow> result_rows(std::string_view suite,
                                                 const std::vector<OurCell>& ours);
/// "200.2 ± 1.0", without a deviation where it is not known.
[[nodiscard]] std::string cell_text(const MeanStd& value);
/// What the rows were run with, for notes (older_note).
[[nodiscard]] std::vector<std::string> preset_labels(const std::vector<OurCell>& ours);
/// The footnotes [1], [2], … of a suite's misprinted cells.
[[nodiscard]] std::vector<std::string> misprint_notes(std::string_view suite);

/// A suite's table as text. Cells without a run are empty, misprinted ones have a footnote. Tasks that
/// do not fit `width` columns follow in blocks below.
[[nodiscard]] std::string format_table(std::string_view suite, const std::vector<OurCell>& ours,
                                       int width);

/// The command that shows a stored experiment of either program.
[[nodiscard]] std::string command_that_shows(std::string_view experiment, const std::string& store);

}  // namespace speder::deep

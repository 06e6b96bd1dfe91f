#include "speder/experiments/cli/learn_several.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <set>

#include "speder/cli/program.hpp"
#include "speder/core/check.hpp"
#include "speder/core/parallel.hpp"
#include "speder/experiments/cli/learn_figure.hpp"
#include "speder/experiments/cli/progress.hpp"
#include "speder/plots/bands.hpp"
#include "speder/sweep/stop_signal.hpp"

namespace speder::cli {
namespace {

std::vector<LearnOptions> all_runs(const LearnOptions& options) {
  std::set<std::string> seen;
  std::vector<LearnOptions> out;
  for (const std::string& name : options.algorithms) {
    if (!seen.insert(name).second)
      throw InputError(fmt::format("--algorithm {}: is given twice", name));
    for (int i = 0; i < options.seeds; ++i) {
      LearnOptions one = options;
      one.algorithm = name;
      one.seed = options.seed + static_cast<std::uint64_t>(i);
      out.push_back(std::move(one));
    }
  }
  return out;
}

// Runs that were interrupted, or never begun, have no rows that count.
std::vector<LearnRecord> finished(std::vector<LearnRecord> records) {
  std::erase_if(records,
                [](const LearnRecord& r) { return r.interrupted_at > 0 || r.rows.empty(); });
  return records;
}

std::vector<LearnRecord> run_all(const std::vector<LearnOptions>& runs, const LearnProblem& problem,
                                 const std::vector<LearnRecord>& prepared, const Learner& learner) {
  std::vector<LearnRecord> records = prepared;
  const StopSignal signal;
  ProgressLine progress(static_cast<Index>(runs.size()));
  std::mutex mutex;
  Index done = 0;
  parallel_for(static_cast<Index>(runs.size()), runs.front().jobs, [&](Index i) {
    if (StopSignal::flag()) return;
    const auto k = static_cast<std::size_t>(i);
    TruthEvaluator truth(problem.mdp);
    const LearnHooks hooks{.on_row = {},
                           .on_episode = [](const LearnRow&) { return !StopSignal::flag(); }};
    learner.run(runs[k], problem, truth, hooks, records[k]);
    const std::lock_guard lock(mutex);
    progress.show(++done, "runs of", static_cast<double>(runs.size()));
  });
  return finished(std::move(records));
}

std::string band_table(const LearnOptions& options, const std::vector<LearnRecord>& records) {
  const std::string_view column = records.front().command == "online" ? "gap_mixture" : "gap_last";
  std::string text =
      fmt::format("{} over {} seeds of {}\n{:>10}", kBandName, options.seeds, column, "n");
  std::vector<CurveTable> curves;
  for (const std::string& name : options.algorithms) {
    curves.push_back(curves_of(records, name, column));
    text += fmt::format("{:>32}", name);
  }
  double next = 0;
  const std::vector<double> grid = curves.front().x;
  for (std::size_t k = 0; k < grid.size(); ++k) {
    if (grid[k] < next && k + 1 < grid.size()) continue;
    next = 2 * grid[k];
    text += fmt::format("\n{:>10.0f}", grid[k]);
    for (const CurveTable& table : curves) {
      const Band band = band_at(table, k);
      text += fmt::format("{:>32}",
                          fmt::format("{:.4g} [{:.4g}, {:.4g}]", band.middle, band.low, band.high));
    }
  }
  return text + "\n";
}

nlohmann::json runs_json(const LearnRecord& base, const std::vector<LearnRecord>& records) {
  nlohmann::json out = {{"command", "learn " + base.command}, {"runs", nlohmann::json::array()}};
  out.update(base.facts);
  for (const LearnRecord& record : records) out["runs"].push_back(to_json(record));
  return out;
}

}  // namespace

int learn_several(const LearnOptions& options, const LearnProblem& problem, const LearnRecord& base,
                  const Learner& learner) {
  const std::vector<LearnOptions> runs = all_runs(options);
  std::vector<LearnRecord> prepared;
  for (const LearnOptions& run : runs) {
    prepared.push_back(base);
    prepared.back().seed = run.seed;
    learner.settings(run, prepared.back());
    if (base.command == "online") {
      (void)online_algorithm(run.algorithm);
    } else {
      (void)offline_algorithm(run.algorithm);
    }
    check_out(options.out, prepared.back());
  }
  const std::vector<LearnRecord> records = run_all(runs, problem, prepared, learner);
  if (options.json) {
    fmt::print("{}\n", json_text(runs_json(base, records), 2));
  } else if (!records.empty()) {
    fmt::print("{}\n\n{}", base.settings.key(), band_table(options, records));
  }
  std::fflush(stdout);  // the work is on the screen before a disk can refuse it
  write_all(options.out, records, runs_json(base, records));
  if (!options.out.empty() && !options.json) fmt::print("written: {}\n", options.out);
  if (options.plot && !records.empty()) {
    const std::string picture =
        draw_bands(records, options.algorithms, {*options.plot, options.out, options.style});
    if (!options.json) fmt::print("drawn: {}\n", picture);
  }
  if (records.size() == runs.size()) return 0;
  fmt::print(stderr, "speder: interrupted; {} of {} runs were finished and are kept\n",
             records.size(), runs.size());
  return kInterruptedExit;
}

}  // namespace speder::cli

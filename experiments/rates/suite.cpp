#include "speder/experiments/rates/suite.hpp"

#include <fmt/format.h>

#include <chrono>
#include <set>

#include "speder/core/check.hpp"
#include "speder/experiments/rates/builtin.hpp"
#include "speder/experiments/rates/registry.hpp"

namespace speder {
namespace {

template <class T>
std::string names_of(const std::map<std::string_view, T>& table) {
  std::string names;
  for (const auto& [name, unused] : table) names += (names.empty() ? "" : ", ") + std::string(name);
  return names;
}

const RateExperiment& find_experiment(const ConfigTable& file, const std::string& id) {
  try {
    return rate_experiment(id);
  } catch (const InputError& e) {
    file.fail("experiment", e.what());
  }
}

void require_distinct(const std::vector<GridCell>& cells) {
  require(!cells.empty(), "an experiment has at least one cell");
  std::set<std::string> keys;
  for (const GridCell& cell : cells) {
    if (!keys.insert(cell.key()).second) {
      throw InputError(fmt::format("the grid has the cell '{}' twice", cell.key()));
    }
  }
}

RunKey key_of(const Suite& suite, std::int64_t task) {
  const std::int64_t repetitions = suite.plan.repetitions;
  return {suite.id, suite.plan.cells[static_cast<std::size_t>(task / repetitions)].key(),
          task % repetitions};
}

}  // namespace

std::int64_t Suite::runs() const {
  return static_cast<std::int64_t>(plan.cells.size()) * plan.repetitions;
}

ExperimentRecord Suite::record(std::uint64_t seed) const {
  return {.id = id,
          .config =
              fmt::format("size = '{}'\nrepetitions = {}\n{}", size, plan.repetitions, plan.config),
          .seed = seed,
          .planned = runs(),
          .build = this_build()};
}

Suite read_suite(const ConfigTable& file, std::string_view size) {
  Suite suite{.id = "", .size = std::string(size), .plan = {}};
  if (!file.has("experiment")) file.fail("experiment", "the key is missing");
  file.read("experiment", suite.id);
  const RateExperiment& experiment = find_experiment(file, suite.id);
  for (const std::string_view table : {"all", "quick", "full"}) {
    if (file.has(table)) (void)file.table(table);
  }
  file.refuse_unknown();
  const ConfigTable sized = file.table(size);
  const ConfigTable settings = file.has("all") ? sized.over(file.table("all")) : sized;
  int repetitions = 1;
  settings.read("repetitions", repetitions, {1, 1e6});
  suite.plan = experiment.plan(settings);
  settings.refuse_unknown();
  suite.plan.repetitions = repetitions;
  require_distinct(suite.plan.cells);
  constexpr std::int64_t kMostRuns = 10'000'000;  // their keys are held in memory
  if (suite.runs() > kMostRuns) {
    file.fail(size, fmt::format("{} runs, more than {}", suite.runs(), kMostRuns));
  }
  return suite;
}

Suite load_suite(const std::filesystem::path& file, std::string_view size) {
  const auto builtin = builtin_suites().find(file.string());
  if (builtin != builtin_suites().end()) {
    return read_suite(ConfigTable::parse(builtin->second, builtin->first), size);
  }
  if (!std::filesystem::exists(file)) {
    throw InputError(fmt::format("{}: no such file, and no suite of that name is built in: {}",
                                 file.string(), names_of(builtin_suites())));
  }
  return read_suite(ConfigTable::load(file), size);
}

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
    const auto start = std::chrono::steady_clock::now();
    try {
      const auto repetition = static_cast<std::uint64_t>(out.key.repetition);
      out.measures = suite.plan.run({.cell = suite.plan.cells[cell],
                                     .repetition = out.key.repetition,
                                     .seeds = root.child("repetition", repetition)});
    } catch (...) {
      return outcome_of_exception(
          out.key, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return Outcome{.run = std::move(out)};
  };
}

}  // namespace speder

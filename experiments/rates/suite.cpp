#include "speder/experiments/rates/suite.hpp"

#include <fmt/format.h>

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
  settings.read("repetitions", repetitions);
  suite.plan = experiment.plan(settings);
  settings.refuse_unknown();
  suite.plan.repetitions = repetitions;
  require_distinct(suite.plan.cells);
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

}  // namespace speder

#include "speder/experiments/learn/grid_instance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "speder/core/check.hpp"
#include "speder/experiments/learn/algorithms.hpp"
#include "speder/mdp/families/families.hpp"
#include "speder/mdp/families/own_class.hpp"

namespace speder {
namespace {

// Learners that the fast learners on a whole product are, with other constants.
constexpr std::array<std::string_view, 3> kOnProductClass = {"speder", "greedy", "uniform"};

bool uses_class(const GridCell& cell) {
  const std::string& name = cell.text("algorithm");
  return cell.text("mode") == "offline" ? offline_algorithm(name).has_class
                                        : online_algorithm(name).has_class;
}

}  // namespace

bool is_class_file(std::string_view name) { return name.ends_with(".h5"); }

InstanceSpec spec_of(const GridCell& cell) {
  InstanceSpec spec{.family = cell.text("family"),
                    .states = static_cast<Index>(cell.number("states")),
                    .actions = static_cast<Index>(cell.number("actions")),
                    .rank = static_cast<Index>(cell.number("rank")),
                    .gamma = cell.number("gamma")};
  constexpr std::string_view kPrefix = " knob_";
  const std::string key = cell.key();
  for (std::size_t at = key.find(kPrefix); at != std::string::npos;
       at = key.find(kPrefix, at + 1)) {
    const std::string name = key.substr(at + 1, key.find('=', at) - at - 1);
    spec.knobs.emplace(name.substr(kPrefix.size() - 1), cell.number(name));
  }
  return resolve(spec);
}

NeedleShape needle_shape_of(const GridCell& cell) {
  const InstanceSpec spec = spec_of(cell);
  return {.doors = spec.rank / 2 - 2,
          .actions = spec.actions,
          .copies = whole_knob(spec, "copies"),
          .gamma = spec.gamma,
          .overlap = spec.knob("overlap"),
          .lead = spec.knob("lead"),
          .one_key = whole_knob(spec, "one_key") == 1};
}

BonusConstants constants_of(const GridCell& cell) {
  const bool none = cell.text("role") == "control";
  return {.alpha = none ? 0 : cell.number("c_alpha"), .lambda = cell.number("c_lambda")};
}

std::string instance_key(const GridCell& cell) {
  const InstanceSpec spec = spec_of(cell);
  std::string key =
      fmt::format("{} {} {} {} {}", spec.family, spec.states, spec.actions, spec.rank, spec.gamma);
  for (const auto& [name, value] : spec.knobs) key += fmt::format(" {}={}", name, value);
  return key;
}

bool has_bonus(const GridCell& cell) {
  constexpr std::array<std::string_view, 4> kWithout = {"greedy", "uniform", "true-model", "clone"};
  return cell.number("c_alpha") > 0 &&
         std::ranges::find(kWithout, cell.text("algorithm")) == kWithout.end();
}

void check_cell(const GridCell& cell) {
  if (cell.text("class") == "own" && cell.has("family") && !has_own_class(cell.text("family")))
    throw InputError("class own is for the families comblock, leaves and chain");
  const std::string& kind = cell.text("class");
  if (kind != kNeedleClass && kind != kLockClass) return;
  const std::string_view family = kind == kNeedleClass ? "needle" : "comblock";
  if (!cell.has("family") || cell.text("family") != family)
    throw InputError(fmt::format("class {} is for family {}", kind, family));
  if (!uses_class(cell)) return;
  if (cell.text("mode") == "offline")
    throw InputError(
        fmt::format("class {} is for online learners; offline use class multiscale", kind));
  if (cell.text("criterion") != "least-squares")
    throw InputError(fmt::format(
        "class {} is learned by least squares; other criteria need class multiscale", kind));
  const std::string& name = cell.text("algorithm");
  if (std::ranges::find(kOnProductClass, name) == kOnProductClass.end())
    throw InputError(
        fmt::format("algorithm {} would hold all members of class {}; use class multiscale for it",
                    name, kind));
}

}  // namespace speder

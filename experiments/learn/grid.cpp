#include "speder/experiments/learn/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "speder/core/check.hpp"
#include "speder/core/names.hpp"
#include "speder/experiments/learn/algorithms.hpp"
#include "speder/experiments/learn/grid_instance.hpp"
#include "speder/mdp/classes/candidate_class.hpp"
#include "speder/mdp/families/families.hpp"
#include "speder/mdp/families/own_class.hpp"
#include "speder/mdp/file/mdp_file.hpp"

namespace speder {
namespace {

constexpr double kUnset = std::numeric_limits<double>::quiet_NaN();
constexpr double kLargest = static_cast<double>(kAnySize);
constexpr std::string_view kKnob = "knob_";

std::vector<std::string> list_of(const LearnGrid& grid) {
  std::vector<std::string> names;
  for (const LearnNumber& n : learn_numbers()) names.emplace_back(n.name);
  for (const auto& [name, values] : grid.numbers)
    if (name.starts_with(kKnob)) names.push_back(name);
  return names;
}

const LearnNumber* number_named(std::string_view name) {
  const auto& all = learn_numbers();
  const auto found = std::ranges::find(all, name, &LearnNumber::name);
  return found == all.end() ? nullptr : &*found;
}

void check_number(const std::string& name, double value) {
  const LearnNumber* n = number_named(name);
  if (n == nullptr) return;  // a knob: its family knows
  const bool inside = n->low <= value && value <= n->high;
  if (inside && (!n->whole || std::floor(value) == value)) return;
  throw InputError(fmt::format("{} must be {} in [{}, {}], got {}", name,
                               n->whole ? "a whole number" : "a number", n->low, n->high, value));
}

void check_numbers(const LearnGrid& grid) {
  const std::vector<std::string> known = list_of(grid);
  for (const auto& [name, values] : grid.numbers) {
    if (std::ranges::find(known, name) == known.end()) refuse_name("setting", name, known);
    if (values.empty()) throw InputError(fmt::format("{}: the list is empty", name));
    std::set<double> seen;
    for (const double v : values) {
      check_number(name, v);
      if (!seen.insert(v).second) throw InputError(fmt::format("{}: has {} twice", name, v));
    }
  }
}

void check_words(const std::vector<std::string>& words, std::string_view what,
                 const std::vector<std::string>& known) {
  if (words.empty()) throw InputError(fmt::format("{}: the list is empty", what));
  std::set<std::string> seen;
  for (const std::string& word : words) {
    if (std::ranges::find(known, word) == known.end()) refuse_name(what, word, known);
    if (!seen.insert(word).second) throw InputError(fmt::format("{}: has {} twice", what, word));
  }
}

template <class Table>
std::vector<std::string> names_in(const Table& table) {
  std::vector<std::string> names;
  for (const auto& entry : table) names.emplace_back(entry.name);
  return names;
}

// A cell's words have no blanks; the stored settings are TOML.
void check_path(std::string_view what, const std::string& path) {
  if (path.find_first_of(" =\t\n\"\\") == std::string::npos) return;
  throw InputError(fmt::format("{}: a path in a grid has no blank, quote, backslash or '='", what));
}

void check_names(const LearnGrid& grid) {
  check_words(grid.algorithms, "algorithm",
              grid.offline ? names_in(offline_algorithms()) : names_in(online_algorithms()));
  std::vector<std::string> kinds = {std::string(kNeedleClass), std::string(kLockClass), "own"};
  for (const std::string_view kind : class_kinds()) kinds.emplace_back(kind);
  for (const std::string& name : grid.classes) {
    if (!is_class_file(name)) continue;
    if (grid.mdp.empty())
      throw InputError(
          fmt::format("class {}: a file is for one MDP, which must be a file too", name));
    check_path("class", name);
    kinds.push_back(name);
  }
  if (!grid.classes.empty()) check_words(grid.classes, "class", kinds);
  check_words(grid.criteria, "criterion", {"least-squares", "constrained"});
  check_words(grid.replan, "replan", {"every", "doubling"});
  check_words(grid.behaviours, "behaviour", {"uniform", "epsilon", "softmax", "coverage"});
  if (grid.mdp.empty() == grid.families.empty())
    throw InputError("give the MDP once: a file or families (speder mdp families)");
  if (!grid.families.empty()) check_words(grid.families, "family", names_in(families()));
}

void check_file(const LearnGrid& grid) {
  if (grid.mdp.empty()) return;
  check_path("mdp", grid.mdp);
  for (const auto& [name, values] : grid.numbers) {
    if (of_family(name))
      throw InputError(fmt::format("{}: an MDP file has its own; name a family to move it", name));
  }
}

void check_axes(LearnGrid& grid) {
  const std::vector<std::string> lists = scaled_settings(grid);
  const bool scaled = grid.numbers.contains("epsilon");
  for (const std::string& axis : grid.axes) {
    if (std::ranges::find(lists, axis) == lists.end())
      throw InputError(fmt::format("axis {}: needs a list of two values or more", axis));
  }
  if (!scaled) {
    if (!grid.axes.empty()) throw InputError("axes: are for grids with epsilon");
    if (grid.theory.size() > 1)
      throw InputError("theory: without epsilon it is one exponent, of the metric in n");
    return;
  }
  if (grid.axes.empty()) grid.axes = lists;
  if (grid.axes.size() != lists.size())
    throw InputError("axes: must name every list of numbers that can be scaled along");
  if (grid.axes.empty())
    throw InputError("no axis: give a list of two values or more, such as rank");
  for (const std::string& axis : grid.axes) {
    for (const double v : grid.numbers.at(axis))
      if (!(v > 0)) throw InputError(fmt::format("axis {}: {} has no logarithm", axis, v));
  }
  if (grid.axes.size() > 2)
    throw InputError(fmt::format("{} axes: one or two can be fitted", grid.axes.size()));
  if (!grid.theory.empty() && grid.theory.size() != grid.axes.size())
    throw InputError(fmt::format("theory: {} exponents for {} axes ({})", grid.theory.size(),
                                 grid.axes.size(), fmt::join(grid.axes, ", ")));
}

std::vector<double> values_of(const LearnGrid& grid, const LearnNumber& number) {
  const auto given = grid.numbers.find(number.name);
  if (given != grid.numbers.end()) return given->second;
  return std::isnan(number.fallback) ? std::vector<double>{} : std::vector{number.fallback};
}

// The product with one more list.
template <class T>
void multiply(std::vector<GridCell>& cells, std::string_view name, const std::vector<T>& values) {
  if (values.empty()) return;
  std::vector<GridCell> out;
  for (const GridCell& cell : cells) {
    for (const T& value : values) out.push_back(GridCell(cell).set(name, value));
  }
  cells = std::move(out);
}

}  // namespace

bool of_family(std::string_view name) {
  return name == "states" || name == "actions" || name == "rank" || name == "gamma" ||
         name.starts_with(kKnob);
}

bool offline_only(std::string_view name) {
  return name == "omega" || name == "mix" || name == "exploration" || name == "temperature";
}

const std::vector<LearnNumber>& learn_numbers() {
  static const std::vector<LearnNumber> table = {{"states", 0, 0, kLargest, true, "|S|"},
                                                 {"rank", 0, 0, kLargest, true, "d"},
                                                 {"actions", 0, 0, kLargest, true, "|A|"},
                                                 {"gamma", 0.9, 1e-6, 1 - 1e-9, false, "1/(1−γ)"},
                                                 {"class_size", 1000, 2, 4e6, true, "log|F|"},
                                                 {"epsilon", kUnset, 1e-9, 1e9, false, "1/ε"},
                                                 {"omega", 0, 0, 1e9, false, "ω"},
                                                 {"mix", 0.5, 0, 1, false, ""},
                                                 {"exploration", 0.2, 0, 1, false, ""},
                                                 {"temperature", 1, 1e-9, 1e9, false, ""},
                                                 {"budget", 10'000, 1, 1e9, true, ""},
                                                 {"c_alpha", 1, 0, 1e6, false, ""},
                                                 {"c_lambda", 1, 1e-9, 1e6, false, ""},
                                                 {"delta", 0.1, 1e-6, 0.5, false, ""}};
  return table;
}

std::string_view default_class(std::string_view family) {
  return family == "needle" ? kNeedleClass : has_own_class(family) ? "own" : "multiscale";
}

std::vector<std::string> scaled_settings(const LearnGrid& grid) {
  std::vector<std::string> out;
  for (const LearnNumber& n : learn_numbers()) {
    const auto given = grid.numbers.find(n.name);
    if (!n.symbol.empty() && given != grid.numbers.end() && given->second.size() > 1)
      out.emplace_back(n.name);
  }
  for (const auto& [name, values] : grid.numbers)
    if (name.starts_with(kKnob) && values.size() > 1) out.push_back(name);
  return out;
}

std::vector<GridCell> learn_cells(LearnGrid& grid) {
  check_names(grid);
  check_numbers(grid);
  check_file(grid);
  check_axes(grid);
  std::vector<GridCell> cells = {GridCell().set("mode", grid.offline ? "offline" : "online")};
  if (grid.mdp.empty()) {
    multiply(cells, "family", grid.families);
  } else {
    cells.front().set("mdp", grid.mdp);
  }
  multiply(cells, "algorithm", grid.algorithms);
  if (grid.classes.empty()) {
    for (GridCell& cell : cells)
      cell.set("class", default_class(cell.has("family") ? cell.text("family") : ""));
  } else {
    multiply(cells, "class", grid.classes);
  }
  multiply(cells, "criterion", grid.criteria);
  multiply(cells, grid.offline ? "behaviour" : "replan",
           grid.offline ? grid.behaviours : grid.replan);
  for (const LearnNumber& n : learn_numbers()) {
    if ((of_family(n.name) && !grid.mdp.empty()) || (offline_only(n.name) && !grid.offline))
      continue;
    multiply(cells, n.name, values_of(grid, n));
  }
  for (const auto& [name, values] : grid.numbers)
    if (name.starts_with(kKnob)) multiply(cells, name, values);
  std::set<std::string> instances;
  for (const GridCell& cell : cells) {
    check_cell(cell);
    if (grid.mdp.empty() && instances.insert(instance_key(cell)).second)
      (void)generate(spec_of(cell));
  }
  std::vector<GridCell> all;
  for (const GridCell& cell : cells) all.push_back(GridCell(cell).set("role", "learner"));
  if (!grid.control || !grid.numbers.contains("epsilon")) return all;
  for (const GridCell& cell : cells)
    if (has_bonus(cell)) all.push_back(GridCell(cell).set("role", "control"));
  return all;
}

LearnFiles read_files(const LearnGrid& grid) {
  LearnFiles out;
  if (grid.mdp.empty()) return out;
  out.mdp = std::make_shared<const TabularMdp>(load_mdp(grid.mdp));
  for (const std::string& name : grid.classes) {
    if (!is_class_file(name)) continue;
    const auto [at, fresh] = out.classes.emplace(name, load_class(name));
    (void)stored_problem(out.mdp, at->second, {});
  }
  return out;
}

}  // namespace speder

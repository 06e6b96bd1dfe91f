// learn: `speder learn` over a grid, one instance, class and sample a repetition. No mutation of its own:
// the control, the same learner without its bonus, runs beside each cell (experiments/learn/grid.hpp).
#include <fmt/format.h>

#include <cmath>

#include "speder/core/check.hpp"
#include "speder/experiments/rates/learn/plan.hpp"
#include "speder/mdp/families/families.hpp"

namespace speder {
namespace {

// A value or a list of them.
void read_words(const ConfigTable& table, std::string_view key, std::vector<std::string>& out) {
  if (!table.has(key)) return;
  if (table.has_list(key)) return table.read(key, out);
  out.resize(1);
  table.read(key, out.front());
}

void read_numbers(const ConfigTable& table, const std::string& key, LearnGrid& grid) {
  if (!table.has(key)) return;
  std::vector<double>& values = grid.numbers[key];
  if (table.has_list(key)) return table.read(key, values);
  values.resize(1);
  table.read(key, values.front());
}

void read_theory(const ConfigTable& table, LearnGrid& grid) {
  if (!table.has("theory")) return;
  if (table.has_list("theory")) return table.read("theory", grid.theory);
  grid.theory.resize(1);
  table.read("theory", grid.theory.front());
}

LearnGrid read_grid(const ConfigTable& table) {
  LearnGrid grid;
  std::string mode = "online";
  table.read("mode", mode);
  if (mode != "online" && mode != "offline") table.fail("mode", "expected online or offline");
  grid.offline = mode == "offline";
  table.read("mdp", grid.mdp);
  read_words(table, "family", grid.families);
  read_words(table, "algorithm", grid.algorithms);
  read_words(table, "class", grid.classes);
  read_words(table, "criterion", grid.criteria);
  read_words(table, "replan", grid.replan);
  read_words(table, "behaviour", grid.behaviours);
  read_words(table, "axes", grid.axes);
  for (const LearnNumber& n : learn_numbers()) read_numbers(table, std::string(n.name), grid);
  for (const std::string& name : grid.families) {
    for (const KnobInfo& knob : family(name).knobs)
      read_numbers(table, fmt::format("knob_{}", knob.name), grid);
  }
  read_theory(table, grid);
  table.read("metric", grid.metric);
  if (grid.metric != "regret" && grid.metric != "gap" && grid.metric != "error_rho")
    table.fail("metric", "expected regret, gap or error_rho");
  table.read("control", grid.control);
  return grid;
}

std::string words(std::string_view key, const std::vector<std::string>& values) {
  if (values.empty()) return "";
  return fmt::format("{} = [\"{}\"]\n", key, fmt::join(values, "\", \""));
}

std::string numbers(std::string_view key, const std::vector<double>& values) {
  if (values.empty()) return "";
  return fmt::format("{} = [{}]\n", key, fmt::join(values, ", "));
}

std::string config_of(const LearnGrid& grid) {
  std::string out = fmt::format("mode = \"{}\"\n", grid.offline ? "offline" : "online");
  if (!grid.mdp.empty()) out += fmt::format("mdp = \"{}\"\n", grid.mdp);
  out += words("family", grid.families) + words("algorithm", grid.algorithms) +
         words("class", grid.classes) + words("criterion", grid.criteria) +
         words("axes", grid.axes);
  out += grid.offline ? words("behaviour", grid.behaviours) : words("replan", grid.replan);
  for (const LearnNumber& n : learn_numbers()) {
    const auto given = grid.numbers.find(n.name);
    if (given != grid.numbers.end()) {
      out += numbers(n.name, given->second);
    } else if (!std::isnan(n.fallback) && (grid.offline || !offline_only(n.name)) &&
               (grid.mdp.empty() || !of_family(n.name))) {
      out += numbers(n.name, {n.fallback});
    }
  }
  for (const auto& [name, values] : grid.numbers)
    if (name.starts_with("knob_")) out += numbers(name, values);
  return out + numbers("theory", grid.theory) +
         fmt::format("metric = \"{}\"\ncontrol = {}\n", grid.metric, grid.control);
}

}  // namespace

SweepPlan plan_learn_grid(LearnGrid grid) {
  SweepPlan plan;
  plan.cells = learn_cells(grid);
  plan.config = config_of(grid);
  const auto files = std::make_shared<const LearnFiles>(read_files(grid));
  plan.run = [files](const RunContext& context) {
    return run_learn_cell(context.cell, context.repetition, context.seeds, *files);
  };
  return plan;
}

SweepPlan plan_learn(const ConfigTable& table) {
  LearnGrid grid = read_grid(table);
  try {
    return plan_learn_grid(std::move(grid));
  } catch (const ConfigError&) {
    throw;
  } catch (const InputError& e) {
    table.fail("grid", e.what());
  }
}

}  // namespace speder

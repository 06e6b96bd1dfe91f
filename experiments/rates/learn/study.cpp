// From stored runs of a grid with epsilon to N(ε, δ), fits and verdicts.
#include "speder/experiments/rates/learn/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "speder/io/toml_file.hpp"

namespace speder {
namespace {

constexpr double kBeyond = std::numeric_limits<double>::infinity();
constexpr double kToldApart = 1.96;  // standard errors between the learner and its control

struct Ends {
  std::vector<double> learner, control;
  double budget = 0;
  std::set<std::string> broken;  // premises
};
using Cells = std::map<std::vector<double>, Ends>;

using Pairs = std::vector<std::pair<std::string, std::string>>;
Pairs settings_of(const std::string& key) {
  Pairs out;
  std::size_t from = 0;
  while (from < key.size()) {
    const std::size_t to = std::min(key.find(' ', from), key.size());
    const std::string word = key.substr(from, to - from);
    out.emplace_back(word.substr(0, word.find('=')), word.substr(word.find('=') + 1));
    from = to + 1;
  }
  return out;
}

void add_run(const Run& run, const GridCell& cell, Ends& to) {
  double end = kBeyond;  // a failed run did not get there
  for (const Measure& m : run.measures) {
    if (m.metric == "end") end = m.value;
    if (m.metric.starts_with("fails_")) to.broken.insert(m.metric.substr(6));
  }
  to.budget = cell.number("budget");
  (cell.text("role") == "control" ? to.control : to.learner).push_back(end);
}

bool told_apart(const StudyCell& cell) {
  if (std::isinf(cell.control.n)) return true;
  const double error = std::sqrt(cell.n.log_variance + cell.control.log_variance);
  return std::log(cell.control.n / cell.n.n) > kToldApart * error;
}

ScalingGate gate_of(const ScalingStudy& study, const Cells& cells) {
  ScalingGate gate;
  std::set<std::string> broken;
  std::size_t where = 0;
  for (const auto& [x, ends] : cells) {
    broken.insert(ends.broken.begin(), ends.broken.end());
    where += ends.broken.empty() ? 0 : 1;
  }
  if (!broken.empty()) {
    gate.premises_hold = false;
    gate.reason = fmt::format("premises fail in {} of {} cells ({})", where, cells.size(),
                              fmt::join(broken, ", "));
  }
  int known = 0, alike = 0;
  for (const StudyCell& cell : study.cells) {
    if (!cell.has_control || std::isinf(cell.n.n)) continue;
    ++known;
    alike += told_apart(cell) ? 0 : 1;
  }
  if (alike > 0) {
    gate.control_fails = false;
    gate.reason += fmt::format("{}without its bonus the learner needs no more in {} of {} cells",
                               gate.reason.empty() ? "" : "; ", alike, known);
  }
  return gate;
}

ScalingStudy study_of(std::string name, const std::vector<std::string>& axes, const Cells& cells,
                      double delta, const std::vector<double>& theory) {
  ScalingStudy out{.name = std::move(name), .axes = {}, .cells = {}, .delta = delta};
  for (const std::string& axis : axes) out.axes.push_back(study_axis(axis));
  for (const auto& [x, ends] : cells) {
    if (ends.learner.empty()) continue;  // not run yet
    StudyCell cell{.x = x, .n = run_quantile(ends.learner, 1 - delta), .budget = ends.budget};
    cell.runs = static_cast<int>(ends.learner.size());
    cell.ended = static_cast<int>(
        std::ranges::count_if(ends.learner, [](double n) { return std::isfinite(n); }));
    cell.has_control = !ends.control.empty();
    if (cell.has_control) cell.control = run_quantile(ends.control, 1 - delta);
    out.controlled = out.controlled || cell.has_control;
    Vector at(static_cast<Index>(x.size()));
    for (std::size_t k = 0; k < x.size(); ++k) at[static_cast<Index>(k)] = std::log(x[k]);
    const bool beyond = std::isinf(cell.n.n);
    out.points.push_back({.x = std::move(at),
                          .log_n = std::log(beyond ? cell.budget : cell.n.n),
                          .variance = cell.n.log_variance,
                          .censored = beyond});
    out.cells.push_back(std::move(cell));
  }
  out.fit = fit_scaling(out.points);
  out.held_out = hold_out_last(out.points);
  out.gate = gate_of(out, cells);
  out.theory = theory;
  for (std::size_t k = 0; k < theory.size(); ++k)
    out.verdicts.push_back(judge_scaling(out.fit, static_cast<Index>(k), theory[k], out.gate));
  return out;
}

// What sets a group apart: its learner, and every setting that differs between groups.
std::map<std::string, std::string> names_of(const std::map<std::string, Cells>& groups) {
  std::map<std::string, std::set<std::string>> values;
  for (const auto& [group, cells] : groups)
    for (const auto& [name, value] : settings_of(group)) values[name].insert(value);
  std::map<std::string, std::string> out;
  for (const auto& [group, cells] : groups) {
    const GridCell cell = GridCell::parse(group);
    std::string name = fmt::format("{} on {}", cell.text("algorithm"),
                                   cell.text(cell.has("family") ? "family" : "mdp"));
    for (const auto& [setting, value] : settings_of(group)) {
      const bool named = setting == "algorithm" || setting == "family" || setting == "mdp";
      if (!named && values[setting].size() > 1) name += fmt::format(", {} {}", setting, value);
    }
    out[group] = std::move(name);
  }
  return out;
}

}  // namespace

StudyAxis study_axis(const std::string& setting) {
  static const std::map<std::string, std::string> symbols = {
      {"states", "|S|"},        {"rank", "d"},      {"actions", "|A|"}, {"gamma", "1/(1−γ)"},
      {"class_size", "log|F|"}, {"epsilon", "1/ε"}, {"omega", "ω"}};
  const auto known = symbols.find(setting);
  return {setting, known == symbols.end() ? setting.substr(setting.find('_') + 1) : known->second};
}

double axis_value(const std::string& setting, double value) {
  if (setting == "gamma") return 1 / (1 - value);
  if (setting == "epsilon") return 1 / value;
  if (setting == "class_size") return std::log(value);
  return value;
}

std::vector<ScalingStudy> scaling_studies(const ExperimentData& data) {
  const ConfigTable config = ConfigTable::parse(data.record.config, data.record.id);
  std::vector<std::string> axes;
  std::vector<double> theory;
  config.read("axes", axes);
  config.read("theory", theory);
  std::map<std::string, Cells> groups;
  std::map<std::string, double> delta;
  for (const Run& run : data.runs) {
    const GridCell cell = GridCell::parse(run.key.cell);
    std::string group;
    for (const auto& [name, value] : settings_of(run.key.cell)) {
      if (name == "role" || std::ranges::find(axes, name) != axes.end()) continue;
      group += fmt::format("{}{}={}", group.empty() ? "" : " ", name, value);
    }
    std::vector<double> x;
    for (const std::string& axis : axes) x.push_back(axis_value(axis, cell.number(axis)));
    add_run(run, cell, groups[group][x]);
    delta[group] = cell.number("delta");
  }
  const std::map<std::string, std::string> names = names_of(groups);
  std::vector<ScalingStudy> out;
  for (const auto& [group, cells] : groups)
    out.push_back(study_of(names.at(group), axes, cells, delta.at(group), theory));
  return out;
}

}  // namespace speder

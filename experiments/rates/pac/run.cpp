// pac-d, pac-A, pac-gamma, pac-eps, pac-F: N(ε, δ) of Algorithm 1 on the family needle along one axis,
// everything else held; the controls flat and none at every point.                 [thm:pac_online]
#include "speder/experiments/rates/needle_study.hpp"

namespace speder {
namespace {

struct PacConfig {
  NeedleStudy study;
  int rank = 12, actions = 3;        // where they do not move
  std::vector<double> values;        // of the axis
  std::vector<int> levels_of_value;  // pac-F: the class's own size moves too
  double reference = 0;              // the value whose α flat holds
  std::vector<std::string> curves = {"printed", "flat", "none"};
};

using PacAxis = NeedlePoint (*)(const PacConfig&, NeedlePoint, double value, std::size_t i);

NeedlePoint by_rank(const PacConfig&, NeedlePoint p, double value, std::size_t) {
  p.rank = static_cast<int>(value);
  return p;
}
NeedlePoint by_actions(const PacConfig&, NeedlePoint p, double value, std::size_t) {
  p.actions = static_cast<int>(value);
  return p;
}
// ε stays, so that Δ falls like the share of an episode's value that one door decides.
NeedlePoint by_horizon(const PacConfig& c, NeedlePoint p, double value, std::size_t) {
  const double epsilon = needle_epsilon(c.study, p);
  p.horizon = value;
  p.lead = lead_for_epsilon(c.study, p, epsilon);
  return p;
}
NeedlePoint by_epsilon(const PacConfig& c, NeedlePoint p, double value, std::size_t) {
  p.lead = lead_for_epsilon(c.study, p, 1 / value);
  return p;
}
NeedlePoint by_size(const PacConfig& c, NeedlePoint p, double value, std::size_t i) {
  p.log_class = value;
  if (!c.levels_of_value.empty()) p.levels = c.levels_of_value[i];
  return p;
}

SweepPlan plan_pac(const ConfigTable& table, Limits values, PacAxis axis, bool has_levels = false) {
  PacConfig c;
  Settings settings(table);
  if (!table.has("values")) table.fail("values", "the key is missing");
  read_study(settings, c.study);
  settings.read("rank", c.rank, {8, 256}).read("actions", c.actions, {2, 256});
  settings.read("values", c.values, values).read("curves", c.curves);
  c.reference = c.values.front();
  settings.read("reference", c.reference, values);
  require_curves(table, "curves", c.curves);
  if (has_levels) {
    c.levels_of_value.assign(c.values.size(), c.study.levels);
    settings.read("levels_of_value", c.levels_of_value, {1, 256});
    if (c.levels_of_value.size() != c.values.size())
      table.fail("levels_of_value", "needs one number for each value");
  }
  const NeedlePoint held = study_point(c.study, c.rank, c.actions);
  SweepPlan plan;
  for (const std::string& curve : c.curves) {
    for (std::size_t i = 0; i < c.values.size(); ++i)
      plan.cells.push_back(curve_cell(c.study, axis(c, held, c.values[i], i), curve));
  }
  const NeedlePoint reference = axis(c, held, c.reference, 0);
  plan.config = settings.text();
  plan.run = [study = c.study, reference](const RunContext& context) {
    return run_needle(study, context, reference);
  };
  return plan;
}

}  // namespace

SweepPlan plan_pac_d(const ConfigTable& settings) { return plan_pac(settings, {8, 256}, by_rank); }
SweepPlan plan_pac_actions(const ConfigTable& settings) {
  return plan_pac(settings, {2, 256}, by_actions);
}
SweepPlan plan_pac_gamma(const ConfigTable& settings) {
  return plan_pac(settings, {2, 1e3}, by_horizon);
}
SweepPlan plan_pac_epsilon(const ConfigTable& settings) {
  return plan_pac(settings, kScale, by_epsilon);
}
SweepPlan plan_pac_size(const ConfigTable& settings) {
  return plan_pac(settings, kLogClass, by_size, true);
}

}  // namespace speder

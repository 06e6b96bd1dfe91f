// map: N(ε, δ) over (d, |A|) on the family needle, for Algorithm 1 and its controls; mutations of the
// algorithm on a cross through its reference.                                        [thm:pac_online]
#include <algorithm>

#include "speder/experiments/rates/needle_study.hpp"

namespace speder {

namespace {

struct MapConfig {
  NeedleStudy study;
  std::vector<int> rank = {12, 16}, actions = {4, 6};
  std::vector<std::string> curves = {"printed", "none"};  // everywhere
  // On the cross through the reference, whose α flat holds: all d at its |A|, all |A| at its d.
  int reference_rank = 16, reference_actions = 6;
  std::vector<std::string> cross_curves = {"flat", "uniform"};
  std::vector<double> best = {1};  // printed with so many times c_α
};

std::vector<NeedlePoint> rank_line(const MapConfig& c) {
  std::vector<NeedlePoint> out;
  for (const int d : c.rank) out.push_back(study_point(c.study, d, c.reference_actions));
  return out;
}
std::vector<NeedlePoint> actions_line(const MapConfig& c) {
  std::vector<NeedlePoint> out;
  for (const int A : c.actions) out.push_back(study_point(c.study, c.reference_rank, A));
  return out;
}

}  // namespace

SweepPlan plan_map(const ConfigTable& table) {
  MapConfig c;
  Settings settings(table);
  read_study(settings, c.study);
  settings.read("rank", c.rank, {8, 256}).read("actions", c.actions, {2, 256});
  settings.read("curves", c.curves).read("cross_curves", c.cross_curves);
  settings.read("best", c.best, {1e-3, 1e3});
  settings.read("reference_rank", c.reference_rank, {8, 256});
  settings.read("reference_actions", c.reference_actions, {2, 256});
  require_curves(table, "curves", c.curves);
  require_curves(table, "cross_curves", c.cross_curves);
  if (std::ranges::find(c.rank, c.reference_rank) == c.rank.end())
    table.fail("reference_rank", "must be one of `rank`");
  if (std::ranges::find(c.actions, c.reference_actions) == c.actions.end())
    table.fail("reference_actions", "must be one of `actions`");
  SweepPlan plan;
  const auto add = [&](const NeedlePoint& point, const std::string& curve, double scale = 1) {
    plan.cells.push_back(curve_cell(c.study, point, curve, scale));
  };
  for (const std::string& curve : c.curves) {
    for (const int d : c.rank) {
      for (const int A : c.actions) add(study_point(c.study, d, A), curve);
    }
  }
  const NeedlePoint reference = study_point(c.study, c.reference_rank, c.reference_actions);
  std::vector<NeedlePoint> cross = rank_line(c);
  for (const NeedlePoint& p : actions_line(c)) {
    if (p.actions != reference.actions) cross.push_back(p);
  }
  for (const NeedlePoint& p : cross) {
    for (const std::string& curve : c.cross_curves) add(p, curve);
    for (const double scale : c.best) {
      if (scale != 1) add(p, "printed", scale);
    }
  }
  for (const NeedlePoint& p : rank_line(c)) add(p, "alpha-without-d");
  for (const NeedlePoint& p : actions_line(c)) {
    for (const char* mutation :
         {"subtracted", "sigma-of-both", "without-second", "policy-actions", "alpha-without-A"})
      add(p, mutation);
  }
  plan.config = settings.text();
  plan.run = [study = c.study, reference](const RunContext& context) {
    return run_needle(study, context, reference);
  };
  return plan;
}

}  // namespace speder

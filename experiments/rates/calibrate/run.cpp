// calibrate: in how many runs is every plan of Algorithm 1 optimistic, V̂ ≥ V*, by the constant c_α?
//                                                                                     [lem:optimism]
#include "speder/experiments/rates/needle_study.hpp"

namespace speder {

SweepPlan plan_calibrate(const ConfigTable& table) {
  NeedleStudy study;
  std::vector<int> rank = {12}, actions = {3};
  std::vector<double> constants = {1e-4, 1e-3};
  double chosen = 0;
  Settings settings(table);
  if (table.has("c_alpha")) table.fail("c_alpha", "calibrate takes `constants` and `chosen`");
  read_study(settings, study);
  settings.read("rank", rank, {8, 256}).read("actions", actions, {2, 256});
  settings.read("constants", constants, {1e-9, 1e3}).read("chosen", chosen, {1e-9, 1e3});
  study.c_alpha = constants.front();
  SweepPlan plan;
  for (const double c_alpha : constants) {
    for (const int d : rank) {
      for (const int A : actions)
        plan.cells.push_back(
            curve_cell(study, study_point(study, d, A), "printed", c_alpha / study.c_alpha));
    }
  }
  const NeedlePoint reference = study_point(study, rank.front(), actions.front());
  plan.config = settings.text();
  plan.run = [study, reference](const RunContext& context) {
    return run_needle(study, context, reference);
  };
  return plan;
}

}  // namespace speder

#include "experiments/sweep/experiment.hpp"
#include "experiments/sweep/horizon.hpp"
#include "experiments/sweep/planted.hpp"

namespace speder {

const std::map<std::string_view, Experiment>& experiment_table() {
  static const std::map<std::string_view, Experiment> table = {
      {"horizon",
       {"Does a sample of d^π cost 1/(1−γ) steps, with a geometric tail?", plan_horizon}},
      {"planted",
       {"Does the way from sweep to verdict recover a power law of known exponent?", plan_planted}},
  };
  return table;
}

}  // namespace speder

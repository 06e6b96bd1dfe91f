#include "experiments/sweep/experiment.hpp"
#include "experiments/sweep/planted.hpp"

namespace speder {

const std::map<std::string_view, Experiment>& experiment_table() {
  static const std::map<std::string_view, Experiment> table = {
      {"planted",
       {"Does the way from sweep to verdict recover a power law of known exponent?", plan_planted}},
  };
  return table;
}

}  // namespace speder

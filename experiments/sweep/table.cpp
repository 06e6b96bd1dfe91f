#include "experiments/sweep/experiment.hpp"
#include "experiments/sweep/gen_n.hpp"
#include "experiments/sweep/horizon.hpp"
#include "experiments/sweep/planted.hpp"

namespace speder {

const std::map<std::string_view, Experiment>& experiment_table() {
  static const std::map<std::string_view, Experiment> table = {
      {"gen-n",
       {"Does the error of the learned kernel fall like 1/n, below the theorem's explicit bound?",
        plan_gen_n}},
      {"horizon",
       {"Does a sample of d^π cost 1/(1−γ) steps, with a geometric tail?", plan_horizon}},
      {"planted",
       {"Does the way from sweep to verdict recover a power law of known exponent?", plan_planted}},
  };
  return table;
}

}  // namespace speder

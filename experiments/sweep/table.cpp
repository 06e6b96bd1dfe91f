#include "experiments/sweep/ablate.hpp"
#include "experiments/sweep/experiment.hpp"
#include "experiments/sweep/gen_mle.hpp"
#include "experiments/sweep/gen_n.hpp"
#include "experiments/sweep/horizon.hpp"
#include "experiments/sweep/offline.hpp"
#include "experiments/sweep/pac.hpp"
#include "experiments/sweep/planted.hpp"
#include "experiments/sweep/regret.hpp"
#include "experiments/sweep/table1.hpp"

namespace speder {

const std::map<std::string_view, Experiment>& experiment_table() {
  static const std::map<std::string_view, Experiment> table = {
      {"ablate", {"Do the bonus and the penalty matter?", plan_ablate}},
      {"gen-mle",
       {"How do least squares and maximum likelihood compare on the same data?", plan_gen_mle}},
      {"gen-n",
       {"Does the error of the learned kernel fall like 1/n, below the theorem's explicit bound?",
        plan_gen_n}},
      {"horizon",
       {"Does a sample of d^π cost 1/(1−γ) steps, with a geometric tail?", plan_horizon}},
      {"off-C", {"How does the offline gap grow with the coverage number C*?", plan_off_coverage}},
      {"off-n", {"How does the offline gap fall with n?", plan_off_n}},
      {"off-omega", {"How does the offline gap grow with ω = max 1/π_b?", plan_off_omega}},
      {"pac-A", {"How do the episodes to an ε-optimal policy grow with |A|?", plan_pac_actions}},
      {"pac-F", {"How do they grow with log|F|?", plan_pac_size}},
      {"pac-d", {"How do they grow with the rank d?", plan_pac_d}},
      {"pac-eps", {"How do they grow with 1/ε?", plan_pac_epsilon}},
      {"pac-gamma", {"How do they grow with 1/(1−γ)?", plan_pac_gamma}},
      {"planted",
       {"Does the way from sweep to verdict recover a power law of known exponent?", plan_planted}},
      {"regret", {"Does the regret grow at most like √N?", plan_regret}},
      {"table1",
       {"Do spectral features of P serve every policy, and those of P^π only π?", plan_table1}},
  };
  return table;
}

}  // namespace speder

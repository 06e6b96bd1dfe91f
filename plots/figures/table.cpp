#include "plots/analysis.hpp"
#include "plots/figures/ablate.hpp"
#include "plots/figures/gen_mle.hpp"
#include "plots/figures/gen_n.hpp"
#include "plots/figures/horizon.hpp"
#include "plots/figures/offline.hpp"
#include "plots/figures/pac.hpp"
#include "plots/figures/planted.hpp"
#include "plots/figures/regret.hpp"
#include "plots/figures/table1.hpp"

namespace speder {

const std::map<std::string_view, Analysis>& analysis_table() {
  static const std::map<std::string_view, Analysis> table = {
      {"ablate", analyse_ablate},       {"gen-mle", analyse_gen_mle},
      {"gen-n", analyse_gen_n},         {"horizon", analyse_horizon},
      {"off-C", analyse_off_coverage},  {"off-n", analyse_off_n},
      {"off-omega", analyse_off_omega}, {"pac-A", analyse_pac_actions},
      {"pac-F", analyse_pac_size},      {"pac-d", analyse_pac_d},
      {"pac-eps", analyse_pac_epsilon}, {"pac-gamma", analyse_pac_gamma},
      {"planted", analyse_planted},     {"regret", analyse_regret},
      {"table1", analyse_table1},
  };
  return table;
}

}  // namespace speder

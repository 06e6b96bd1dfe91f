#include "plots/analysis.hpp"
#include "plots/figures/horizon.hpp"
#include "plots/figures/planted.hpp"

namespace speder {

const std::map<std::string_view, Analysis>& analysis_table() {
  static const std::map<std::string_view, Analysis> table = {
      {"horizon", analyse_horizon},
      {"planted", analyse_planted},
  };
  return table;
}

}  // namespace speder

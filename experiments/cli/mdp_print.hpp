#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "speder/mdp/conditions/conditions.hpp"
#include "speder/mdp/model/tabular_mdp.hpp"

namespace speder::cli {

/// "lock: 200 states, 10 actions, rank 8, gamma 0.99, seed 1" and the knobs.
[[nodiscard]] std::string describe(const TabularMdp& mdp);
[[nodiscard]] std::string condition_table(const std::vector<Condition>& conditions);
[[nodiscard]] nlohmann::ordered_json to_json(const std::vector<Condition>& conditions);
[[nodiscard]] nlohmann::ordered_json to_json(const TabularMdp& mdp);

/// All families in a table, or one with its knobs, from the code's own list.
[[nodiscard]] std::string family_table();
[[nodiscard]] std::string family_page(std::string_view name);
[[nodiscard]] nlohmann::ordered_json families_json();

}  // namespace speder::cli

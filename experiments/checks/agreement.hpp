#pragma once

#include <string>
#include <vector>

#include "speder/core/types.hpp"
#include "speder/mdp/planners/planning.hpp"

namespace speder {

/// One family made with its default sizes, its conditions checked, and solved by every planner.
struct Agreement {
  std::string family;
  Index states = 0;
  Index actions = 0;
  Index rank = 0;
  double gamma = 0;
  int conditions_held = 0;
  int conditions = 0;
  std::string conditions_failed;  // names, in words
  double value = 0;               // J* = ⟨ρ, V*⟩
  double disagreement = 0;        // max over planners of ‖V − V_dense‖∞ (1 − γ)
  double residual = 0;            // largest ‖TV − V‖∞ (1 − γ)
  double visitation_error = 0;    // |J* − ⟨d^π*, r⟩/(1−γ)| (1 − γ)
  std::string error;              // empty unless the family could not be made or solved
  [[nodiscard]] bool agrees() const;
};

/// Every generated family, at γ = 0.95 and γ = 0.9999.
[[nodiscard]] std::vector<Agreement> check_agreement(std::uint64_t seed);

}  // namespace speder

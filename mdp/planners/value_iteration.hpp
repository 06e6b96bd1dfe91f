#pragma once

#include "speder/mdp/planners/planning.hpp"

namespace speder {

/// V ← TV in factored or sparse form. Stops on the span of TV − V and adds the constant that
/// centres what is left (Puterman 1994, section 6.6.3), so that slow constant modes cost nothing.
[[nodiscard]] PlanResult plan_value(const PlanProblem& problem, const PlanOptions& options);

}  // namespace speder

#pragma once

#include "speder/mdp/planners/planning.hpp"

namespace speder {

/// Policy iteration on the dense (SA × S) kernel with one LU factorisation of I − γ P_π per step:
/// the reference the other planners are held against.
[[nodiscard]] PlanResult plan_dense(const PlanProblem& problem, const PlanOptions& options);

}  // namespace speder

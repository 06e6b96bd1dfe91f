#pragma once

#include "speder/mdp/planners/planning.hpp"

namespace speder {

/// Policy iteration on the sparse kernel. Improvement is one Gauss–Seidel sweep in depth-first
/// order of the transition graph (successors first), so that a reward travels back along a whole
/// chain in one step; evaluation is GMRES preconditioned by the triangular part in the same order.
/// With V ≤ TV at the start of a sweep, the swept V' satisfies V' ≥ TV and V' ≤ T_π' V', so each
/// step does at least what a step of policy iteration does.
[[nodiscard]] PlanResult plan_sparse(const PlanProblem& problem, const PlanOptions& options);

/// (I − γ P_π) x = b, or its transpose, for a sparse P_π (S × S).
[[nodiscard]] Vector solve_discounted(const SparseMatrix& P_pi, double gamma, const Vector& b,
                                      bool transpose);

}  // namespace speder

#pragma once

#include "speder/mdp/planners/planning.hpp"

namespace speder {

/// A bound on ‖V − V*‖∞ that holds for every V, whatever the rounding of the planner that found it:
///
///   ‖V − V*‖∞ ≤ (‖TV − V‖∞ + e) / (1 − γ L),   L = max_{s,a} ∑_{s'} |P(s'|s,a)|
///
/// TV is computed in extended precision and e bounds the rounding of that (Higham 2002, section
/// 3.1: a sum of n products carries at most n u / (1 − n u) of the sum of their sizes). Actions that
/// double precision, with the same bound on its rounding, proves not to be the best are left out.
/// Where nothing in the factors is negative, L is at most 1 + tol::kSimplex and a rounding, since
/// the kernel was refused otherwise; near γ = 1 the rows are summed in extended precision. V* is the
/// optimal value of the factors as stored, whose rows sum to 1 up to rounding only; infinite when
/// γ L reaches 1, or V is not finite.
[[nodiscard]] double certified_error(const PlanProblem& problem, const Vector& value);

/// Smallest V*(s) − Q*(s,a) above `noise`; 0 when every action is optimal everywhere.
[[nodiscard]] double smallest_gap(const PlanResult& result, Index actions, double noise);

}  // namespace speder

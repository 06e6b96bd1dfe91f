#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "speder/core/check.hpp"
#include "speder/core/tolerance.hpp"
#include "speder/core/types.hpp"
#include "speder/mdp/model/kernel.hpp"
#include "speder/mdp/model/policy.hpp"

namespace speder {

/// What a planner needs: any kernel (the truth or a learned one), any reward (r, r + b or r − b).
struct PlanProblem {
  const Kernel& kernel;
  const Vector& reward;  // (SA)
  double gamma;
};

enum class PlanMethod {
  kAuto,      // factored or sparse, whichever touches fewer numbers per sweep
  kFactored,  // policy iteration through d × d systems
  kSparse,    // policy iteration, Krylov policy evaluation
  kValue,     // value iteration in factored form, span stopping
  kDense      // policy iteration on the dense kernel: the reference
};
[[nodiscard]] std::string_view to_string(PlanMethod method);

struct PlanOptions {
  PlanMethod method = PlanMethod::kAuto;
  double residual = tol::kBellman;  // stop at ‖TV − V‖∞ below this (relative to 1 ∨ ‖V‖∞ rounding)
  int max_iterations = 1'000'000;
};

struct PlanResult {
  Vector value;                      // (S)  V
  Vector q;                          // (SA) r + γ E_P[V]
  std::vector<std::int32_t> policy;  // (S)  greedy in q, lowest action on ties
  double residual = 0;  // ‖TV − V‖∞, hence ‖V − V*‖∞ ≤ residual / (1 − γ)
  int iterations = 0;   // policy-iteration steps or value-iteration sweeps
  PlanMethod method = PlanMethod::kAuto;  // the one that ran
  Termination termination = Termination::kIterationLimit;
};

/// π* and V* of the problem.
[[nodiscard]] PlanResult plan(const PlanProblem& problem, const PlanOptions& options = {});

/// The method kAuto stands for on this kernel.
[[nodiscard]] PlanMethod choose_method(const Kernel& kernel);

struct Evaluation {
  Vector value;         // (S)  V^π
  Vector q;             // (SA) Q^π
  double residual = 0;  // ‖r_π + γ P_π V − V‖∞
};
[[nodiscard]] Evaluation evaluate(const PlanProblem& problem, const Policy& policy,
                                  PlanMethod method = PlanMethod::kAuto);

/// d^π(s) = (1−γ) ∑_t γ^t Pr(s_t = s), s_0 ~ ρ: probabilities, they sum to 1.
struct Visitation {
  Vector mass;          // (S)
  double residual = 0;  // ‖(1−γ)ρ + γ P_πᵀ d − d‖₁
};
[[nodiscard]] Visitation visitation(const PlanProblem& problem, const Vector& rho,
                                    const Policy& policy, PlanMethod method = PlanMethod::kAuto);

}  // namespace speder

#pragma once

#include <string>

#include "speder/experiments/learn/evaluate.hpp"
#include "speder/mdp/model/policy.hpp"

namespace speder {

/// Where offline data come from.
struct BehaviourSpec {
  /// uniform     π_b = U(A)
  /// epsilon     (1−ε) π* + ε U(A)
  /// softmax     π_b(a|s) ∝ exp(Q*(s,a)/τ)
  /// coverage    π_b(a|s) = 1/ω + (1 − |A|/ω) [κ π*(a|s) + (1−κ) π_worst(a|s)]
  ///             `omega` sets the least action probability 1/ω, `mix` = κ moves C* at that ω; with
  ///             `c_star` > 0 κ is found by bisection so that C* has that value
  std::string kind = "uniform";
  double epsilon = 0.2;
  double temperature = 1;  // τ
  double omega = 0;        // 0: 4|A|
  double mix = 0.5;        // κ
  double c_star = 0;
};

struct Behaviour {
  Policy policy;
  double omega = 1;  // max 1/π_b(a|s), realised
  double c_star = 1;  // sup_x xᵀE_{d^{π*}}[φφᵀ]x / xᵀE_{d^{π_b}}[φφᵀ]x, realised [thm:pac_offline]
};

/// Throws InputError for an unknown kind or a setting out of reach (saying what is reachable).
[[nodiscard]] Behaviour make_behaviour(TruthEvaluator& truth, const BehaviourSpec& spec);

/// ω and C* of a policy that is given.
[[nodiscard]] Behaviour behaviour_of(TruthEvaluator& truth, Policy policy);

}  // namespace speder

#pragma once

#include <cstdint>
#include <vector>

#include "speder/core/rng.hpp"
#include "speder/core/types.hpp"

namespace speder {

/// A Markov policy π(a|s). Deterministic policies are held as one action per state.
class Policy {
 public:
  static Policy uniform(Index states, Index actions);
  static Policy deterministic(std::vector<std::int32_t> choice, Index actions);
  static Policy stochastic(Matrix table);  // (S × A), rows are distributions

  [[nodiscard]] Index states() const { return states_; }
  [[nodiscard]] Index actions() const { return actions_; }
  [[nodiscard]] bool is_deterministic() const { return !choice_.empty(); }
  [[nodiscard]] const std::vector<std::int32_t>& choice() const { return choice_; }
  [[nodiscard]] double probability(Index s, Index a) const {
    return is_deterministic() ? (choice_[static_cast<std::size_t>(s)] == a ? 1.0 : 0.0)
                              : table_(s, a);
  }
  [[nodiscard]] Matrix table() const;  // (S × A)
  [[nodiscard]] ActionId sample(StateId s, Rng& rng) const;
  /// ∑_a π(a|s) f(s,a).                                                       (S)
  [[nodiscard]] Vector average(const Vector& f) const;
  /// d(s) π(a|s).                                                             (SA)
  [[nodiscard]] Vector joint(const Vector& state_mass) const;

 private:
  Policy() = default;
  Index states_ = 0;
  Index actions_ = 0;
  std::vector<std::int32_t> choice_;  // (S) when deterministic, otherwise empty
  Matrix table_;                      // (S × A) otherwise
};

}  // namespace speder

#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "speder/experiments/learn/evaluate.hpp"
#include "speder/learning/report.hpp"
#include "speder/mdp/classes/feature_class.hpp"

namespace speder {

/// One line of a learning run: what the learner says and what the truth says about it. Values and
/// gaps are in units of E_ρ V, exact in the true MDP. NaN: not defined for this learner.
/// ρ_n = (1/n) ∑_{i=1}^n d^{π_{i−1}}, the law of the states in D_n. DEVIATION-2: the paper prints
/// d^{π_i}, which is not what the data of its line 4 come from.
struct LearnRow {
  Index n = 0;               // episode, or number of transitions
  double value_last = 0;     // V^{π_n}
  double value_mixture = 0;  // mean of V^{π_1} … V^{π_n}
  double gap_last = 0;       // V* − V^{π_n}
  double gap_mixture = 0;    // V* − mean = regret / n
  double regret = 0;         // ∑_{i≤n} V* − V^{π_i}, every episode counted
  Index candidate = -1;
  double error_rho = 0;  // E‖P̂_n − P*‖₂², s ~ ρ_n, a ~ U(A); offline (s,a) ~ d^{π_b} π_b
  double error_rho_next = 0;  // the same under ρ'_n, the law of s'; online only
  double bonus_sup = 0;       // max b
  double bonus_l2 = 0;  // ‖∑_a b(·,a)‖_{L2(ν)}                            [lem:norm_bonus]
  double optimism = 0;  // E_ρ V_{P̂,r±b} − V*
  double zeta = 0;
  double lambda = 0;
  double alpha = 0;
  Index env_steps = 0;
  Index replans = 0;
  double seconds = 0;  // wall clock; the only column that differs between equal runs
};

/// Column names and values in one fixed order, `seconds` last.
[[nodiscard]] std::vector<std::pair<std::string_view, double>> columns(const LearnRow& row);

/// Probabilities P (SA × S) as a kernel: their rows for φ, the identity for μν.
[[nodiscard]] Kernel kernel_of_rows(const Matrix& P, const Vector& nu);

/// 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 13, 16, … ≤ last: rounded powers of 2^{1/4}, and `last`.
[[nodiscard]] std::vector<Index> geometric_grid(Index last);

/// Turns reports into rows: regret at every report, the other columns on the grid.
class LearnRecorder {
 public:
  struct Options {
    std::vector<Index> grid;  // increasing
    bool online = true;       // false: no regret, no mixture; ρ_n is d^{π_b} itself
    Policy data_policy;       // π₀, or π_b offline
    bool follow_plan = true;  // false: all data come from data_policy
    std::function<bool(const LearnRow&)> on_row = {};      // false ends the run
    std::function<bool(const LearnRow&)> on_episode = {};  // cheap: only n and gaps are filled
  };
  /// `candidates` may be null: the learner has no class.
  LearnRecorder(TruthEvaluator& truth, const FeatureClass* candidates, Options options);

  bool operator()(const LearnerReport& report);
  [[nodiscard]] const std::vector<LearnRow>& rows() const { return rows_; }

 private:
  void follow(const LearnerReport& report);
  void fill(const LearnerReport& report, LearnRow& row);
  void measure_errors(LearnRow& row);
  void measure_errors(const Matrix& P, LearnRow& row);
  void fill_errors(LearnRow& row) const;  // of model_

  TruthEvaluator* truth_;
  const FeatureClass* candidates_;
  Options options_;
  std::size_t next_ = 0;  // position in the grid
  PolicyTruth current_;   // of π_n
  double regret_ = 0;
  Vector mass_sum_;     // (S)  ∑_{i<n} d^{π_i}: the laws of the data so far
  double pending_ = 0;  // times current_.mass still to be added to mass_sum_
  Index replans_ = 0;
  Index model_index_ = -1;
  std::optional<Kernel> model_;  // candidate model_index_
  bool model_is_truth_ = false;  // then its error is exactly 0, not a rounding error
  std::vector<LearnRow> rows_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace speder

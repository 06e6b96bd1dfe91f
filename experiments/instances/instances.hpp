#pragma once

#include "speder/core/rng.hpp"
#include "speder/experiments/learn/problem.hpp"

// Instances on which the rates can be seen. On random MDPs the learned policy is exactly optimal
// after a few samples; here the gap is a knob, and the class holds the rivals that can be mistaken
// for the truth. Rewards depend on the state alone: they are known to the learner and must not tell
// it which action is good.
namespace speder {

/// Two states, bad (start) and good (reward 1). The good state is kept with probability `stay`; from
/// the bad one every action reaches it with probability `climb`, the best action a* with more, such
/// that V* − V(any other action) = gap. Rivals: another action lifted above a*, or a* lowered below the
/// others; each differs from P* in one row.
struct ChainSpec {
  Index actions = 2;
  double gamma = 0.8;
  double gap = 0.1;
  Index class_size = 64;
  double climb = 0.5;
  double stay = 0.5;
};
[[nodiscard]] LearnProblem make_chain(const ChainSpec& spec, const SeedTree& seeds);

/// 2K contexts with two actions; the right one leads to a good context (reward 1) with probability
/// ½ + Δ, the other with ½ − Δ. A candidate is a word of 2K bits that says which is right; words are
/// random, so any two differ in about half of the contexts and log|F|/Δ² samples tell them apart.
/// A random word's policy is worse by about Δ/(1−γ).
struct CodeSpec {
  Index half = 16;  // K
  double gamma = 0.5;
  double lead = 0.2;  // Δ
  Index class_size = 64;
};
[[nodiscard]] LearnProblem make_code(const CodeSpec& spec, const SeedTree& seeds);

/// A binary tree of the given depth; a leaf leads to the prize (reward 1) with its own probability:
/// leaf 0 with ½, the others with ½ − Δ, the needle with ½ + Δ. Prize and blank lead back to the
/// root. Rank d = 2^{depth+1} + 2. Δ is such that V* − V(leaf 0) = gap. A candidate puts the needle
/// elsewhere or nowhere.
struct TreeSpec {
  int depth = 2;
  double gamma = 0.9;
  double gap = 0.1;
  Index class_size = 64;
  bool has_needle = true;  // of the truth; without, leaf 0 is best
};
[[nodiscard]] LearnProblem make_tree(const TreeSpec& spec, const SeedTree& seeds);
/// The gap at which Δ = ½, its largest.
[[nodiscard]] double largest_tree_gap(int depth, double gamma);

/// A combination lock: at each level one action leads on, the others to a decoy (a small reward);
/// the last level's leads to the prize. Both lead back to the first level. A candidate is a
/// combination, with a lock that opens at its end or, in most of them, does not.
struct LockSpec {
  int depth = 4;
  Index actions = 3;
  double gamma = 0.9;
  Index class_size = 64;
};
[[nodiscard]] LearnProblem make_lock_problem(const LockSpec& spec, const SeedTree& seeds);

// What the makers share.

/// A low-rank kernel P = ⟨φ, μ⟩ with rows of φ in the simplex (counting measure) and a reward of the
/// state, given a coordinate of its own: φ' = (φ, r)/√2, μ' = (√2 μ, 0), θ = √2 e.
[[nodiscard]] Kernel with_reward(const Matrix& phi, const Matrix& mu, const Vector& state_reward);
/// The truth at a random place among the rivals.
[[nodiscard]] LearnProblem assemble_problem(Kernel truth, std::vector<Kernel> rivals,
                                            const Vector& state_reward, double gamma, Rng& rng);

}  // namespace speder

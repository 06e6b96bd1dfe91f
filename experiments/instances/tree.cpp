#include <cmath>

#include "speder/core/check.hpp"
#include "speder/experiments/instances/instances.hpp"

namespace speder {
namespace {

constexpr Index kActions = 2;

// Nodes 0 … 2L−2 as a heap (children of v: 2v+1, 2v+2), prize 2L−1, blank 2L.
struct Tree {
  Index leaves;
  [[nodiscard]] Index states() const { return 2 * leaves + 1; }
  [[nodiscard]] Index first_leaf() const { return leaves - 1; }
  [[nodiscard]] Index prize() const { return 2 * leaves - 1; }
};

// A round takes depth + 2 steps and pays at its last but one: V = γ^{depth+1} p + γ^{depth+2} V.
double value_per_chance(int depth, double gamma) {
  return std::pow(gamma, depth + 1) / (1 - std::pow(gamma, depth + 2));
}

// One row per pair, given each leaf's chance of the prize.
Kernel kernel_of(const Tree& tree, const Vector& chance, const Vector& reward) {
  const Index S = tree.states();
  Matrix phi = Matrix::Zero(S * kActions, S);
  for (Index s = 0; s < S; ++s) {
    for (Index a = 0; a < kActions; ++a) {
      const Index x = pair_index(s, a, kActions);
      if (s < tree.first_leaf()) {
        phi(x, 2 * s + 1 + a) = 1;
      } else if (s < tree.prize()) {
        const double p = chance[s - tree.first_leaf()];
        phi(x, tree.prize()) = p;
        phi(x, tree.prize() + 1) = 1 - p;
      } else {
        phi(x, 0) = 1;
      }
    }
  }
  return with_reward(phi, Matrix::Identity(S, S), reward);
}

}  // namespace

double largest_tree_gap(int depth, double gamma) { return value_per_chance(depth, gamma) / 2; }

LearnProblem make_tree(const TreeSpec& spec, const SeedTree& seeds) {
  const Tree tree{Index{1} << spec.depth};
  const double lead = spec.gap / value_per_chance(spec.depth, spec.gamma);
  if (!(lead > 0 && lead <= 0.5)) {
    throw InputError(
        fmt::format("tree: at depth {} and gamma {} the gap must lie in (0, {}], got {}",
                    spec.depth, spec.gamma, largest_tree_gap(spec.depth, spec.gamma), spec.gap));
  }
  const Vector reward = Vector::Unit(tree.states(), tree.prize());
  Vector plain = Vector::Constant(tree.leaves, 0.5 - lead);
  plain[0] = 0.5;
  const auto with_needle = [&](Index leaf) {
    Vector chance = plain;
    chance[leaf] = 0.5 + lead;
    return chance;
  };
  Rng rng = seeds.stream("tree");
  // In the other half of the tree from leaf 0: no sample comes from there while leaf 0 is chosen.
  const Index needle = tree.leaves / 2 + rng.index(tree.leaves / 2);
  // Every other rival has no needle, but leaf 1 nearer to leaf 0.
  std::vector<Kernel> rivals;
  for (Index i = 0; i + 1 < spec.class_size; ++i) {
    Index leaf = 1 + (i / 2) % (tree.leaves - 1);
    if (spec.has_needle && leaf == needle) leaf = 1;
    Vector chance = i % 2 == 0 ? plain : with_needle(leaf);
    const double turn = static_cast<double>(i) / static_cast<double>(spec.class_size);
    if (i % 2 == 0) chance[1] += lead * turn;
    if (i % 2 == 1) chance[leaf] += (0.5 - lead) * turn / 2;
    rivals.push_back(kernel_of(tree, chance, reward));
  }
  const Vector truth = spec.has_needle ? with_needle(needle) : plain;
  return assemble_problem(kernel_of(tree, truth, reward), std::move(rivals), reward, spec.gamma,
                          rng);
}

}  // namespace speder

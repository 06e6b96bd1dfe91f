#pragma once

#include <string>
#include <vector>

#include "speder/experiments/learn/problem.hpp"

namespace speder::worst {

/// What is held while instances are searched.
struct Setting {
  std::string kind =
      "latent";           // latent: any small latent MDP and its rivals; needle: the family's knobs
  Index rank = 4;         // d
  Index actions = 2;      // |A|
  Index class_size = 16;  // |F|, kind latent
  double gamma = 0.8;
  double epsilon = 0.1;
  double delta = 0.1;
  double overlap = 0.1;  // o, kind latent: with ν(S) = d/|A|² no density exceeds C = (1 − o)|A|²
  double c_alpha = 0.02;
  double c_lambda = 1;
  Index episodes = 16'384;  // of a run that does not get there
};
/// InputError, in one line, unless an instance of these sizes exists.
void require_valid(const Setting& setting);
/// (1 − o)|A|² for kind latent: the bound on the density that every candidate of every class meets.
[[nodiscard]] double density_bound(const Setting& setting);

/// An instance as numbers in [0, 1]: latent moves, rewards on arrival and rivals, or the knobs of
/// needle. The same genes make the same instance.
using Genes = std::vector<double>;
[[nodiscard]] std::size_t gene_count(const Setting& setting);
/// Any genes; half of them in the shape of a lock (one action leads on, the others back; rivals that
/// deny a step), because an instance without structure is easy.
[[nodiscard]] Genes random_genes(const Setting& setting, Rng& rng);
/// A neighbour: a few genes moved, to a corner, anywhere, or by a little.
[[nodiscard]] Genes mutated(Genes genes, Rng& rng);

/// Kind latent: |S| = 8d observations, latent z emits its own block with probability 1 − o and the next
/// latent's with probability o (mdp/families/latent.cpp has the process). Rival k of the class moves
/// the rows of one or two pairs (z,a) towards some latent; the truth comes last, so that ties go
/// against it.
[[nodiscard]] LearnProblem make_latent_instance(const Setting& setting, const Genes& genes);
/// The MDP of the genes, of either kind.
[[nodiscard]] TabularMdp make_mdp(const Setting& setting, const Genes& genes);

/// Episodes until the mixture of π₁ … π_n is ε-optimal and stays so for an octave of n, on the grid
/// n = 2^{k/4}. Infinite when that does not happen within setting.episodes.
[[nodiscard]] double episodes_needed(const Setting& setting, const Genes& genes,
                                     const SeedTree& seeds);

}  // namespace speder::worst

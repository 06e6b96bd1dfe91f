#pragma once

#include <vector>

#include "speder/core/rng.hpp"
#include "speder/core/types.hpp"

namespace speder {

/// Observations of latent states: every state belongs to one latent, each latent emits its own
/// states only (disjoint supports).
struct Emission {
  std::vector<std::int32_t> latent;  // (S)  latent state of each state
  SparseMatrix mu;                   // (S × d)  one entry a row; columns sum to 1
};

/// States are dealt to the latents in random order, |S|/d each (sizes differ by at most one).
/// concentration 0: uniform emission, otherwise Dirichlet.
[[nodiscard]] Emission make_emission(Index states, Index latents, double concentration,
                                     const SeedTree& seeds);

/// The column of μ as a distribution over S.
[[nodiscard]] Vector emission_of(const Emission& emission, Index latent);

/// φ(s,a) = row (latent(s), a) of the latent table (dA × d): sparse when the table mostly is zero.
[[nodiscard]] SparseMatrix lift(const SparseMatrix& latent_table, const Emission& emission,
                                Index actions);

}  // namespace speder

#pragma once

#include "speder/core/rng.hpp"
#include "speder/mdp/families/instance.hpp"

namespace speder {

/// Haar-distributed rotation whose first column points away from the positive orthant, so that the
/// first coordinate of φQ and of μQ is negative on average.
[[nodiscard]] Matrix random_rotation(Index d, Rng& rng);

/// The largest total v of a uniform base measure for which both normalisation assumptions hold:
/// ∑_s (∑_a |φ|)² ν ≤ d and ∑_s (∑_a r)² ν ≤ d.           [assump:repr_norm, assump:reward_norm]
[[nodiscard]] double largest_volume(const Blueprint& blueprint);

/// The MDP of a blueprint in mixture form (counting measure) under the knobs `rotate` (1: φQ, μQ, Qᵀθ
/// with a random rotation Q: the same kernel, signed factors that share no axis with the latents) and
/// `volume` (0: largest_volume).
[[nodiscard]] TabularMdp assemble_latent(InstanceSpec spec, Blueprint blueprint,
                                         const SeedTree& seeds);

/// A latent process behind its emission, counting measure: r = ⟨φ, θ⟩, ρ = the emission of `start`.
struct LatentProcess {
  SparseMatrix phi;       // (SA × d)
  SparseMatrix emission;  // (S × d)
  Vector theta;           // (d)
  Index start = 0;
};
[[nodiscard]] TabularMdp emit_latent(const InstanceSpec& spec, LatentProcess process,
                                     const SeedTree& seeds);
/// InputError unless a spec asks for this many observations or leaves it open, and they fit in memory.
void require_observations(const InstanceSpec& spec, Index states);

}  // namespace speder

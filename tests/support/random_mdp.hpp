#pragma once

#include "speder/core/rng.hpp"
#include "speder/mdp/model/policy.hpp"
#include "speder/mdp/model/tabular_mdp.hpp"

namespace speder::test {

struct Shape {
  Index states = 12;
  Index actions = 3;
  Index rank = 4;
};

/// φ rows Dirichlet(1), μ columns Dirichlet(1) divided by ν, ν uniform on [0.5, 1.5].
Kernel simplex_kernel(const Shape& shape, Rng& rng);
/// The same with at most `entries` non-zero entries per row of φ and per column of μ, held sparse.
Kernel sparse_kernel(const Shape& shape, Index entries, Rng& rng);
/// A simplex kernel seen through a random rotation of its latents: φR, μR. Entries of both signs.
Kernel signed_kernel(const Shape& shape, Rng& rng);

/// r = ⟨φ, θ⟩ scaled into [0,1]; ρ Dirichlet(1).
TabularMdp with_random_reward(Kernel kernel, double gamma, Rng& rng);
TabularMdp random_mdp(const Shape& shape, double gamma, Rng& rng);  // simplex_kernel

/// Two states, two actions: action 0 stays, action 1 changes state with probability p.
/// r(s,a) = 1 in state 1, else 0; ρ = (1, 0); ν = 1; φ = rows of P, μ = I, θ_r empty.
TabularMdp two_state(double p, double gamma);

Policy random_policy(const Shape& shape, Rng& rng);  // rows Dirichlet(1)
Policy random_deterministic_policy(const Shape& shape, Rng& rng);

}  // namespace speder::test

// garnet: full rank, the negative control. Every pair has `successors` random next states with
// Dirichlet(1) weights; φ = the rows of P, μ = I, d = |S|: no structure to learn. The reward is
// paid on arrival, r = ⟨φ, θ_r⟩ = E[θ_r(s')], θ_r ~ U[0,1]^S. |φ| ≤ 1, |θ_r| ≤ √d, sup_g |∑ μ g| =
// √d. canonical: φ(s,a) = e_{(s,a)}, μ(s')_{(s,a)} = P(s'|s,a), d = |S||A|, any reward is linear.
// The example after [assump:reward_norm]; rank(P) = |S| < d as soon as |A| > 1.
#include "speder/mdp/families/generators.hpp"
#include "speder/mdp/families/tabular.hpp"

namespace speder {
namespace {

SparseMatrix identity(Index n) {
  SparseMatrix I(n, n);
  I.setIdentity();
  return I;
}

Vector uniform_draws(Index n, Rng rng) {
  Vector x(n);
  for (double& xi : x) xi = rng.uniform();
  return x;
}

}  // namespace

TabularMdp make_garnet(const InstanceSpec& spec, const SeedTree& seeds) {
  const Index d = derived_size(spec, "rank (= states)", spec.rank, spec.states);
  return assemble(spec, {.phi = random_sparse_kernel(spec, seeds),
                         .mu = identity(d),
                         .theta = uniform_draws(d, seeds.stream("theta")),
                         .rho = uniform_distribution(spec.states),
                         .reward = {}});
}

TabularMdp make_canonical(const InstanceSpec& spec, const SeedTree& seeds) {
  const Index d =
      derived_size(spec, "rank (= states * actions)", spec.rank, spec.states * spec.actions);
  const SparseMatrix P = random_sparse_kernel(spec, seeds);
  return assemble(spec, {.phi = identity(d),
                         .mu = SparseMatrix(P.transpose()),
                         .theta = uniform_draws(d, seeds.stream("theta")),
                         .rho = uniform_distribution(spec.states),
                         .reward = {}});
}

}  // namespace speder

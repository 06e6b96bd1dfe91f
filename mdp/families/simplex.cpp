// simplex: P(s'|s,a) = ∑_k φ_k(s,a) μ_k(s'), φ(s,a) ~ Dirichlet on d latents, μ_k ~ Dirichlet on S:
// the pair picks a latent state, the latent state emits s'. θ_r ~ U[0,1]^d, ρ uniform.
// |φ| ≤ |φ|₁ = 1, |θ| ≤ √d and sup_g |∑ μ g ν| = |(1,…,1)| = √d. [eq:normalization_condition]
// signed: the same kernel in rotated coordinates, φQ, μQ, Qᵀθ with Q orthogonal: every condition
// is a statement about norms, so all of them keep their value.
#include <Eigen/QR>

#include "speder/core/spectral.hpp"
#include "speder/mdp/families/generators.hpp"
#include "speder/mdp/families/latent.hpp"

namespace speder {
namespace {

// One stream per state: rows can be drawn in any order, by any thread.
Matrix dirichlet_rows(Index states, Index actions, Index d, double concentration,
                      const SeedTree& seeds) {
  Matrix phi(states * actions, d);
  for (Index s = 0; s < states; ++s) {
    Rng rng = seeds.stream("phi", static_cast<std::uint64_t>(s));
    for (Index a = 0; a < actions; ++a)
      phi.row(pair_index(s, a, actions)) = dirichlet(d, concentration, rng).transpose();
  }
  return phi;
}

Matrix dirichlet_columns(Index states, Index d, double concentration, const SeedTree& seeds) {
  Matrix mu(states, d);
  for (Index s = 0; s < states; ++s) {
    Rng rng = seeds.stream("mu", static_cast<std::uint64_t>(s));
    for (Index k = 0; k < d; ++k) mu(s, k) = rng.gamma(concentration);
  }
  const Eigen::RowVectorXd total = mu.colwise().sum();
  for (Index s = 0; s < states; ++s) mu.row(s).array() /= total.array();
  return mu;
}

struct Mixture {
  Matrix phi;
  Matrix mu;
  Vector theta;
};

Mixture draw(const InstanceSpec& spec, const SeedTree& seeds) {
  const Index S = spec.states;
  const Index d = size_in_range(spec, "rank", spec.rank, 1, S);
  require_table_size(spec, S * spec.actions, d);
  Rng rng = seeds.stream("theta");
  Mixture m{.phi = dirichlet_rows(S, spec.actions, d, spec.knob("concentration"), seeds),
            .mu = dirichlet_columns(S, d, spec.knob("spread"), seeds),
            .theta = Vector(d)};
  for (double& t : m.theta) t = rng.uniform();
  return m;
}

}  // namespace

TabularMdp make_simplex(const InstanceSpec& spec, const SeedTree& seeds) {
  Mixture m = draw(spec, seeds);
  return assemble(spec, {.phi = std::move(m.phi),
                         .mu = std::move(m.mu),
                         .theta = std::move(m.theta),
                         .rho = uniform_distribution(spec.states),
                         .reward = {}});
}

TabularMdp make_signed(const InstanceSpec& spec, const SeedTree& seeds) {
  Mixture m = draw(spec, seeds);
  Rng rng = seeds.stream("rotation");
  const Matrix Q = random_rotation(m.theta.size(), rng);
  return assemble(spec, {.phi = Matrix(m.phi * Q),
                         .mu = Matrix(m.mu * Q),
                         .theta = Q.transpose() * m.theta,
                         .rho = uniform_distribution(spec.states),
                         .reward = {}});
}

}  // namespace speder

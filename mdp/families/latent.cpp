// latent: d latents with moves T(z,a) ~ Dirichlet of their own and rewards on arrival. Latent z emits
// its own block of observations with probability 1 − o and the next latent's with probability o; an
// observation acts as the mixture of the latents that it may come from, weighted by their emissions:
//   φ(s,a) = ∑_z w(z|s) T(z,a),   w(z|s) ∝ μ_z(s),   μ_z = (1 − o) block_z + o block_{z+1}.
// o = 0 is a block MDP; with o > 0 no observation reveals its latent. |S| ≥ 8 d.
#include "speder/mdp/families/latent.hpp"

#include <algorithm>

#include "speder/core/spectral.hpp"
#include "speder/core/tolerance.hpp"
#include "speder/mdp/families/emission.hpp"
#include "speder/mdp/families/generators.hpp"

namespace speder {
namespace {

constexpr Index kLeastBlock = 8;  // observations of a latent

// (1/|S|) ∑_s (∑_a f(s,a))²
double mean_square(const Vector& f, Index states) {
  const Index actions = f.size() / states;
  return Eigen::Map<const Matrix>(f.data(), states, actions).rowwise().sum().squaredNorm() /
         static_cast<double>(states);
}

}  // namespace

Matrix random_rotation(Index d, Rng& rng) {
  Eigen::MatrixXd G(d, d);
  for (double& x : G.reshaped()) x = rng.normal();
  Matrix Q = thin_q(Eigen::HouseholderQR<Eigen::MatrixXd>(G), d);
  if (Q.col(0).sum() > 0) Q.col(0) *= -1;
  return Q;
}

double largest_volume(const Blueprint& b) {
  Vector norm(b.phi.rows());
  for (Index x = 0; x < norm.size(); ++x) norm[x] = b.phi.row_norm(x);
  const Index S = b.mu.rows();
  const double largest = std::max(mean_square(norm, S), mean_square(b.phi.times(b.theta), S));
  // A rotation changes the norms in their last digits; the bound must hold after it as well.
  return static_cast<double>(b.phi.cols()) / largest * (1 - tol::kSimplex);
}

TabularMdp assemble_latent(InstanceSpec spec, Blueprint b, const SeedTree& seeds) {
  if (double& volume = spec.knobs.at("volume"); volume == 0) volume = largest_volume(b);
  if (whole_knob(spec, "rotate") == 1) {
    require_table_size(spec, b.phi.rows(), b.phi.cols());
    Rng rng = seeds.stream("rotation");
    const Matrix Q = random_rotation(b.phi.cols(), rng);
    b.phi = Matrix(b.phi.to_dense() * Q);
    b.mu = Matrix(b.mu.to_dense() * Q);
    b.theta = Q.transpose() * b.theta;
  }
  return assemble(spec, std::move(b));
}

TabularMdp emit_latent(const InstanceSpec& spec, LatentProcess process, const SeedTree& seeds) {
  Vector rho = Vector(process.emission.col(process.start));
  return assemble_latent(spec,
                         {.phi = std::move(process.phi),
                          .mu = std::move(process.emission),
                          .theta = std::move(process.theta),
                          .rho = std::move(rho),
                          .reward = {}},
                         seeds);
}

void require_observations(const InstanceSpec& spec, Index states) {
  const Index S = derived_size(spec, "states", spec.states, states);
  require_table_size(spec, S * spec.actions, 2);
}

TabularMdp make_latent(const InstanceSpec& spec, const SeedTree& seeds) {
  const Index A = size_in_range(spec, "actions", spec.actions, 1, kAnySize);
  const Index d = size_in_range(spec, "rank", spec.rank, 2, spec.states / kLeastBlock);
  require_table_size(spec, spec.states * A, d);
  const Emission own = make_emission(spec.states, d, spec.knob("emission"), seeds);
  const double o = spec.knob("overlap");
  Matrix mu = Matrix::Zero(spec.states, d);
  for (Index s = 0; s < spec.states; ++s) {
    const Index z = own.latent[static_cast<std::size_t>(s)];
    const double p = own.mu.coeff(s, z);
    mu(s, z) += (1 - o) * p;
    mu(s, (z + d - 1) % d) += o * p;
  }
  Matrix moves(d * A, d);
  for (Index row = 0; row < moves.rows(); ++row) {
    Rng rng = seeds.stream("move", static_cast<std::uint64_t>(row));
    moves.row(row) = dirichlet(d, spec.knob("concentration"), rng).transpose();
  }
  Matrix phi = Matrix::Zero(spec.states * A, d);
  for (Index s = 0; s < spec.states; ++s) {
    const double total = mu.row(s).sum();
    for (Index z = 0; z < d; ++z) {
      if (mu(s, z) > 0) phi.middleRows(s * A, A) += mu(s, z) / total * moves.middleRows(z * A, A);
    }
  }
  Rng rng = seeds.stream("theta");
  Vector theta(d);
  for (double& t : theta) t = rng.uniform();
  Vector rho = mu.col(0);
  return assemble_latent(spec,
                         {.phi = std::move(phi),
                          .mu = std::move(mu),
                          .theta = std::move(theta),
                          .rho = std::move(rho),
                          .reward = {}},
                         seeds);
}

}  // namespace speder

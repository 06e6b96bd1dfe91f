// block: d latent states behind emissions with disjoint supports. φ(s,a) = T(·|z(s),a), the law of
// the next latent; μ_k = the emission of latent k; r = ⟨φ, θ_r⟩, θ_r ~ U[0,1]^d is paid on arrival.
// T(·|z,a) = (1−σ) e_{next(z,a)} + σ Dirichlet(1), σ = knob `stochastic`: one-hot φ when σ = 0.
// One random action of every latent follows a random cycle through all latents, so that every
// latent can be reached and rank(P) = d. ρ = the emission of latent 0.
#include "speder/mdp/families/emission.hpp"
#include "speder/mdp/families/generators.hpp"
#include "speder/mdp/families/tabular.hpp"

namespace speder {
namespace {

using Entry = Eigen::Triplet<double, std::int32_t>;

// z → the latent after z on a random cycle through {0, …, d−1}.
std::vector<Index> random_cycle(Index d, Rng& rng) {
  const std::vector<Index> order = random_permutation(d, rng);
  std::vector<Index> next(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    next[static_cast<std::size_t>(order[i])] = order[(i + 1) % order.size()];
  return next;
}

SparseMatrix latent_moves(Index d, Index actions, double sigma, const SeedTree& seeds) {
  Rng cycle_rng = seeds.stream("cycle");
  const std::vector<Index> cycle = random_cycle(d, cycle_rng);
  std::vector<Entry> entries;
  for (Index z = 0; z < d; ++z) {
    Rng rng = seeds.stream("latent", static_cast<std::uint64_t>(z));
    const Index on_cycle = rng.index(actions);
    for (Index a = 0; a < actions; ++a) {
      const auto row = static_cast<std::int32_t>(pair_index(z, a, actions));
      const Index drawn = rng.index(d);
      const Index next = a == on_cycle ? cycle[static_cast<std::size_t>(z)] : drawn;
      entries.emplace_back(row, static_cast<std::int32_t>(next), 1 - sigma);
      if (sigma == 0) continue;
      const Vector noise = dirichlet(d, 1, rng);
      for (Index k = 0; k < d; ++k)
        entries.emplace_back(row, static_cast<std::int32_t>(k), sigma * noise[k]);
    }
  }
  SparseMatrix T(d * actions, d);
  T.setFromTriplets(entries.begin(), entries.end());  // sums repeated entries
  return T;
}

}  // namespace

TabularMdp make_block(const InstanceSpec& spec, const SeedTree& seeds) {
  const Index d = size_in_range(spec, "rank", spec.rank, 1, spec.states);
  const double sigma = spec.knob("stochastic");
  if (sigma > 0) require_table_size(spec, spec.states * spec.actions, d);
  Emission emission = make_emission(spec.states, d, spec.knob("emission"), seeds);
  const SparseMatrix phi =
      lift(latent_moves(d, spec.actions, sigma, seeds), emission, spec.actions);
  Rng rng = seeds.stream("theta");
  Vector theta(d);
  for (double& t : theta) t = rng.uniform();
  Vector rho = emission_of(emission, 0);
  return assemble(spec, {.phi = sigma > 0 ? Factor(Matrix(phi)) : Factor(phi),
                         .mu = emission.mu,
                         .theta = std::move(theta),
                         .rho = std::move(rho),
                         .reward = {}});
}

}  // namespace speder

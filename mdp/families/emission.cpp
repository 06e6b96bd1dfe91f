#include "speder/mdp/families/emission.hpp"

#include <algorithm>
#include <limits>

#include "speder/mdp/families/tabular.hpp"

namespace speder {
Emission make_emission(Index states, Index latents, double concentration, const SeedTree& seeds) {
  Rng deal = seeds.stream("emission.deal");
  const std::vector<Index> order = random_permutation(states, deal);
  Emission out{.latent = std::vector<std::int32_t>(order.size()), .mu = {}};
  for (std::size_t i = 0; i < order.size(); ++i) {
    out.latent[static_cast<std::size_t>(order[i])] =
        static_cast<std::int32_t>(i % static_cast<std::size_t>(latents));
  }
  Vector weight(states);
  Vector total = Vector::Zero(latents);
  for (Index s = 0; s < states; ++s) {
    Rng rng = seeds.stream("emission.weight", static_cast<std::uint64_t>(s));
    weight[s] = concentration > 0 ? rng.gamma(concentration) : 1.0;
    weight[s] =
        std::max(weight[s], std::numeric_limits<double>::min());  // underflow: keep the support
    total[out.latent[static_cast<std::size_t>(s)]] += weight[s];
  }
  out.mu.resize(states, latents);
  out.mu.reserve(Eigen::VectorXi::Ones(states));
  for (Index s = 0; s < states; ++s) {
    const Index k = out.latent[static_cast<std::size_t>(s)];
    out.mu.insert(s, k) = weight[s] / total[k];
  }
  out.mu.makeCompressed();
  return out;
}

Vector emission_of(const Emission& emission, Index latent) {
  Vector p = Vector::Zero(emission.mu.rows());
  for (Index s = 0; s < p.size(); ++s)
    if (emission.latent[static_cast<std::size_t>(s)] == latent) p[s] = emission.mu.coeff(s, latent);
  return p;
}

SparseMatrix lift(const SparseMatrix& latent_table, const Emission& emission, Index actions) {
  const Index S = emission.mu.rows();
  std::vector<Eigen::Triplet<double, std::int32_t>> entries;
  for (Index s = 0; s < S; ++s) {
    for (Index a = 0; a < actions; ++a) {
      const Index z = pair_index(emission.latent[static_cast<std::size_t>(s)], a, actions);
      for (SparseMatrix::InnerIterator it(latent_table, z); it; ++it)
        entries.emplace_back(static_cast<std::int32_t>(pair_index(s, a, actions)),
                             static_cast<std::int32_t>(it.col()), it.value());
    }
  }
  SparseMatrix phi(S * actions, latent_table.cols());
  phi.setFromTriplets(entries.begin(), entries.end());
  return phi;
}

}  // namespace speder

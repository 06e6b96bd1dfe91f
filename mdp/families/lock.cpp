// lock: a combination lock of h = d − 1 levels behind rich observations. The good action of level z
// is drawn by the seed; it leads to level z+1, at level h−1 it opens the lock (reward 1). Every
// other action is wrong and earns the decoy δ: an anti-shaped reward, larger than anything seen on
// the way until the lock opens. φ(s,a) = law of the next latent, μ = emission, and rewards are paid
// on arrival, r = ⟨φ, θ_r⟩, so that they are linear with exactly d = rank(P) latents:
//   reset = 1  0 start (level 0, θ = δ: wrong actions arrive here), 1 … h−1 levels,
//              h opened (θ = 1; behaves as level 0: the lock can be opened again and again)
//   reset = 0  0 start and opened (level 0, θ = 1), 1 … h−1 levels, h dead (absorbing, θ = δ)
// slip p: the good action acts as a wrong one with probability p.
// Decoy: with q = 1−p, B = ∑_{z<h} (qγ)^z and C = q (qγ)^{h−1}, always taking the good action is
// optimal at the start exactly when δ ≤ δ* = (1−γ) C / (1 − pB − γC); the knob `decoy` is δ/δ*.
// (At δ*, failing is worth as much as starting, u = v, and v = pBu + C(1 + γv).)
// ρ = the emission of latent 0.
#include <cmath>

#include "speder/mdp/families/emission.hpp"
#include "speder/mdp/families/generators.hpp"

namespace speder {
namespace {

using Entry = Eigen::Triplet<double, std::int32_t>;

struct Lock {
  Index levels;
  Index actions;
  double slip;
  bool reset;

  [[nodiscard]] Index latents() const { return levels + 1; }
  [[nodiscard]] Index opened() const { return reset ? levels : 0; }
  [[nodiscard]] Index wrong() const { return reset ? 0 : levels; }
  [[nodiscard]] bool dead(Index latent) const { return !reset && latent == levels; }
  [[nodiscard]] Index level(Index latent) const { return latent == levels ? 0 : latent; }
};

// δ*: the decoy at which opening the lock stops being optimal.
double decoy_threshold(const Lock& lock, double gamma) {
  const double p = lock.slip;
  const double q = 1 - p;
  const auto h = static_cast<double>(lock.levels);
  const double B = (1 - std::pow(q * gamma, h)) / (1 - q * gamma);
  const double C = q * std::pow(q * gamma, h - 1);
  return (1 - gamma) * C / (1 - p * B - gamma * C);
}

SparseMatrix latent_moves(const Lock& lock, const SeedTree& seeds) {
  std::vector<Index> good;
  for (Index z = 0; z < lock.levels; ++z)
    good.push_back(seeds.stream("good", static_cast<std::uint64_t>(z)).index(lock.actions));
  std::vector<Entry> entries;
  for (Index latent = 0; latent < lock.latents(); ++latent) {
    const Index z = lock.level(latent);
    for (Index a = 0; a < lock.actions; ++a) {
      const auto row = static_cast<std::int32_t>(pair_index(latent, a, lock.actions));
      const bool right = !lock.dead(latent) && a == good[static_cast<std::size_t>(z)];
      const Index ahead = z + 1 == lock.levels ? lock.opened() : z + 1;
      if (right) entries.emplace_back(row, static_cast<std::int32_t>(ahead), 1 - lock.slip);
      if (!right || lock.slip > 0)
        entries.emplace_back(row, static_cast<std::int32_t>(lock.wrong()), right ? lock.slip : 1);
    }
  }
  SparseMatrix T(lock.latents() * lock.actions, lock.latents());
  T.setFromTriplets(entries.begin(), entries.end());
  return T;
}

}  // namespace

TabularMdp make_lock(const InstanceSpec& spec, const SeedTree& seeds) {
  const Index A = size_in_range(spec, "actions", spec.actions, 2, kAnySize);
  const Index d = size_in_range(spec, "rank", spec.rank, 2, spec.states);
  const Lock lock{.levels = d - 1,
                  .actions = A,
                  .slip = spec.knob("slip"),
                  .reset = whole_knob(spec, "reset") == 1};
  Emission emission = make_emission(spec.states, d, spec.knob("emission"), seeds);
  Vector theta = Vector::Zero(d);
  theta[lock.wrong()] = spec.knob("decoy") * decoy_threshold(lock, spec.gamma);
  theta[lock.opened()] = 1;
  SparseMatrix phi = lift(latent_moves(lock, seeds), emission, A);
  Vector rho = emission_of(emission, 0);
  return assemble(spec, {.phi = phi,
                         .mu = emission.mu,
                         .theta = std::move(theta),
                         .rho = std::move(rho),
                         .reward = {}});
}

}  // namespace speder

// continuous: a grid x_i = (i + ½)/|S| on [0,1], ν = v/|S|. Raised-cosine bumps on [0,1],
//   w_k(y) = cos²(π/2 · (d−1)(y − k/(d−1)))  for |y − k/(d−1)| ≤ 1/(d−1), else 0;   ∑_k w_k = 1,
// are smooth (C¹) and sum to one. φ_k(x,a) = w_k(y_a(x)) with y_a(x) = ½ + ½ sin(2π(f x + τ_a)),
// f = knob `waves`, τ_a drawn by the seed; μ_k ∝ w_k with ∑ μ_k ν = 1; θ_r ~ U[0,1]^d; ρ uniform.
// |φ| ≤ |φ|₁ = 1, |θ_r| ≤ √d, sup_g |∑ μ g ν| = √d for every v. The default v is the largest with
//   ∑_s (∑_a |φ|)² ν ≤ d  [assump:repr_norm]   and   ∑_s (∑_a r)² ν ≤ d  [assump:reward_norm].
#include <cmath>
#include <numbers>

#include "speder/mdp/families/generators.hpp"

namespace speder {
namespace {

void bumps(double y, Eigen::Ref<Eigen::RowVectorXd> w) {
  const Index d = w.size();
  w.setZero();
  if (d == 1) {
    w[0] = 1;
    return;
  }
  const double t = y * static_cast<double>(d - 1);
  const Index k = std::min(static_cast<Index>(t), d - 2);  // the cell [k, k+1] that holds t
  const double angle = std::numbers::pi / 2 * (t - static_cast<double>(k));
  w[k] = std::cos(angle) * std::cos(angle);
  w[k + 1] = 1 - w[k];
}

double grid_point(Index i, Index n) {
  return (static_cast<double>(i) + 0.5) / static_cast<double>(n);
}

// The largest v with (v/|S|) ∑_s (∑_a f(s,a))² ≤ d.
double largest_volume(const Vector& f, Index actions, Index d) {
  const Index S = f.size() / actions;
  const Vector per_state = Eigen::Map<const Matrix>(f.data(), S, actions).rowwise().sum();
  return static_cast<double>(d) * static_cast<double>(S) / per_state.squaredNorm();
}

}  // namespace

TabularMdp make_continuous(const InstanceSpec& spec, const SeedTree& seeds) {
  const Index S = size_in_range(spec, "states", spec.states, 4, kAnySize);
  const Index A = spec.actions;
  // At least 4 grid points per bump and wave: each bump is met by y_a and rank(P) = d.
  const auto finest = static_cast<Index>(static_cast<double>(S) / (4 * spec.knob("waves")));
  const Index d = size_in_range(spec, "rank", spec.rank, 1, finest);
  require_table_size(spec, S * A, d);
  Matrix phi(S * A, d);
  for (Index a = 0; a < A; ++a) {
    const double tau = seeds.stream("phase", static_cast<std::uint64_t>(a)).uniform();
    for (Index s = 0; s < S; ++s) {
      const double turn = spec.knob("waves") * grid_point(s, S) + tau;
      bumps(0.5 + 0.5 * std::sin(2 * std::numbers::pi * turn), phi.row(pair_index(s, a, A)));
    }
  }
  Matrix mu(S, d);
  for (Index s = 0; s < S; ++s) bumps(grid_point(s, S), mu.row(s));
  const Eigen::RowVectorXd total = mu.colwise().sum();
  mu.array().rowwise() /= total.array();
  Rng rng = seeds.stream("theta");
  Vector theta(d);
  for (double& t : theta) t = rng.uniform();
  InstanceSpec with_volume = spec;
  double& volume = with_volume.knobs["volume"];
  if (volume == 0) {
    volume =
        std::min(largest_volume(phi.rowwise().norm(), A, d), largest_volume(phi * theta, A, d));
  }
  return assemble(with_volume, {.phi = std::move(phi),
                                .mu = std::move(mu),
                                .theta = std::move(theta),
                                .rho = uniform_distribution(S),
                                .reward = {}});
}

}  // namespace speder

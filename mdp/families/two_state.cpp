// two-state: a chain whose value gap is a knob. State 0 is bad (the start), state 1 is good; each
// arrival in the good state earns 1: r(s,a) = P(1|s,a), φ = the rows of P, μ = I, θ_r = (0, 1), d
// = 2.
//   good state   stays good with probability q = γ, whatever the action
//   bad state    wrong actions reach the good state with probability p = 1 − γ, the best action
//                (drawn by the seed) with probability x
// Reaching the good state with probability x from the bad one is worth
//   V_x(bad) = x / ((1−γ)(1 − γ(q−x))),   V_x(good) = V_x(bad) + (q−x) / (1 − γ(q−x)),
// and x solves V*(bad) − V_p(bad) = eps: with y = p/(1 − γ(q−p)) + (1−γ) eps,
//   x = y (1−γq) / (1−γy).
// So the greedy gap is eps and the time scale of both moves is the horizon 1/(1−γ).
#include "speder/core/check.hpp"
#include "speder/mdp/families/generators.hpp"

namespace speder {
namespace {

// x: the best action's chance; at most 1, which bounds eps.
double best_chance(double eps, double gamma) {
  const double p = 1 - gamma;
  const double q = gamma;
  const double wrong = p / (1 - gamma * (q - p));
  const double y = wrong + (1 - gamma) * eps;
  const double x = y * (1 - gamma * q) / (1 - gamma * y);
  if (y < 1 && x <= 1) return x;
  const double most = (1 / (1 - gamma * (q - 1)) - wrong) / (1 - gamma);
  throw InputError(fmt::format("family two-state: knob eps must be at most {} at gamma {}, got {}",
                               most, gamma, eps));
}

}  // namespace

TabularMdp make_two_state(const InstanceSpec& spec, const SeedTree& seeds) {
  const Index S = derived_size(spec, "the number of states", spec.states, 2);
  const Index A = size_in_range(spec, "actions", spec.actions, 2, kAnySize / 2);
  const Index d = derived_size(spec, "rank", spec.rank, 2);
  const double x = best_chance(spec.knob("eps"), spec.gamma);
  const Index best = seeds.stream("best").index(A);
  Matrix phi(S * A, d);
  for (Index a = 0; a < A; ++a) {
    const double arrive = a == best ? x : 1 - spec.gamma;
    phi.row(pair_index(0, a, A)) << 1 - arrive, arrive;
    phi.row(pair_index(1, a, A)) << 1 - spec.gamma, spec.gamma;
  }
  return assemble(spec, {.phi = std::move(phi),
                         .mu = Matrix(Matrix::Identity(S, d)),
                         .theta = Vector::Unit(d, 1),
                         .rho = Vector::Unit(S, 0),
                         .reward = {}});
}

}  // namespace speder

#include "speder/core/check.hpp"
#include "speder/experiments/instances/instances.hpp"

namespace speder {
namespace {

constexpr Index kBad = 0, kGood = 1;
constexpr int kValueHalvings = 200;  // down to the last bit of a double

// V(bad) when the good state is reached with probability x and kept with probability q:
// V(bad) = γ x V(good) / (1 − γ(1−x)),  V(good) = (1 + γ(1−q) V(bad)) / (1 − γ q).
double bad_value(double x, double q, double gamma) {
  const double up = gamma * x / (1 - gamma * (1 - x));
  return up / (1 - gamma * q - gamma * (1 - q) * up);
}

// x with V_x(bad) − V_climb(bad) = gap.
double best_chance(const ChainSpec& spec) {
  const auto value = [&](double x) { return bad_value(x, spec.stay, spec.gamma); };
  const double wanted = value(spec.climb) + spec.gap;
  if (!(spec.gap > 0 && value(1) > wanted)) {
    throw InputError(fmt::format("chain: at gamma {} the gap must lie in (0, {}), got {}",
                                 spec.gamma, value(1) - value(spec.climb), spec.gap));
  }
  double low = spec.climb, high = 1;
  for (int i = 0; i < kValueHalvings; ++i) {
    const double middle = (low + high) / 2;
    (value(middle) < wanted ? low : high) = middle;
  }
  return high;
}

}  // namespace

LearnProblem make_chain(const ChainSpec& spec, const SeedTree& seeds) {
  const Index A = spec.actions;
  const double p = spec.climb;
  const double x = best_chance(spec);
  const double lead = x - p;
  Rng rng = seeds.stream("chain");
  const Index best = rng.index(A);
  const Matrix mu = Matrix::Identity(2, 2);
  const Vector reward = Vector::Unit(2, kGood);
  const auto set = [&](Matrix& phi, Index a, double chance) {
    phi.row(pair_index(kBad, a, A)) << 1 - chance, chance;
  };
  Matrix truth(2 * A, 2);
  for (Index a = 0; a < A; ++a) {
    set(truth, a, a == best ? x : p);
    truth.row(pair_index(kGood, a, A)) << 1 - spec.stay, spec.stay;
  }
  // Rival i concerns action i mod |A|; its chance is off by 1.2 … 2.4 leads, over the turns.
  const Index turns = (spec.class_size - 2) / A + 1;
  std::vector<Kernel> rivals;
  for (Index i = 0; i + 1 < spec.class_size; ++i) {
    const Index turn = i / A;
    const double off = lead * (1.2 + 1.2 * static_cast<double>(turn) / static_cast<double>(turns));
    Matrix phi = truth;
    const Index a = i % A;
    set(phi, a, a == best ? std::max(0.0, x - off) : std::min(1.0, p + off));
    rivals.push_back(with_reward(phi, mu, reward));
  }
  return assemble_problem(with_reward(truth, mu, reward), std::move(rivals), reward, spec.gamma,
                          rng);
}

}  // namespace speder

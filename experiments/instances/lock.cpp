#include "speder/core/check.hpp"
#include "speder/experiments/instances/instances.hpp"

namespace speder {
namespace {

constexpr double kDecoy = 0.1;   // reward of the decoy
constexpr Index kOpenEvery = 8;  // one rival in so many opens

// Levels 0 … depth−1, prize, decoy.
Kernel kernel_of(const LockSpec& spec, const std::vector<Index>& combination, bool opens,
                 const Vector& reward) {
  const Index prize = spec.depth;
  const Index decoy = prize + 1;
  const Index S = decoy + 1;
  Matrix phi = Matrix::Zero(S * spec.actions, S);
  for (Index s = 0; s < S; ++s) {
    for (Index a = 0; a < spec.actions; ++a) {
      Index next = 0;
      if (s < prize) {
        const bool right = a == combination[static_cast<std::size_t>(s)];
        const bool last = s + 1 == prize;
        next = right && (!last || opens) ? s + 1 : decoy;
      }
      phi(pair_index(s, a, spec.actions), next) = 1;
    }
  }
  return with_reward(phi, Matrix::Identity(S, S), reward);
}

}  // namespace

LearnProblem make_lock_problem(const LockSpec& spec, const SeedTree& seeds) {
  require(spec.depth >= 2, "a lock has at least two levels", spec.depth);
  Rng rng = seeds.stream("lock");
  const auto combination = [&] {
    std::vector<Index> out;
    for (int z = 0; z < spec.depth; ++z) out.push_back(rng.index(spec.actions));
    return out;
  };
  Vector reward = Vector::Zero(spec.depth + 2);
  reward[spec.depth] = 1;
  reward[spec.depth + 1] = kDecoy;
  const std::vector<Index> truth = combination();
  std::vector<Kernel> rivals;
  for (Index i = 0; i + 1 < spec.class_size; ++i) {
    // Some rivals know the combination but not that the lock opens.
    const std::vector<Index> c = i % 4 == 1 ? truth : combination();
    rivals.push_back(kernel_of(spec, c, i % kOpenEvery == 0, reward));
  }
  return assemble_problem(kernel_of(spec, truth, true, reward), std::move(rivals), reward,
                          spec.gamma, rng);
}

}  // namespace speder

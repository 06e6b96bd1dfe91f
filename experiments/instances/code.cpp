#include "speder/experiments/instances/instances.hpp"

namespace speder {

LearnProblem make_code(const CodeSpec& spec, const SeedTree& seeds) {
  const Index S = 2 * spec.half;
  constexpr Index kActions = 2;
  Matrix mu = Matrix::Zero(S, 2);  // column 0: good contexts, 1: bad ones
  mu.col(0).head(spec.half).setConstant(1.0 / static_cast<double>(spec.half));
  mu.col(1).tail(spec.half).setConstant(1.0 / static_cast<double>(spec.half));
  Vector reward = Vector::Zero(S);
  reward.head(spec.half).setOnes();
  Rng rng = seeds.stream("code");
  const auto word = [&] {
    Matrix phi(S * kActions, 2);
    for (Index s = 0; s < S; ++s) {
      const Index right = rng.index(kActions);
      for (Index a = 0; a < kActions; ++a) {
        const double good = 0.5 + (a == right ? spec.lead : -spec.lead);
        phi.row(pair_index(s, a, kActions)) << good, 1 - good;
      }
    }
    return with_reward(phi, mu, reward);
  };
  Kernel truth = word();
  std::vector<Kernel> rivals;
  for (Index i = 0; i + 1 < spec.class_size; ++i) rivals.push_back(word());
  return assemble_problem(std::move(truth), std::move(rivals), reward, spec.gamma, rng);
}

}  // namespace speder

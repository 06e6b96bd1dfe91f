#include <numbers>

#include "speder/core/check.hpp"
#include "speder/experiments/instances/instances.hpp"

namespace speder {

Kernel with_reward(const Matrix& phi, const Matrix& mu, const Vector& state_reward) {
  const Index S = mu.rows();
  const Index k = mu.cols();
  const Index A = phi.rows() / S;
  Matrix lifted(phi.rows(), k + 1);
  lifted.leftCols(k) = phi / std::numbers::sqrt2;
  for (Index x = 0; x < phi.rows(); ++x) lifted(x, k) = state_reward[x / A] / std::numbers::sqrt2;
  Matrix emitted = Matrix::Zero(S, k + 1);
  emitted.leftCols(k) = std::numbers::sqrt2 * mu;
  return {A, std::move(lifted), std::move(emitted), Vector::Ones(S)};
}

LearnProblem assemble_problem(Kernel truth, std::vector<Kernel> rivals, const Vector& state_reward,
                              double gamma, Rng& rng) {
  const Index A = truth.actions();
  const Index S = truth.states();
  Vector reward(S * A);
  for (Index x = 0; x < S * A; ++x) reward[x] = state_reward[x / A];
  const Vector theta = std::numbers::sqrt2 * Vector::Unit(truth.rank(), truth.rank() - 1);
  const Index place = rng.index(static_cast<Index>(rivals.size()) + 1);
  rivals.insert(rivals.begin() + place, truth);
  CandidateClass model_class{
      .candidates = FeatureClass::of(rivals), .truth = place, .distance = {}, .scale = {}};
  return {std::make_shared<const TabularMdp>(std::move(truth), Rewards{reward, theta},
                                             Vector::Unit(S, 0), gamma),
          std::move(model_class)};
}

}  // namespace speder

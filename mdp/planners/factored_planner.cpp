#include "speder/mdp/planners/factored_planner.hpp"

#include <algorithm>
#include <cmath>

#include "speder/mdp/model/rounding.hpp"

namespace speder {
namespace {

// K += x yᵀ, a row-major d × d accumulation of one state's outer product.
void add_outer(Matrix& K, const double* x, double weight, const double* y) {
  const Index d = K.cols();
  for (Index k = 0; k < d; ++k) {
    const double xk = weight * x[k];
    if (xk == 0) continue;  // μ may be an identity
    Eigen::Map<Vector>(K.data() + k * d, d) += xk * Eigen::Map<const Vector>(y, d);
  }
}

constexpr Index kBlockRows =
    1024;  // rows of Φ per matrix-vector product: the slab of q stays in L1

}  // namespace

FactoredPlanner::FactoredPlanner(Index states, Index actions, Index rank)
    : states_(states), actions_(actions), K_(rank, rank), k_(rank), w_(rank), lu_(rank) {
  result_.value.resize(states);
  result_.q.resize(states * actions);
  result_.policy.assign(static_cast<std::size_t>(states), 0);
  result_.method = PlanMethod::kFactored;
}

void FactoredPlanner::evaluate(const View& problem) {
  K_.setZero();
  k_.setZero();
  const Index d = K_.cols();
  for (Index s = 0; s < states_; ++s) {
    const Index pair = pair_index(s, result_.policy[static_cast<std::size_t>(s)], actions_);
    const double* const mu = problem.Mu.data() + s * d;
    add_outer(K_, mu, problem.nu[s], problem.Phi.data() + pair * d);
    const double weight = problem.nu[s] * problem.reward[pair];
    for (Index k = 0; k < d; ++k) k_[k] += weight * mu[k];
  }
  K_ *= -problem.gamma;
  K_.diagonal().array() += 1;
  lu_.compute(K_);
  w_ = lu_.solve(k_);
}

// q = R + γ Φ w, a slab of states at a time; visit(s, q(s,·)) sees each slab while it is in cache.
template <class Visit>
void FactoredPlanner::backup(const View& problem, const Visit& visit) {
  const Index block = std::max<Index>(1, kBlockRows / actions_);
  Vector& q = result_.q;
  for (Index first = 0; first < states_; first += block) {
    const Index count = std::min(block, states_ - first);
    const Index row = first * actions_;
    const Index rows = count * actions_;
    q.segment(row, rows).noalias() = problem.Phi.middleRows(row, rows) * w_;
    q.segment(row, rows) = problem.reward.segment(row, rows) + problem.gamma * q.segment(row, rows);
    for (Index s = first; s < first + count; ++s) visit(s, q.data() + s * actions_);
  }
}

double FactoredPlanner::improve(const View& problem) {
  double advantage = 0;
  backup(problem, [&](Index s, const double* q) {
    auto& choice = result_.policy[static_cast<std::size_t>(s)];
    const Index best = std::max_element(q, q + actions_) - q;
    result_.value[s] = q[choice];
    const double gain = q[best] - q[choice];
    if (gain <= 0) return;  // keep the action on ties: policy iteration cannot cycle
    advantage = std::max(advantage, gain);
    choice = static_cast<std::int32_t>(best);
  });
  return advantage;
}

double FactoredPlanner::certify(const View& problem) {
  w_.noalias() = problem.Mu.transpose() * problem.nu.cwiseProduct(result_.value);
  double residual = 0;
  backup(problem, [&](Index s, const double* q) {
    const Index best = std::max_element(q, q + actions_) - q;  // lowest action on ties
    residual = std::max(residual, std::abs(q[best] - result_.value[s]));
    result_.policy[static_cast<std::size_t>(s)] = static_cast<std::int32_t>(best);
  });
  return residual;
}

const PlanResult& FactoredPlanner::plan(const View& problem, const PlanOptions& options) {
  result_.termination = Termination::kIterationLimit;
  result_.iterations = 0;
  double advantage = INFINITY;
  while (result_.iterations < options.max_iterations) {
    evaluate(problem);
    ++result_.iterations;
    advantage = improve(problem);
    const double enough = attainable(options.residual, result_.value);
    if (advantage <= enough) break;
  }
  result_.residual = certify(problem);
  if (result_.residual <= attainable(options.residual, result_.value)) {
    result_.termination = Termination::kConverged;
  }
  return result_;
}

}  // namespace speder

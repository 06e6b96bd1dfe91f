#include "speder/mdp/planners/factored_planner.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "speder/mdp/model/rounding.hpp"

namespace speder {
namespace {

// States that a pass over K takes in: it is read and written once for all of them.
constexpr Index kTogether = 4;

// K += ∑ x_i y_iᵀ, added in the order of i, so that the digits do not depend on how many are taken together.
void add_outer(Matrix& K, const std::array<const double*, kTogether>& x,
               const std::array<double, kTogether>& weight,
               const std::array<const double*, kTogether>& y) {
  const Index d = K.cols();
  const auto row = [d](const double* p) { return Eigen::Map<const Vector>(p, d); };
  for (Index k = 0; k < d; ++k) {
    const double x0 = weight[0] * x[0][k];
    const double x1 = weight[1] * x[1][k];
    const double x2 = weight[2] * x[2][k];
    const double x3 = weight[3] * x[3][k];
    if (x0 == 0 && x1 == 0 && x2 == 0 && x3 == 0) continue;  // μ may be an identity
    Eigen::Map<Vector> Kk(K.data() + k * d, d);
    Kk = (((Kk + x0 * row(y[0])) + x1 * row(y[1])) + x2 * row(y[2])) + x3 * row(y[3]);
  }
}

double largest(const double* q, Index actions) {
  return Eigen::Map<const Vector>(q, actions).maxCoeff();
}
// The first action worth that much; the last one, where numbers are not numbers.
std::int32_t first_of(const double* q, Index actions, double value) {
  return static_cast<std::int32_t>(std::find(q, q + actions - 1, value) - q);
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

void FactoredPlanner::start_greedy(const Vector& reward) {
  for (Index s = 0; s < states_; ++s) {
    const double* const r = reward.data() + s * actions_;
    result_.policy[static_cast<std::size_t>(s)] = first_of(r, actions_, largest(r, actions_));
  }
}

void FactoredPlanner::evaluate(const View& problem) {
  K_.setZero();
  k_.setZero();
  const Index d = K_.cols();
  std::array<const double*, kTogether> mu{}, phi{};
  std::array<double, kTogether> weight{};
  for (Index first = 0; first < states_; first += kTogether) {
    for (Index i = 0; i < kTogether; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const Index s = std::min(first + i, states_ - 1);  // beyond the last one with weight 0
      const Index pair = pair_index(s, result_.policy[static_cast<std::size_t>(s)], actions_);
      mu[at] = problem.Mu.data() + s * d;
      phi[at] = problem.Phi.data() + pair * d;
      weight[at] = first + i < states_ ? problem.nu[s] : 0;
      k_ += (weight[at] * problem.reward[pair]) * Eigen::Map<const Vector>(mu[at], d);
    }
    add_outer(K_, mu, weight, phi);
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
    const double best = largest(q, actions_);
    result_.value[s] = q[choice];
    const double gain = best - q[choice];
    if (gain <= 0) return;  // keep the action on ties: policy iteration cannot cycle
    advantage = std::max(advantage, gain);
    choice = first_of(q, actions_, best);
  });
  return advantage;
}

double FactoredPlanner::certify(const View& problem) {
  w_.noalias() = problem.Mu.transpose() * problem.nu.cwiseProduct(result_.value);
  double residual = 0;
  backup(problem, [&](Index s, const double* q) {
    const double best = largest(q, actions_);
    residual = std::max(residual, std::abs(best - result_.value[s]));
    result_.policy[static_cast<std::size_t>(s)] =
        first_of(q, actions_, best);  // lowest action on ties
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

#include "speder/mdp/planners/sparse_planner.hpp"

#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <unsupported/Eigen/IterativeSolvers>

#include "speder/mdp/model/rounding.hpp"

namespace speder {
namespace {

using Order = std::vector<std::int32_t>;

// Depth-first postorder over the union of all actions' edges: order[i] is the i-th state to
// finish, so most successors of a state come before it.
Order depth_first_postorder(const SparseMatrix& P, Index actions) {
  const Index S = P.cols();
  Order order;
  order.reserve(static_cast<std::size_t>(S));
  std::vector<std::int32_t> cursor(static_cast<std::size_t>(S), -1);  // −1: not seen yet
  std::vector<std::int32_t> stack;
  const auto* const start = P.outerIndexPtr();
  const auto* const column = P.innerIndexPtr();
  for (Index root = 0; root < S; ++root) {
    if (cursor[static_cast<std::size_t>(root)] >= 0) continue;
    stack.push_back(static_cast<std::int32_t>(root));
    cursor[static_cast<std::size_t>(root)] = start[root * actions];
    while (!stack.empty()) {
      const Index s = stack.back();
      std::int32_t& at = cursor[static_cast<std::size_t>(s)];
      const std::int32_t end = start[(s + 1) * actions];
      while (at < end && cursor[static_cast<std::size_t>(column[at])] >= 0) ++at;
      if (at == end) {
        order.push_back(static_cast<std::int32_t>(s));
        stack.pop_back();
        continue;
      }
      const std::int32_t next = column[at++];
      cursor[static_cast<std::size_t>(next)] = start[next * actions];
      stack.push_back(next);
    }
  }
  return order;
}

// Solves with the lower triangle of A: a Gauss–Seidel sweep. The solver hands over a view of A that
// dies with the call, so the matrix is bound by hand.
class TriangularPreconditioner {
 public:
  void bind(const SparseMatrix& A) { A_ = &A; }
  template <class View>
  TriangularPreconditioner& compute(const View&) {
    return *this;
  }
  template <class Rhs>
  Vector solve(const Rhs& b) const {
    return A_->triangularView<Eigen::Lower>().solve(b);
  }
  static Eigen::ComputationInfo info() { return Eigen::Success; }

 private:
  const SparseMatrix* A_ = nullptr;
};

// x with ‖b − A x‖₂ ≤ tolerance ‖b‖₂ from the guess x: GMRES first, a direct solve if it stalls.
Vector solve_system(const SparseMatrix& A, const Vector& b, const Vector& guess, double tolerance) {
  constexpr int kKrylov = 60;  // vectors kept between restarts
  constexpr Index kRestarts = 5;
  const double target = tolerance * b.norm();
  if ((b - A * guess).norm() <= target) return guess;
  Eigen::GMRES<SparseMatrix, TriangularPreconditioner> gmres;
  gmres.preconditioner().bind(A);
  gmres.compute(A);
  gmres.set_restart(kKrylov);
  gmres.setMaxIterations(kRestarts * kKrylov);
  gmres.setTolerance(tolerance * 0.1);
  Vector x = gmres.solveWithGuess(b, guess);
  if (x.allFinite() && (b - A * x).norm() <= target) return x;
  const Eigen::SparseMatrix<double> columns = A;
  Eigen::SparseLU<Eigen::SparseMatrix<double>> lu(columns);
  x = lu.solve(b);
  return x + lu.solve(b - A * x);  // one step of iterative refinement
}

// The problem with its states renumbered by depth-first order.
struct Ordered {
  Order order;     // new index -> old index
  SparseMatrix P;  // (SA × S)
  Vector reward;   // (SA)
};

Ordered reorder(const SparseMatrix& P, const Vector& reward, Index actions) {
  Ordered out{.order = depth_first_postorder(P, actions), .P = {}, .reward = Vector(reward.size())};
  const Index S = P.cols();
  std::vector<std::int32_t> rank(static_cast<std::size_t>(S));
  for (Index i = 0; i < S; ++i)
    rank[static_cast<std::size_t>(out.order[static_cast<std::size_t>(i)])] =
        static_cast<std::int32_t>(i);
  out.P.resize(P.rows(), S);
  out.P.reserve(P.nonZeros());
  std::vector<std::pair<std::int32_t, double>> row;
  for (Index i = 0; i < S; ++i) {
    for (Index a = 0; a < actions; ++a) {
      const Index from = out.order[static_cast<std::size_t>(i)] * actions + a;
      const Index to = i * actions + a;
      out.reward[to] = reward[from];
      row.clear();
      for (SparseMatrix::InnerIterator it(P, from); it; ++it) {
        row.emplace_back(rank[static_cast<std::size_t>(it.col())], it.value());
      }
      std::sort(row.begin(), row.end());
      out.P.startVec(to);
      for (const auto& [column, value] : row) out.P.insertBack(to, column) = value;
    }
  }
  out.P.finalize();
  return out;
}

class SparseIteration {
 public:
  SparseIteration(const Ordered& problem, Index actions, double gamma)
      : problem_(problem),
        actions_(actions),
        gamma_(gamma),
        policy_(static_cast<std::size_t>(problem.P.cols()), 0),
        value_(Vector::Zero(problem.P.cols())) {}

  double backup(Index pair) const {  // r + γ E_P[V]
    double next = 0;
    const auto* const start = problem_.P.outerIndexPtr();
    for (Index i = start[pair]; i < start[pair + 1]; ++i) {
      next += problem_.P.valuePtr()[i] * value_[problem_.P.innerIndexPtr()[i]];
    }
    return problem_.reward[pair] + gamma_ * next;
  }

  // Gauss–Seidel: later states see the new values of earlier ones. Returns the largest change.
  double sweep() {
    double change = 0;
    for (Index s = 0; s < value_.size(); ++s) {
      const auto i = static_cast<std::size_t>(s);
      Index best = policy_[i];
      double best_q = backup(s * actions_ + best);
      for (Index a = 0; a < actions_; ++a) {
        const double q = backup(s * actions_ + a);
        if (q > best_q) {
          best_q = q;
          best = a;
        }
      }
      change = std::max(change, std::abs(best_q - value_[s]));
      value_[s] = best_q;
      policy_[i] = static_cast<std::int32_t>(best);
    }
    return change;
  }

  void evaluate(double tolerance) {
    const Index S = value_.size();
    SparseMatrix A(S, S);
    A.reserve(problem_.P.nonZeros() / actions_ + S);
    Vector r(S);
    for (Index s = 0; s < S; ++s) {
      const Index pair = s * actions_ + policy_[static_cast<std::size_t>(s)];
      r[s] = problem_.reward[pair];
      append_row(A, s, pair);
    }
    A.finalize();
    const double scale = std::max(r.norm(), std::numeric_limits<double>::min());
    value_ = solve_system(A, r, value_, tolerance / scale);
  }

  // ‖TV − V‖∞, filling q and the greedy policy (lowest action on ties).
  double certify(Vector& q) {
    double residual = 0;
    for (Index s = 0; s < value_.size(); ++s) {
      Index best = 0;
      for (Index a = 0; a < actions_; ++a) {
        q[s * actions_ + a] = backup(s * actions_ + a);
        if (q[s * actions_ + a] > q[s * actions_ + best]) best = a;
      }
      policy_[static_cast<std::size_t>(s)] = static_cast<std::int32_t>(best);
      residual = std::max(residual, std::abs(q[s * actions_ + best] - value_[s]));
    }
    return residual;
  }

  [[nodiscard]] const Vector& value() const { return value_; }
  [[nodiscard]] const Order& policy() const { return policy_; }

 private:
  // Row s of I − γ P_π.
  void append_row(SparseMatrix& A, Index s, Index pair) const {
    A.startVec(s);
    bool diagonal_done = false;
    for (SparseMatrix::InnerIterator it(problem_.P, pair); it; ++it) {
      if (!diagonal_done && it.col() >= s) {
        diagonal_done = true;
        A.insertBack(s, s) = it.col() == s ? 1 - gamma_ * it.value() : 1.0;
        if (it.col() == s) continue;
      }
      A.insertBack(s, it.col()) = -gamma_ * it.value();
    }
    if (!diagonal_done) A.insertBack(s, s) = 1.0;
  }

  const Ordered& problem_;
  Index actions_;
  double gamma_;
  Order policy_;
  Vector value_;
};

}  // namespace

PlanResult plan_sparse(const PlanProblem& problem, const PlanOptions& options) {
  const Index S = problem.kernel.states();
  const Index A = problem.kernel.actions();
  const Ordered ordered = reorder(problem.kernel.sparse(), problem.reward, A);
  SparseIteration iteration(ordered, A, problem.gamma);
  PlanResult result;
  result.method = PlanMethod::kSparse;
  Vector q(S * A);
  while (result.iterations < options.max_iterations) {
    ++result.iterations;
    const double change = iteration.sweep();
    const double enough = attainable(options.residual, iteration.value());
    if (change <= enough) {
      result.residual = iteration.certify(q);
      if (result.residual <= enough) {
        result.termination = Termination::kConverged;
        break;
      }
    }
    constexpr double kInexact = 1e-2;  // an evaluation error well below the change just seen
    iteration.evaluate(std::max(kInexact * change, 0.1 * enough));
  }
  if (result.termination != Termination::kConverged) result.residual = iteration.certify(q);
  result.value.resize(S);
  result.q.resize(S * A);
  result.policy.resize(static_cast<std::size_t>(S));
  for (Index i = 0; i < S; ++i) {
    const Index s = ordered.order[static_cast<std::size_t>(i)];
    result.value[s] = iteration.value()[i];
    result.policy[static_cast<std::size_t>(s)] = iteration.policy()[static_cast<std::size_t>(i)];
    result.q.segment(s * A, A) = q.segment(i * A, A);
  }
  return result;
}

Vector solve_discounted(const SparseMatrix& P_pi, double gamma, const Vector& b, bool transpose) {
  SparseMatrix A(P_pi.rows(), P_pi.cols());
  A.setIdentity();
  A -= gamma * (transpose ? SparseMatrix(P_pi.transpose()) : P_pi);
  const Vector zero = Vector::Zero(b.size());
  constexpr double kUlps = 8;  // of ‖x‖ ≤ ‖b‖/(1−γ): what b − Ax can resolve
  const Vector x = solve_system(A, b, zero, kUlps * tol::kUnit / (1 - gamma));
  constexpr double kRefine = 1e-2;
  return x + solve_system(A, b - A * x, zero, kRefine);
}

}  // namespace speder

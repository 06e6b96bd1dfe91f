#include "speder/learning/clone.hpp"

#include "speder/core/check.hpp"

namespace speder {
namespace {

Policy frequencies(const Matrix& counts) {
  Matrix table = counts;
  for (Index s = 0; s < table.rows(); ++s) {
    const double total = counts.row(s).sum();
    if (total > 0) {
      table.row(s) /= total;
    } else {
      table.row(s).setConstant(1.0 / static_cast<double>(table.cols()));
    }
  }
  return Policy::stochastic(table);
}

}  // namespace

LearnerResult offline_clone(const Dataset& data, const OfflineTask& task,
                            const OfflineOptions& options, const LearnerObserver& observe) {
  Matrix counts = Matrix::Zero(data.states, data.actions);
  const Vector no_bonus = Vector::Zero(data.states * data.actions);
  const Vector no_value;
  LearnerResult out{Policy::uniform(data.states, data.actions)};
  for (const Index n : require_valid(options, data, task)) {
    for (Index i = out.n; i < n; ++i) {
      const Index pair = data.steps[static_cast<std::size_t>(i)].pair;
      counts(pair / data.actions, pair % data.actions) += 1;
    }
    out.n = n;
    out.policy = frequencies(counts);
    ++out.replans;
    const LearnerReport report{n, out.policy, true, -1, no_bonus, no_value, 0, 0, 0, n};
    if (observe && !observe(report)) {
      out.interrupted = true;
      return out;
    }
  }
  return out;
}

}  // namespace speder

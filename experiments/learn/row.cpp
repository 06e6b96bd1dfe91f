#include "speder/experiments/learn/row.hpp"

#include <cmath>
#include <limits>

#include "speder/core/tolerance.hpp"
#include "speder/oracle/model_error.hpp"

namespace speder {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// ‖∑_a b(·,a)‖_{L2(ν)} = (∑_s (∑_a b(s,a))² ν(s))^½
double action_sum_norm(const Vector& b, Index actions, const Vector& nu) {
  double total = 0;
  for (Index s = 0; s < nu.size(); ++s) {
    const double sum = b.segment(s * actions, actions).sum();
    total += sum * sum * nu[s];
  }
  return std::sqrt(total);
}

// Equal up to the last bit or two: single precision holds P* as a sum of two numbers.
bool same_factors(const Kernel& a, const Kernel& b) {
  if (a.rank() != b.rank()) return false;
  const Matrix mu = b.mu().to_dense();
  return (a.phi().to_dense() - b.phi().to_dense()).cwiseAbs().maxCoeff() <= 2 * tol::kUnit &&
         (a.mu().to_dense() - mu).cwiseAbs().maxCoeff() <=
             8 * tol::kUnit * mu.cwiseAbs().maxCoeff();
}

}  // namespace

std::vector<std::pair<std::string_view, double>> columns(const LearnRow& row) {
  const auto number = [](Index i) { return static_cast<double>(i); };
  return {{"n", number(row.n)},
          {"value_last", row.value_last},
          {"value_mixture", row.value_mixture},
          {"gap_last", row.gap_last},
          {"gap_mixture", row.gap_mixture},
          {"regret", row.regret},
          {"candidate", number(row.candidate)},
          {"error_rho", row.error_rho},
          {"error_rho_next", row.error_rho_next},
          {"bonus_sup", row.bonus_sup},
          {"bonus_l2", row.bonus_l2},
          {"optimism", row.optimism},
          {"zeta", row.zeta},
          {"lambda", row.lambda},
          {"alpha", row.alpha},
          {"env_steps", number(row.env_steps)},
          {"replans", number(row.replans)},
          {"seconds", row.seconds}};
}

std::vector<Index> geometric_grid(Index last) {
  std::vector<Index> grid;
  for (int k = 0;; ++k) {
    const auto n = static_cast<Index>(std::llround(std::exp2(k / 4.0)));
    if (n >= last) break;
    if (grid.empty() || n > grid.back()) grid.push_back(n);
  }
  grid.push_back(last);
  return grid;
}

LearnRecorder::LearnRecorder(TruthEvaluator& truth, const FeatureClass* candidates, Options options)
    : truth_(&truth),
      candidates_(candidates),
      options_(std::move(options)),
      current_(truth.at(options_.data_policy)),
      mass_sum_(Vector::Zero(truth.mdp().states())),
      start_(std::chrono::steady_clock::now()) {}

// Episode n drew its data under π_{n−1}; π_n becomes current.
void LearnRecorder::follow(const LearnerReport& report) {
  pending_ += 1;
  if (!report.replanned) return;
  ++replans_;
  if (options_.follow_plan && options_.online) {
    mass_sum_ += pending_ * current_.mass;
    pending_ = 0;
    current_ = truth_->at(report.policy);
  } else {
    current_.value = truth_->at(report.policy).value;
  }
}

bool LearnRecorder::operator()(const LearnerReport& report) {
  follow(report);
  regret_ += truth_->optimal_value() - current_.value;
  LearnRow row;
  row.n = report.n;
  row.value_last = current_.value;
  row.gap_last = truth_->optimal_value() - current_.value;
  row.regret = options_.online ? regret_ : kNone;
  bool go_on = !options_.on_episode || options_.on_episode(row);
  const bool due = next_ < options_.grid.size() && report.n >= options_.grid[next_];
  if (!due && go_on) return true;
  while (next_ < options_.grid.size() && report.n >= options_.grid[next_]) ++next_;
  fill(report, row);
  rows_.push_back(row);
  if (options_.on_row) go_on = options_.on_row(row) && go_on;
  return go_on;
}

Kernel kernel_of_rows(const Matrix& P, const Vector& nu) {
  const SparseMatrix densities = Matrix(nu.cwiseInverse().asDiagonal()).sparseView();
  return {P.rows() / nu.size(), P, densities, nu};
}

void LearnRecorder::measure_errors(const Matrix& P, LearnRow& row) {
  model_.emplace(kernel_of_rows(P, truth_->mdp().kernel().nu()));
  fill_errors(row);
}

void LearnRecorder::measure_errors(LearnRow& row) {
  if (row.candidate != model_index_) {
    model_index_ = row.candidate;
    model_.emplace(candidates_->kernel(model_index_));
    model_is_truth_ = same_factors(*model_, truth_->mdp().kernel());
  }
  if (model_is_truth_) {
    row.error_rho = 0;
    if (options_.online) row.error_rho_next = 0;
    return;
  }
  fill_errors(row);
}

void LearnRecorder::fill_errors(LearnRow& row) const {
  const TabularMdp& mdp = truth_->mdp();
  const auto error = [&](const Vector& weights) {
    return l2_error_squared(mdp.kernel(), *model_, weights);
  };
  if (!options_.online) {  // (s,a) ~ d^{π_b}(s) π_b(a|s)
    row.error_rho = error(options_.data_policy.joint(current_.mass));
    return;
  }
  const Policy uniform = Policy::uniform(mdp.states(), mdp.actions());
  const Vector law = (mass_sum_ + pending_ * current_.mass) / (mass_sum_.sum() + pending_);
  row.error_rho = error(uniform.joint(law));
  row.error_rho_next = error(uniform.joint(truth_->next_mass(law)));
}

void LearnRecorder::fill(const LearnerReport& report, LearnRow& row) {
  const auto n = static_cast<double>(report.n);
  const TabularMdp& mdp = truth_->mdp();
  row.gap_mixture = options_.online ? row.regret / n : kNone;
  row.value_mixture = truth_->optimal_value() - row.gap_mixture;
  row.candidate = report.candidate;
  row.bonus_sup = report.bonus.size() > 0 ? report.bonus.maxCoeff() : kNone;
  row.bonus_l2 = report.bonus.size() > 0
                     ? action_sum_norm(report.bonus, mdp.actions(), mdp.kernel().nu())
                     : kNone;
  row.optimism =
      report.value.size() > 0 ? mdp.rho().dot(report.value) - truth_->optimal_value() : kNone;
  row.zeta = report.zeta;
  row.lambda = report.lambda;
  row.alpha = report.alpha;
  row.env_steps = report.env_steps;
  row.replans = replans_;
  row.error_rho = row.error_rho_next = kNone;
  if (candidates_ != nullptr && report.candidate >= 0) measure_errors(row);
  if (report.kernel != nullptr) measure_errors(*report.kernel, row);
  row.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

}  // namespace speder

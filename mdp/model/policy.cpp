#include "speder/mdp/model/policy.hpp"

#include <cmath>

#include "speder/core/check.hpp"
#include "speder/core/tolerance.hpp"

namespace speder {

Policy Policy::uniform(Index states, Index actions) {
  return stochastic(Matrix::Constant(states, actions, 1.0 / static_cast<double>(actions)));
}

Policy Policy::deterministic(std::vector<std::int32_t> choice, Index actions) {
  require(!choice.empty(), "a policy needs at least one state");
  for (const auto a : choice) require(0 <= a && a < actions, "policy: action out of range", a);
  Policy policy;
  policy.states_ = static_cast<Index>(choice.size());
  policy.actions_ = actions;
  policy.choice_ = std::move(choice);
  return policy;
}

Policy Policy::stochastic(Matrix table) {
  require(table.rows() >= 1 && table.cols() >= 1, "a policy needs states and actions");
  for (Index s = 0; s < table.rows(); ++s) {
    require(table.row(s).minCoeff() >= 0 && std::abs(table.row(s).sum() - 1) <= tol::kSimplex,
            fmt::format("policy: row {} must be a distribution, its sum", s), table.row(s).sum());
  }
  Policy policy;
  policy.states_ = table.rows();
  policy.actions_ = table.cols();
  policy.table_ = std::move(table);
  return policy;
}

Matrix Policy::table() const {
  if (!is_deterministic()) return table_;
  Matrix table = Matrix::Zero(states_, actions_);
  for (Index s = 0; s < states_; ++s) table(s, choice_[static_cast<std::size_t>(s)]) = 1;
  return table;
}

ActionId Policy::sample(StateId s, Rng& rng) const {
  if (is_deterministic()) return action(choice_[static_cast<std::size_t>(index(s))]);
  return action(categorical(table_.row(index(s)).transpose(), rng));
}

Vector Policy::average(const Vector& f) const {
  Vector out(states_);
  for (Index s = 0; s < states_; ++s) {
    out[s] = is_deterministic() ? f[pair_index(s, choice_[static_cast<std::size_t>(s)], actions_)]
                                : table_.row(s).dot(f.segment(s * actions_, actions_));
  }
  return out;
}

Vector Policy::joint(const Vector& state_mass) const {
  Vector out = Vector::Zero(states_ * actions_);
  for (Index s = 0; s < states_; ++s) {
    if (is_deterministic()) {
      out[pair_index(s, choice_[static_cast<std::size_t>(s)], actions_)] = state_mass[s];
    } else {
      out.segment(s * actions_, actions_) = state_mass[s] * table_.row(s).transpose();
    }
  }
  return out;
}

}  // namespace speder

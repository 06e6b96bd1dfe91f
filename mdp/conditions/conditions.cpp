#include "speder/mdp/conditions/conditions.hpp"

#include <cmath>
#include <limits>

#include "speder/core/check.hpp"
#include "speder/core/tolerance.hpp"

namespace speder {
namespace {

constexpr double kSmallTable = 1e7;  // |S|²|A|: below this every entry of P is looked at

// Conditions that hold with equality in exact arithmetic must not fail by rounding.
Holds at_most(double value, double bound) {
  return value <= bound * (1 + tol::kSimplex) ? Holds::kYes : Holds::kNo;
}

Condition upper(std::string name, double value, double bound, std::string how = "exact") {
  return {std::move(name), value, bound, at_most(value, bound), std::move(how)};
}

double root(Index d) { return std::sqrt(static_cast<double>(d)); }

Vector feature_norms(const Factor& phi) {
  Vector norms(phi.rows());
  for (Index i = 0; i < norms.size(); ++i) norms[i] = phi.row_norm(i);
  return norms;
}

// ∑_s (∑_a f(s,a))² ν(s)
double squared_mass(const Vector& f, const Kernel& kernel) {
  const Vector per_state =
      Eigen::Map<const Matrix>(f.data(), kernel.states(), kernel.actions()).rowwise().sum();
  return per_state.cwiseAbs2().dot(kernel.nu());
}

Condition theta_condition(const TabularMdp& mdp) {
  if (mdp.theta().size() > 0) return upper("theta_norm", mdp.theta().norm(), root(mdp.rank()));
  return {"theta_norm", std::numeric_limits<double>::quiet_NaN(), root(mdp.rank()), Holds::kNo,
          "the reward is not linear in phi"};
}

Condition mu_condition(const Kernel& kernel) {
  const MuNorm norm = mu_norm(kernel.mu(), kernel.nu());
  Condition c = upper("mu_norm", norm.upper, root(kernel.rank()), norm.how);
  if (std::isnan(norm.upper)) c.holds = Holds::kUnknown;
  if (c.holds == Holds::kNo && at_most(norm.lower, c.bound) == Holds::kYes)
    c.holds = Holds::kUnknown;
  return c;
}

Condition rows_condition(const Kernel& kernel) {
  const Vector total = kernel.row_sums();
  return upper("kernel_rows", (total.array() - 1).abs().maxCoeff(), tol::kSimplex);
}

Condition nonnegative_condition(const Kernel& kernel) {
  const double entries = static_cast<double>(kernel.pairs()) * static_cast<double>(kernel.states());
  if (entries > kSmallTable && kernel.phi().smallest() >= 0 && kernel.mu().smallest() >= 0)
    return {"kernel_nonnegative", 0, 0, Holds::kYes,
            "certified (phi >= 0 and mu >= 0); the value is a lower bound"};
  double least = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < kernel.pairs(); ++i)
    least = std::min(least, kernel.dense_row(i).minCoeff());
  return {"kernel_nonnegative", least, 0, least >= -tol::kNonNegative ? Holds::kYes : Holds::kNo,
          "exact (every entry)"};
}

Condition rank_condition(const Kernel& kernel) {
  const RankResult result = kernel_rank(kernel);
  const auto d = static_cast<double>(kernel.rank());
  if (!result.rank)
    return {"rank", std::numeric_limits<double>::quiet_NaN(), d, Holds::kUnknown, result.how};
  return {"rank", static_cast<double>(*result.rank), d,
          result.rank == kernel.rank() ? Holds::kYes : Holds::kNo, result.how};
}

}  // namespace

std::string_view to_string(Holds holds) {
  switch (holds) {
    case Holds::kYes:
      return "yes";
    case Holds::kNo:
      return "no";
    case Holds::kUnknown:
      return "unknown";
  }
  return "unknown";
}

std::vector<Condition> conditions(const TabularMdp& mdp) {
  const Kernel& kernel = mdp.kernel();
  const auto d = static_cast<double>(mdp.rank());
  const Vector norms = feature_norms(kernel.phi());
  return {upper("phi_norm", norms.maxCoeff(), 1),
          theta_condition(mdp),
          mu_condition(kernel),
          upper("representation_normalisation", squared_mass(norms, kernel), d),
          upper("reward_normalisation", squared_mass(mdp.reward(), kernel), d),
          rows_condition(kernel),
          nonnegative_condition(kernel),
          rank_condition(kernel)};
}

}  // namespace speder

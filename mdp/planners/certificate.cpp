#include "speder/mdp/planners/certificate.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace speder {
namespace {

using Extended = long double;
constexpr Extended kRoundoff = std::numeric_limits<Extended>::epsilon() / 2;
constexpr Extended kSlack = 2;  // for the rounding of the bounds themselves

struct Sum {
  Extended value = 0;
  Extended size = 0;  // ∑ |terms|
};

template <class Visit>
void each_entry(const Factor& factor, Index row, const Visit& visit) {
  if (factor.is_sparse()) {
    for (SparseMatrix::InnerIterator it(factor.sparse(), row); it; ++it)
      visit(it.col(), it.value());
  } else {
    for (Index k = 0; k < factor.cols(); ++k) visit(k, factor.dense()(row, k));
  }
}

// ∑_s μ(s) ν(s) f(s)                                                        (d)
std::vector<Sum> projection(const Kernel& kernel, const Vector& f) {
  std::vector<Sum> out(static_cast<std::size_t>(kernel.rank()));
  for (Index s = 0; s < kernel.states(); ++s) {
    each_entry(kernel.mu(), s, [&](Index k, Extended mu) {
      const Extended term = mu * kernel.nu()[s] * f[s];
      out[static_cast<std::size_t>(k)].value += term;
      out[static_cast<std::size_t>(k)].size += std::abs(term);
    });
  }
  return out;
}

// ⟨φ(s,a), w⟩
Sum expectation_at(const Kernel& kernel, Index pair, const std::vector<Sum>& w) {
  Sum out;
  each_entry(kernel.phi(), pair, [&](Index k, Extended phi) {
    out.value += phi * w[static_cast<std::size_t>(k)].value;
    out.size += std::abs(phi) * w[static_cast<std::size_t>(k)].size;
  });
  return out;
}

}  // namespace

double certified_error(const PlanProblem& problem, const Vector& value) {
  const Kernel& kernel = problem.kernel;
  const Extended gamma = problem.gamma;
  const Index A = kernel.actions();
  constexpr Index kOther = 8;  // roundings beside the two sums
  const Extended nu = kRoundoff * static_cast<Extended>(kernel.states() + kernel.rank() + kOther);
  const Extended rounding = kSlack * nu / (1 - nu);
  const std::vector<Sum> w = projection(kernel, value);
  const std::vector<Sum> mass = projection(kernel, Vector::Ones(kernel.states()));
  // Factors of both signs may give probabilities that are negative by rounding.
  const bool proven = kernel.phi().smallest() >= 0 && kernel.mu().smallest() >= 0;
  const Extended below =
      proven ? 0 : 2 * kSlack * tol::kNonNegative * static_cast<Extended>(kernel.states());
  Extended residual = 0;
  Extended modulus = 0;  // γ L
  for (Index s = 0; s < kernel.states(); ++s) {
    Extended best = -std::numeric_limits<Extended>::infinity();
    Extended error = 0;
    for (Index pair = s * A; pair < (s + 1) * A; ++pair) {
      const Extended reward = problem.reward[pair];
      const Sum next = expectation_at(kernel, pair, w);
      const Sum total = expectation_at(kernel, pair, mass);
      best = std::max(best, reward + gamma * next.value);
      error = std::max(error, rounding * (std::abs(reward) + gamma * next.size +
                                          std::abs(static_cast<Extended>(value[s]))));
      modulus = std::max(modulus, gamma * (total.value + rounding * total.size + below));
    }
    residual = std::max(residual, std::abs(best - value[s]) + error);
  }
  const Extended contraction = 1 - modulus * (1 + 4 * kRoundoff);
  if (!(contraction > 0) || !std::isfinite(residual)) return INFINITY;
  const Extended bound = residual / contraction * (1 + 8 * kRoundoff);
  return std::nextafter(static_cast<double>(bound), std::numeric_limits<double>::infinity());
}

}  // namespace speder

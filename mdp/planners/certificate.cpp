#include "speder/mdp/planners/certificate.hpp"

#include <algorithm>
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
    const Index d = factor.cols();  // once: a call would empty the registers of the sums
    const double* const entries = factor.dense().data() + row * d;
    for (Index k = 0; k < d; ++k) visit(k, entries[k]);
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

// ⟨φ(s,a), w⟩ and ⟨φ(s,a), m⟩ in one pass. `plain`: every number is non-negative, so that a sum is its own size.
struct BothSums {
  Sum next, total;
};
BothSums expectations_at(const Factor& phi, Index pair, const std::vector<Sum>& w,
                         const std::vector<Sum>& mass, bool plain) {
  if (plain) {
    Extended next = 0;
    Extended total = 0;
    each_entry(phi, pair, [&](Index k, Extended entry) {
      next += entry * w[static_cast<std::size_t>(k)].value;
      total += entry * mass[static_cast<std::size_t>(k)].value;
    });
    return {.next = {next, next}, .total = {total, total}};
  }
  BothSums out;
  each_entry(phi, pair, [&](Index k, Extended entry) {
    const auto at = static_cast<std::size_t>(k);
    out.next.value += entry * w[at].value;
    out.next.size += std::abs(entry) * w[at].size;
    out.total.value += entry * mass[at].value;
    out.total.size += std::abs(entry) * mass[at].size;
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
  const bool plain = proven && value.minCoeff() >= 0;
  const Extended below =
      proven ? 0 : 2 * kSlack * tol::kNonNegative * static_cast<Extended>(kernel.states());
  Extended residual = 0;
  Extended modulus = 0;  // γ L
  for (Index s = 0; s < kernel.states(); ++s) {
    Extended best = -std::numeric_limits<Extended>::infinity();
    Extended error = 0;
    for (Index pair = s * A; pair < (s + 1) * A; ++pair) {
      const Extended reward = problem.reward[pair];
      const auto [next, total] = expectations_at(kernel.phi(), pair, w, mass, plain);
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

double smallest_gap(const PlanResult& result, Index actions, double noise) {
  double gap = INFINITY;
  for (Index i = 0; i < result.q.size(); ++i) {
    const double loss = result.value[i / actions] - result.q[i];
    if (loss > noise) gap = std::min(gap, loss);
  }
  return std::isfinite(gap) ? gap : 0.0;
}

}  // namespace speder

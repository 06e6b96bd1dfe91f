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

// ⟨F_i, w⟩
Sum row_dot(const Factor& factor, Index i, const std::vector<Sum>& w) {
  Sum out;
  each_entry(factor, i, [&](Index k, Extended entry) {
    const auto at = static_cast<std::size_t>(k);
    out.value += entry * w[at].value;
    out.size += std::abs(entry) * w[at].size;
  });
  return out;
}

// The same where no number is negative.
Sum plain_dot(const Factor& factor, Index i, const std::vector<Sum>& w) {
  Extended sum = 0;
  each_entry(factor, i,
             [&](Index k, Extended entry) { sum += entry * w[static_cast<std::size_t>(k)].value; });
  return {sum, sum};
}

// A sum of that many products carries at most this much of the sum of their sizes.
Extended rounding_of(Extended unit, Index products) {
  constexpr Index kOther = 8;  // roundings beside the sum
  const Extended nu = unit * static_cast<Extended>(products + kOther);
  return kSlack * nu / (1 - nu);
}

// Factors of both signs may give probabilities that are negative by rounding.
bool non_negative(const Kernel& kernel) {
  return kernel.phi().smallest() >= 0 && kernel.mu().smallest() >= 0;
}

// A bound on γ L from the rows themselves.
Extended modulus_of_rows(const PlanProblem& problem) {
  const Kernel& kernel = problem.kernel;
  const Extended gamma = problem.gamma;
  const Extended rounding = rounding_of(kRoundoff, kernel.states() + kernel.rank());
  const std::vector<Sum> mass = projection(kernel, Vector::Ones(kernel.states()));
  const bool proven = non_negative(kernel);
  const Extended below =
      proven ? 0 : 2 * kSlack * tol::kNonNegative * static_cast<Extended>(kernel.states());
  Extended modulus = 0;
  for (Index pair = 0; pair < kernel.pairs(); ++pair) {
    const Sum total =
        proven ? plain_dot(kernel.phi(), pair, mass) : row_dot(kernel.phi(), pair, mass);
    modulus = std::max(modulus, gamma * (total.value + rounding * total.size + below));
  }
  return modulus;
}

// A kernel has found in double precision that its rows sum to one within kSimplex. A column of μ that all but vanishes
// may have lost digits there, which a large φ brings back.
bool rows_were_summed(const Kernel& kernel) {
  constexpr double kVanishing = 1e-250;
  return non_negative(kernel) &&
         kernel.project(Vector::Ones(kernel.states())).minCoeff() >= kVanishing;
}

// γ L, from what the kernel found unless γ is so close to one that the bound would notice.
Extended modulus_of(const PlanProblem& problem) {
  const Kernel& kernel = problem.kernel;
  constexpr Extended kNotice = 1e-6;
  if (rows_were_summed(kernel)) {
    const Extended above = tol::kSimplex + rounding_of(kRoundoff, kernel.states() + kernel.rank()) +
                           2 * rounding_of(tol::kUnit, kernel.rank());
    const Extended gamma = problem.gamma;
    if (gamma * above <= kNotice * (1 - gamma)) return gamma * (1 + above);
  }
  return modulus_of_rows(problem);
}

// The actions that may be best, for the extended sums are dear. Where nothing is negative, a value in double precision
// is within a known share of the true one, and an action that is further below the largest is not it.
class Contenders {
 public:
  Contenders(const PlanProblem& problem, const Vector& value, const std::vector<Sum>& w)
      : problem_(problem), actions_(problem.kernel.actions()) {
    const Kernel& kernel = problem.kernel;
    plain_ = non_negative(kernel) && value.minCoeff() >= 0 && problem.reward.minCoeff() >= 0;
    if (!plain_ || kernel.phi().is_sparse()) return;
    w_.resize(kernel.rank());
    for (Index k = 0; k < kernel.rank(); ++k) {
      const Extended exact = w[static_cast<std::size_t>(k)].value;
      if (exact != 0 && exact < std::numeric_limits<double>::min()) return;  // digits would be lost
      w_[k] = static_cast<double>(exact);
    }
    q_.resize(std::max<Index>(1, kPairs / actions_) * actions_);
    share_ = static_cast<double>(2 * (rounding_of(kRoundoff, kernel.states() + kernel.rank()) +
                                      rounding_of(tol::kUnit, kernel.rank())));
  }
  /// Nothing is negative, so that every sum is its own size.
  [[nodiscard]] bool plain() const { return plain_; }

  /// Calls visit(s, pairs) for every state, in order.
  template <class Visit>
  void each_state(const Visit& visit) {
    std::vector<Index> pairs(static_cast<std::size_t>(actions_));
    const Index S = problem_.kernel.states();
    const Index slab = q_.size() > 0 ? q_.size() / actions_ : S;
    for (Index first = 0; first < S; first += slab) {
      const Index count = std::min(slab, S - first);
      const bool sifted = q_.size() > 0 && look_at(first * actions_, count * actions_);
      for (Index s = first; s < first + count; ++s) {
        pairs.clear();
        const double enough = sifted ? enough_at(s - first) : -INFINITY;
        for (Index a = 0; a < actions_; ++a) {
          if (!sifted || q_[(s - first) * actions_ + a] >= enough)
            pairs.push_back(s * actions_ + a);
        }
        visit(s, pairs);
      }
    }
  }

 private:
  static constexpr Index kPairs = 1024;  // a slab of q stays in the first cache

  // False: something is too large for doubles.
  bool look_at(Index row, Index rows) {
    auto q = q_.head(rows);
    q.noalias() = problem_.kernel.phi().dense().middleRows(row, rows) * w_;
    q = problem_.reward.segment(row, rows) + problem_.gamma * q;
    return q.allFinite();
  }
  [[nodiscard]] double enough_at(Index i) const {
    // The smallest normal number is more than all that can be lost below it.
    return q_.segment(i * actions_, actions_).maxCoeff() * (1 - 2 * share_) -
           std::numeric_limits<double>::min();
  }

  const PlanProblem& problem_;
  Index actions_;
  bool plain_ = false;
  double share_ = 0;
  Vector w_;  // (d) as doubles
  Vector q_;  // a slab of r + γ Φ w, empty where nothing is sifted
};

}  // namespace

double certified_error(const PlanProblem& problem, const Vector& value) {
  if (!value.allFinite()) return INFINITY;
  const Kernel& kernel = problem.kernel;
  const Extended gamma = problem.gamma;
  const Extended rounding = rounding_of(kRoundoff, kernel.states() + kernel.rank());
  const std::vector<Sum> w = projection(kernel, value);
  Contenders contenders(problem, value, w);
  Extended residual = 0;
  contenders.each_state([&](Index s, const std::vector<Index>& pairs) {
    Extended best = -std::numeric_limits<Extended>::infinity();
    Extended error = 0;
    for (const Index pair : pairs) {
      const Extended reward = problem.reward[pair];
      const Sum next =
          contenders.plain() ? plain_dot(kernel.phi(), pair, w) : row_dot(kernel.phi(), pair, w);
      best = std::max(best, reward + gamma * next.value);
      error = std::max(error, rounding * (std::abs(reward) + gamma * next.size +
                                          std::abs(static_cast<Extended>(value[s]))));
    }
    residual = std::max(residual, std::abs(best - value[s]) + error);
  });
  const Extended contraction = 1 - modulus_of(problem) * (1 + 4 * kRoundoff);
  if (!(contraction > 0) || !std::isfinite(residual)) return INFINITY;
  const Extended bound = residual / contraction * (1 + 8 * kRoundoff);
  return std::nextafter(static_cast<double>(bound), std::numeric_limits<double>::infinity());
}

double smallest_gap(const PlanResult& result, Index actions, double noise) {
  double gap = INFINITY;
  for (Index s = 0; s < result.value.size(); ++s) {
    const double best = result.value[s];
    const double* const q = result.q.data() + s * actions;
    for (Index a = 0; a < actions; ++a) {
      const double loss = best - q[a];
      if (loss > noise) gap = std::min(gap, loss);
    }
  }
  return std::isfinite(gap) ? gap : 0.0;
}

}  // namespace speder

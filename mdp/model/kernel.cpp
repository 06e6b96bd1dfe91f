#include "speder/mdp/model/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "speder/core/check.hpp"
#include "speder/core/tolerance.hpp"

namespace speder {
std::string pair_name(Index pair, Index actions) {
  return fmt::format("(s={}, a={})", pair / actions, pair % actions);
}

namespace {

// DEVIATION-1: every integral over S carries the base measure ν.
// ∫ μ(s') ds' with extended sums: over a million states plain ones drift past tol::kSimplex.
Vector total_mass(const Factor& mu, const Vector& nu) {
  std::vector<long double> mass(static_cast<std::size_t>(mu.cols()), 0.0L);
  const auto add = [&](Index k, double value) { mass[static_cast<std::size_t>(k)] += value; };
  for (Index s = 0; s < mu.rows(); ++s) {
    if (mu.is_sparse()) {
      for (SparseMatrix::InnerIterator it(mu.sparse(), s); it; ++it)
        add(it.col(), it.value() * nu[s]);
    } else {
      for (Index k = 0; k < mu.cols(); ++k) add(k, mu.dense()(s, k) * nu[s]);
    }
  }
  Vector out(mu.cols());
  std::transform(mass.begin(), mass.end(), out.begin(),
                 [](long double m) { return static_cast<double>(m); });
  return out;
}

void require_rows_sum_to_one(const Kernel& kernel) {
  const Vector total = kernel.row_sums();
  Index worst = 0;
  const double off = (total.array() - 1).abs().maxCoeff(&worst);
  if (off <= tol::kSimplex) return;
  throw std::invalid_argument(fmt::format("kernel row {} sums to {}, not 1",
                                          pair_name(worst, kernel.actions()), total[worst]));
}

// Two non-negative factors are a proof; otherwise every entry is looked at, a slab at a time.
void require_non_negative(const Kernel& kernel) {
  if (kernel.phi().smallest() >= 0 && kernel.mu().smallest() >= 0) return;
  for (Index pair = 0; pair < kernel.pairs(); ++pair) {
    Index worst = 0;
    const double least = kernel.dense_row(pair).minCoeff(&worst);
    if (least >= -tol::kNonNegative) continue;
    throw std::invalid_argument(fmt::format("kernel has a negative probability {} at {}, s'={}",
                                            least, pair_name(pair, kernel.actions()), worst));
  }
}

}  // namespace

Kernel::Kernel(Index actions, Factor phi, Factor mu, Vector nu)
    : actions_(actions), phi_(std::move(phi)), mu_(std::move(mu)), nu_(std::move(nu)) {
  require(actions_ >= 1, "a kernel needs at least one action", actions_);
  require(states() >= 1, "a kernel needs at least one state", states());
  require(rank() >= 1, "a kernel needs rank d ≥ 1", rank());
  require(mu_.cols() == rank(), "phi and mu must have the same number of columns", mu_.cols());
  require(phi_.rows() == states() * actions_, "phi must have |S||A| rows", phi_.rows());
  require(nu_.size() == states(), "nu must have |S| entries", nu_.size());
  Index worst = 0;
  const double least = nu_.minCoeff(&worst);
  require(nu_.allFinite() && least > 0, fmt::format("nu must be positive, state {}", worst),
          nu_[worst]);
  require_rows_sum_to_one(*this);
  require_non_negative(*this);
}

Vector Kernel::row_sums() const { return phi_.times(total_mass(mu_, nu_)); }

Vector Kernel::dense_row(Index pair) const { return mu_.times(phi_.row(pair)).cwiseProduct(nu_); }

Matrix Kernel::dense() const {
  if (phi_.is_sparse() && mu_.is_sparse()) return Matrix(sparse());
  Matrix P = phi_.to_dense() * mu_.to_dense().transpose();
  P *= nu_.asDiagonal();
  return P;
}

Index Kernel::sparse_bound() const {
  Vector column = Vector::Zero(rank());  // number of states on which μ_k is not zero
  if (mu_.is_sparse()) {
    for (Index i = 0; i < mu_.sparse().nonZeros(); ++i)
      column[mu_.sparse().innerIndexPtr()[i]] += 1;
  } else {
    column.setConstant(static_cast<double>(states()));
  }
  if (!phi_.is_sparse()) return static_cast<Index>(static_cast<double>(pairs()) * column.sum());
  double bound = 0;
  for (Index i = 0; i < phi_.sparse().nonZeros(); ++i)
    bound += column[phi_.sparse().innerIndexPtr()[i]];
  return static_cast<Index>(std::min(bound, 1e18));
}

SparseMatrix Kernel::sparse() const {
  const SparseMatrix phi =
      phi_.is_sparse() ? phi_.sparse() : SparseMatrix(phi_.dense().sparseView());
  const SparseMatrix mu = mu_.is_sparse() ? mu_.sparse() : SparseMatrix(mu_.dense().sparseView());
  const SparseMatrix mu_nu = nu_.asDiagonal() * mu;
  SparseMatrix P = phi * SparseMatrix(mu_nu.transpose());
  P.prune([](Index, Index, double value) { return value != 0; });
  P.makeCompressed();
  return P;
}

}  // namespace speder

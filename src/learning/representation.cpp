#include "speder/learning/representation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "speder/core/check.hpp"

namespace speder {
namespace {

constexpr std::size_t kBlock = 512;  // candidates at a time: the work arrays stay in the L1 cache

Matrix doubled_grams(const FeatureClass& candidates) {
  const Index d = candidates.rank();
  Matrix grams(d * (d + 1) / 2, candidates.mu_count());
  for (Index j = 0; j < candidates.mu_count(); ++j) {
    const Matrix M = candidates.mu(j);
    const Matrix G = M.transpose() * candidates.nu().asDiagonal() * M;
    Index at = 0;
    for (Index k = 0; k < d; ++k) {
      for (Index l = k; l < d; ++l) grams(at++, j) = (k == l ? 1 : 2) * G(k, l);
    }
  }
  return grams;
}

using Four = Eigen::Array<double, 4, 1>;

// Four columns of one row of C, b the same columns of B in one piece: the sums stay in registers.
void add_strip(const double* a, const double* b, Index depth, double* c) {
  Four sum = Eigen::Map<const Four>(c);
  for (Index k = 0; k < depth; ++k) sum += a[k] * Eigen::Map<const Four>(b + 4 * k);
  Eigen::Map<Four>{c} = sum;
}

// The same for four rows, a of A and c of C being `a_step` and `c_step` apart.
void add_four_strips(const double* a, Index a_step, const double* b, Index depth, double* c,
                     Index c_step) {
  Four first = Eigen::Map<const Four>(c);
  Four second = Eigen::Map<const Four>(c + c_step);
  Four third = Eigen::Map<const Four>(c + 2 * c_step);
  Four fourth = Eigen::Map<const Four>(c + 3 * c_step);
  for (Index k = 0; k < depth; ++k) {
    const Eigen::Map<const Four> four(b + 4 * k);
    first += a[k] * four;
    second += a[k + a_step] * four;
    third += a[k + 2 * a_step] * four;
    fourth += a[k + 3 * a_step] * four;
  }
  Eigen::Map<Four>{c} = first;
  Eigen::Map<Four>{c + c_step} = second;
  Eigen::Map<Four>{c + 2 * c_step} = third;
  Eigen::Map<Four>{c + 3 * c_step} = fourth;
}

// C += A B, each entry summed in the order of k: Eigen's product splits k by the machine's caches.
void add_product(const Matrix& A, const Matrix& B, Eigen::Map<Matrix>& C) {
  const Index whole = C.cols() / 4 * 4;
  Eigen::Matrix<double, Eigen::Dynamic, 4, Eigen::RowMajor> strip(B.rows(), 4);
  for (Index j = 0; j < whole; j += 4) {
    strip = B.middleCols<4>(j);
    Index i = 0;
    for (; i + 4 <= C.rows(); i += 4) {
      add_four_strips(&A(i, 0), A.cols(), strip.data(), A.cols(), &C(i, j), C.cols());
    }
    for (; i < C.rows(); ++i) add_strip(&A(i, 0), strip.data(), A.cols(), &C(i, j));
  }
  for (Index i = 0; i < C.rows(); ++i) {
    for (Index j = whole; j < C.cols(); ++j) {
      for (Index k = 0; k < A.cols(); ++k) C(i, j) += A(i, k) * B(k, j);
    }
  }
}

}  // namespace

std::string_view to_string(Criterion criterion) {
  switch (criterion) {
    case Criterion::kLeastSquares:
      return "least-squares";
    case Criterion::kLikelihood:
      return "likelihood";
    case Criterion::kConstrained:
      return "constrained";
  }
  return "unknown";
}

Estimator::Estimator(const FeatureClass& candidates, Criterion criterion)
    : class_(&candidates),
      criterion_(criterion),
      loss_(static_cast<std::size_t>(candidates.size()), 0.0) {
  if (criterion == Criterion::kLikelihood) return;
  if (!candidates.is_product() && criterion != Criterion::kConstrained) return;
  gram_ = doubled_grams(candidates);
  moment_ = Matrix::Zero(candidates.phi_count(), gram_.rows());
}

void Estimator::add(const Step& step, double count) {
  require(0 <= step.pair && step.pair < class_->pairs(), "no such pair (s,a)", step.pair);
  require(0 <= step.next && step.next < class_->states(), "no such state", step.next);
  data_ += count;
  std::array<double, kBlock> f;
  std::array<double, kBlock> energy;
  for (std::size_t first = 0; first < loss_.size(); first += kBlock) {
    const std::size_t run = std::min(kBlock, loss_.size() - first);
    const auto begin = static_cast<Index>(first);
    double* loss = &loss_[first];
    class_->densities(step.pair, step.next, begin, {f.data(), run});
    if (criterion_ == Criterion::kLikelihood) {
      for (std::size_t i = 0; i < run; ++i) {
        loss[i] -= f[i] > 0 ? count * std::log(f[i]) : -std::numeric_limits<double>::infinity();
      }
    } else if (moment_.size() != 0) {
      for (std::size_t i = 0; i < run; ++i) loss[i] -= 2 * count * f[i];
    } else {
      class_->energies(step.pair, begin, {energy.data(), run});
      for (std::size_t i = 0; i < run; ++i) loss[i] += count * (energy[i] - 2 * f[i]);
    }
  }
  if (moment_.size() != 0) add_moment(step.pair, count);
}

void Estimator::add(const std::vector<CountedStep>& cells) {
  for (const CountedStep& cell : cells) add(cell.step, cell.count);
}

void Estimator::add_moment(Index x, double count) {
  std::vector<double> phi(static_cast<std::size_t>(class_->rank()));
  for (Index i = 0; i < moment_.rows(); ++i) {
    class_->phi_row(i, x, phi);
    Index at = 0;
    for (std::size_t k = 0; k < phi.size(); ++k) {
      for (std::size_t l = k; l < phi.size(); ++l) moment_(i, at++) += count * phi[k] * phi[l];
    }
  }
}

Vector Estimator::constraint_terms() const {
  const Index d = class_->rank();
  const double wanted = 1 / static_cast<double>(d);
  Vector terms = Vector::Zero(moment_.rows());
  if (data_ == 0) return terms;
  for (Index i = 0; i < terms.size(); ++i) {
    Index at = 0;
    for (Index k = 0; k < d; ++k) {
      for (Index l = k; l < d; ++l) {
        const double off = moment_(i, at++) / data_ - (k == l ? wanted : 0);
        terms[i] += (k == l ? 1 : 2) * off * off;
      }
    }
  }
  return data_ * kConstraintWeight * terms;
}

Vector Estimator::profile() const {
  Vector profile = Eigen::Map<const Vector>(loss_.data(), static_cast<Index>(loss_.size()));
  if (moment_.size() == 0) return profile;
  if (criterion_ == Criterion::kConstrained) {
    const Index d = class_->rank();
    const Vector penalty = constraint_terms();
    const Index mus = class_->is_product() ? gram_.cols() : 1;
    Vector trace = Vector::Zero(gram_.cols());  // n ∫μᵀμ/d
    for (Index k = 0, at = 0; k < d; at += d - k, ++k) {
      trace += data_ / static_cast<double>(d) * gram_.row(at).transpose();
    }
    for (Index c = 0; c < profile.size(); ++c) {
      profile[c] += penalty[c / mus] + trace[class_->is_product() ? c % mus : c];
    }
    return profile;
  }
  Eigen::Map<Matrix> table(profile.data(), moment_.rows(), gram_.cols());
  add_product(moment_, gram_, table);  // loss_{ij} += ⟨A_i, G_j⟩
  return profile;
}

Estimate Estimator::best() const {
  const auto lowest = [](const double* loss, std::size_t size) {
    const double* least = std::min_element(loss, loss + size);  // the first of equals
    return Estimate{static_cast<Index>(least - loss), *least};
  };
  if (moment_.size() == 0) return lowest(loss_.data(), loss_.size());
  const Vector all = profile();
  return lowest(all.data(), static_cast<std::size_t>(all.size()));
}

}  // namespace speder

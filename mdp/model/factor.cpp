#include "speder/mdp/model/factor.hpp"

#include <algorithm>
#include <cmath>

#include "speder/core/check.hpp"

namespace speder {
namespace {

// The least entry, in the pass that refuses what is not finite: 0·x is NaN exactly then, so one sum tells for the
// whole table. Eight sums side by side, since one alone waits for each addition.
double least_of_finite(const double* data, Index n) {
  constexpr Index kSide = 8;
  using Side = Eigen::Array<double, kSide, 1>;
  Side probes = Side::Zero();
  Side least = Side::Constant(INFINITY);
  Index i = 0;
  for (; i + kSide <= n; i += kSide) {
    const Eigen::Map<const Side> x(data + i);
    probes += 0.0 * x;
    least = least.min(x);
  }
  double probe = probes.sum();
  double smallest = least.minCoeff();
  for (; i < n; ++i) {
    probe += 0.0 * data[i];
    smallest = std::min(smallest, data[i]);
  }
  require(probe == 0, "a factor must be finite");
  return smallest;
}

}  // namespace

Factor::Factor(Matrix table) : table_(std::move(table)) {
  smallest_ = least_of_finite(dense().data(), dense().size());
}

Factor::Factor(LentTable table) : table_(std::move(table)) {
  smallest_ = least_of_finite(dense().data(), dense().size());
}

Factor::Factor(SparseMatrix table) : table_(std::move(table)) {
  std::get<SparseMatrix>(table_).makeCompressed();
  smallest_ = least_of_finite(sparse().valuePtr(), sparse().nonZeros());
  if (sparse().nonZeros() < rows() * cols()) smallest_ = std::min(smallest_, 0.0);
}

Index Factor::rows() const { return is_sparse() ? sparse().rows() : dense().rows(); }
Index Factor::cols() const { return is_sparse() ? sparse().cols() : dense().cols(); }
Index Factor::nonzeros() const { return is_sparse() ? sparse().nonZeros() : dense().size(); }

Matrix Factor::to_dense() const { return is_sparse() ? Matrix(sparse()) : Matrix(dense()); }

Vector Factor::row(Index i) const {
  if (!is_sparse()) return dense().row(i).transpose();
  return Vector(Eigen::RowVectorXd(sparse().row(i)).transpose());
}

double Factor::row_dot(Index i, const Vector& w) const {
  if (!is_sparse()) return dense().row(i).dot(w);
  double sum = 0;
  for (SparseMatrix::InnerIterator it(sparse(), i); it; ++it) sum += it.value() * w[it.col()];
  return sum;
}

double Factor::row_norm(Index i) const {
  return is_sparse() ? sparse().row(i).norm() : dense().row(i).norm();
}

Vector Factor::times(const Vector& w) const {
  return is_sparse() ? Vector(sparse() * w) : Vector(dense() * w);
}
Vector Factor::transpose_times(const Vector& v) const {
  return is_sparse() ? Vector(sparse().transpose() * v) : Vector(dense().transpose() * v);
}

Matrix Factor::gram(const Vector& weights) const {
  if (!is_sparse()) {  // slabs of rows: no weighted copy of the table
    constexpr Index kSlab = 1024;
    Matrix G = Matrix::Zero(cols(), cols());
    for (Index start = 0; start < rows(); start += kSlab) {
      const Index n = std::min(kSlab, rows() - start);
      const auto slab = dense().middleRows(start, n);
      G.noalias() += slab.transpose() * (weights.segment(start, n).asDiagonal() * slab);
    }
    return G;
  }
  const SparseMatrix weighted = weights.asDiagonal() * sparse();
  return Matrix(SparseMatrix(sparse().transpose() * weighted));
}

}  // namespace speder

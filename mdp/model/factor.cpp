#include "speder/mdp/model/factor.hpp"

#include <algorithm>
#include <cmath>

#include "speder/core/check.hpp"

namespace speder {
namespace {

// 0·x is NaN exactly when x is not finite, so one sum tells for the whole table.
bool all_finite(const double* data, Index n) {
  double probe = 0;
  for (Index i = 0; i < n; ++i) probe += 0.0 * data[i];
  return probe == 0;
}

}  // namespace

Factor::Factor(Matrix table) : table_(std::move(table)) {
  require(all_finite(dense().data(), dense().size()), "a factor must be finite");
}

Factor::Factor(SparseMatrix table) : table_(std::move(table)) {
  std::get<SparseMatrix>(table_).makeCompressed();
  require(all_finite(sparse().valuePtr(), sparse().nonZeros()), "a factor must be finite");
}

Index Factor::rows() const {
  return std::visit([](const auto& t) { return t.rows(); }, table_);
}
Index Factor::cols() const {
  return std::visit([](const auto& t) { return t.cols(); }, table_);
}
Index Factor::nonzeros() const { return is_sparse() ? sparse().nonZeros() : dense().size(); }

Matrix Factor::to_dense() const { return is_sparse() ? Matrix(sparse()) : dense(); }

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
  return std::visit([&](const auto& t) -> Vector { return t * w; }, table_);
}
Vector Factor::transpose_times(const Vector& v) const {
  return std::visit([&](const auto& t) -> Vector { return t.transpose() * v; }, table_);
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

double Factor::smallest() const {
  if (!is_sparse()) return dense().size() > 0 ? dense().minCoeff() : 0.0;
  double least = sparse().nonZeros() < rows() * cols() ? 0.0 : INFINITY;
  for (Index i = 0; i < sparse().nonZeros(); ++i) least = std::min(least, sparse().valuePtr()[i]);
  return least;
}

}  // namespace speder

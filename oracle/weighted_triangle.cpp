#include "speder/oracle/weighted_triangle.hpp"

#include <Eigen/QR>
#include <algorithm>

#include "speder/core/check.hpp"
#include "speder/core/eigen_instances.hpp"

namespace speder {
namespace {

using ColumnMatrix = Eigen::MatrixXd;

Matrix rows_of(const Factor& F, Index first, Index count) {
  if (F.is_sparse()) return Matrix(SparseMatrix(F.sparse().middleRows(first, count)));
  return F.dense().middleRows(first, count);
}

void require_weights(const Vector& weights, Index rows) {
  require(weights.size() == rows, "one weight per row", weights.size());
  require(weights.allFinite() && weights.minCoeff() >= 0, "weights must be non-negative",
          weights.minCoeff());
}

// R ← triangle of [R; √w B], a block of rows at a time.
template <class Block>
Matrix triangle(Index cols, const Vector& weights, const Block& block) {
  const Index n = weights.size();
  const Index step = std::max<Index>(256, 4 * cols);
  Matrix R = Matrix::Zero(cols, cols);
  for (Index first = 0; first < n; first += step) {
    const Index count = std::min(step, n - first);
    ColumnMatrix stack(cols + count, cols);
    stack.topRows(cols) = R;
    stack.bottomRows(count) =
        weights.segment(first, count).cwiseSqrt().asDiagonal() * block(first, count);
    const Eigen::HouseholderQR<ColumnMatrix> qr(stack);
    R = qr.matrixQR().topRows(cols).template triangularView<Eigen::Upper>();
  }
  return R;
}

}  // namespace

Matrix weighted_triangle(const Factor& F, const Vector& weights) {
  require_weights(weights, F.rows());
  return triangle(F.cols(), weights,
                  [&](Index first, Index count) { return rows_of(F, first, count); });
}

Matrix weighted_triangle(const Factor& F, const Factor& minus_G, const Vector& weights) {
  require_weights(weights, F.rows());
  require(F.rows() == minus_G.rows(), "both tables need the same rows", minus_G.rows());
  return triangle(F.cols() + minus_G.cols(), weights, [&](Index first, Index count) {
    Matrix both(count, F.cols() + minus_G.cols());
    both << rows_of(F, first, count), -rows_of(minus_G, first, count);
    return both;
  });
}

}  // namespace speder

#pragma once

#include <memory>
#include <variant>

#include "speder/core/types.hpp"

namespace speder {

/// A dense table in the memory of someone else, row after row.
struct LentTable {
  const double* data = nullptr;
  Index rows = 0;
  Index cols = 0;
  std::shared_ptr<const void> owner;  // keeps the memory
};

/// One side of a factorisation: the rows φ(s,a) (SA × d) or μ(s') (S × d), held dense or sparse.
/// Immutable after construction; every entry is finite. A table that was lent is read where it lies: its
/// owner writes to it no more.
class Factor {
 public:
  Factor(Matrix table);        // NOLINT(google-explicit-constructor): a table is a factor
  Factor(SparseMatrix table);  // NOLINT(google-explicit-constructor)
  explicit Factor(LentTable table);

  [[nodiscard]] Index rows() const;
  [[nodiscard]] Index cols() const;
  [[nodiscard]] Index nonzeros() const;
  [[nodiscard]] bool is_sparse() const { return std::holds_alternative<SparseMatrix>(table_); }
  [[nodiscard]] Eigen::Map<const Matrix> dense() const {
    if (const auto* own = std::get_if<Matrix>(&table_))
      return {own->data(), own->rows(), own->cols()};
    const auto& lent = std::get<LentTable>(table_);
    return {lent.data, lent.rows, lent.cols};
  }
  [[nodiscard]] const SparseMatrix& sparse() const { return std::get<SparseMatrix>(table_); }
  [[nodiscard]] Matrix to_dense() const;

  [[nodiscard]] Vector row(Index i) const;
  [[nodiscard]] double row_dot(Index i, const Vector& w) const;  // ⟨F_i, w⟩
  [[nodiscard]] double row_norm(Index i) const;                  // ‖F_i‖₂
  [[nodiscard]] Vector times(const Vector& w) const;             // F w
  [[nodiscard]] Vector transpose_times(const Vector& v) const;   // Fᵀ v
  [[nodiscard]] Matrix gram(const Vector& weights) const;        // Fᵀ diag(weights) F   (d × d)
  // Least entry, absent entries of a sparse table included.
  [[nodiscard]] double smallest() const { return smallest_; }

 private:
  std::variant<Matrix, SparseMatrix, LentTable> table_;
  double smallest_ = 0;
};

}  // namespace speder

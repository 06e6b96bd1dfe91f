#pragma once

#include <variant>

#include "speder/core/types.hpp"

namespace speder {

/// One side of a factorisation: the rows φ(s,a) (SA × d) or μ(s') (S × d), held dense or sparse.
/// Immutable after construction; every entry is finite.
class Factor {
 public:
  Factor(Matrix table);        // NOLINT(google-explicit-constructor): a table is a factor
  Factor(SparseMatrix table);  // NOLINT(google-explicit-constructor)

  [[nodiscard]] Index rows() const;
  [[nodiscard]] Index cols() const;
  [[nodiscard]] Index nonzeros() const;
  [[nodiscard]] bool is_sparse() const { return std::holds_alternative<SparseMatrix>(table_); }
  [[nodiscard]] const Matrix& dense() const { return std::get<Matrix>(table_); }
  [[nodiscard]] const SparseMatrix& sparse() const { return std::get<SparseMatrix>(table_); }
  [[nodiscard]] Matrix to_dense() const;

  [[nodiscard]] Vector row(Index i) const;
  [[nodiscard]] double row_dot(Index i, const Vector& w) const;  // ⟨F_i, w⟩
  [[nodiscard]] double row_norm(Index i) const;                  // ‖F_i‖₂
  [[nodiscard]] Vector times(const Vector& w) const;             // F w
  [[nodiscard]] Vector transpose_times(const Vector& v) const;   // Fᵀ v
  [[nodiscard]] Matrix gram(const Vector& weights) const;        // Fᵀ diag(weights) F   (d × d)
  [[nodiscard]] double smallest() const;  // least entry, absent entries of a sparse table included

 private:
  std::variant<Matrix, SparseMatrix> table_;
};

}  // namespace speder

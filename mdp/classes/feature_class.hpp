#pragma once

#include <span>
#include <vector>

#include "speder/core/types.hpp"
#include "speder/mdp/model/factor_table.hpp"
#include "speder/mdp/model/kernel.hpp"

namespace speder {

/// What all candidates of a class share.
struct ClassShape {
  Index actions = 0;
  Index rank = 0;  // d
  Vector nu;       // (S)  base measure
  [[nodiscard]] Index states() const { return nu.size(); }
  [[nodiscard]] Index pairs() const { return nu.size() * actions; }
};

/// F = {f_c : f_c(x,y) = ⟨φ_c(x), μ_c(y)⟩}: a finite class of kernels of one shape, x = (s,a), y =
/// s', densities with respect to ν. Every candidate is a valid kernel (checked when it is put in).
/// Candidates are held factored; a product class Φ × Ψ holds its two sides once and numbers its
/// members c = i·|Ψ| + j. Immutable; carries no word on which candidate is the truth.
class FeatureClass {
 public:
  /// A class of the given kernels in the given order.
  static FeatureClass of(std::span<const Kernel> kernels);
  /// Φ × Ψ. Every φ must have rows in the simplex and every μ columns that are densities, which
  /// makes every pair a kernel.
  static FeatureClass product(ClassShape shape, std::span<const Matrix> phi,
                              std::span<const Matrix> mu);

  [[nodiscard]] Index size() const { return product_ ? phi_.count() * mu_.count() : phi_.count(); }
  [[nodiscard]] Index states() const { return shape_.states(); }
  [[nodiscard]] Index actions() const { return shape_.actions; }
  [[nodiscard]] Index pairs() const { return shape_.pairs(); }
  [[nodiscard]] Index rank() const { return shape_.rank; }
  [[nodiscard]] const Vector& nu() const { return shape_.nu; }
  [[nodiscard]] bool is_product() const { return product_; }
  [[nodiscard]] Index phi_count() const { return phi_.count(); }
  [[nodiscard]] Index mu_count() const { return mu_.count(); }
  [[nodiscard]] ClassPrecision precision() const { return phi_.precision(); }
  [[nodiscard]] std::size_t bytes() const;

  [[nodiscard]] Matrix phi(Index c) const;  // (SA × d)
  [[nodiscard]] Matrix mu(Index c) const;   // (S × d)
  [[nodiscard]] Kernel kernel(Index c) const;
  /// φ_i(x), i < phi_count().
  void phi_row(Index i, Index x, std::span<double> out) const { phi_.get_row(i, x, out); }

  /// out[i] = f_c(x, y), c = first + i.                                     O(out.size() · d)
  void densities(Index x, Index y, Index first, std::span<double> out) const;
  /// out[i] = ∑_y f_c(x,y)² ν(y) = φ_c(x)ᵀ G_c φ_c(x), G_c = ∑_y μ_c μ_cᵀ ν.  A look-up, except in
  /// a product class, where it costs O(d²) a candidate.
  void energies(Index x, Index first, std::span<double> out) const;

 private:
  friend class FeatureClassBuilder;
  FeatureClass() = default;
  void product_row(Index i, Index x, Index y, Index j, std::span<double> out) const;

  ClassShape shape_;
  bool product_ = false;
  FactorTable phi_;
  FactorTable mu_;              // kFloat: the masses μ ν, otherwise μ
  Vector scale_;                // (S)  f = scale(y) ⟨phi_, mu_⟩: 1, or 1/ν in kFloat
  std::vector<double> energy_;  // [x·|F| + c], empty for a product class
};

/// Fills a class block by block, so that no second copy is ever held.
class FeatureClassBuilder {
 public:
  FeatureClassBuilder(ClassShape shape, Index size);
  /// Single precision; `anchor` is a member (mixture form: rows of φ in the simplex, columns of μ
  /// densities) that is to be held to full double precision.
  FeatureClassBuilder(ClassShape shape, Index size, const Kernel& anchor);

  /// In kFloat the candidate moves to the nearest point of the grid.
  void snap(Matrix& phi, Matrix& mu) const;
  /// Candidates first, first + 1, …. Throws std::invalid_argument, naming the candidate, unless it
  /// is a kernel. Disjoint blocks may be put from several threads.
  void put(Index first, std::span<const Matrix> phi, std::span<const Matrix> mu);
  [[nodiscard]] FeatureClass finish() &&;

  /// Bytes of a class of this shape and size.
  static std::size_t bytes_needed(const ClassShape& shape, Index size, ClassPrecision precision);

 private:
  FeatureClass class_;
  Matrix phi_offset_;  // kFloat only
  Matrix mu_offset_;   // of the masses
};

/// Rows of φ in the simplex and columns of μ densities: then any convex mixture of φ's and any of
/// μ's is a kernel again.
[[nodiscard]] bool has_mixture_form(const Matrix& phi, const Matrix& mu, const Vector& nu);

}  // namespace speder

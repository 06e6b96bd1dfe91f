#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "speder/core/types.hpp"

namespace speder {

/// How the numbers of a class are held.
///   kDouble  as given.
///   kFloat   entry = offset + float, where the float is a multiple of 2⁻²⁴ and the offset (double,
///            in [0, 2⁻²⁴)) is shared by all candidates: a member whose own sub-grid digits are the
///            offset is held exactly, and rows (or columns) sum to one exactly for every candidate.
enum class ClassPrecision { kDouble, kFloat };
[[nodiscard]] std::string_view to_string(ClassPrecision precision);

/// One side of every candidate: the rows φ_c(x) or μ_c(y). Candidates are innermost, entry
/// (row,k,c) at [(row·d + k)·count + c], so that ⟨φ_c(x), μ_c(y)⟩ for all c is one streaming pass.
class FactorTable {
 public:
  FactorTable() = default;
  FactorTable(Index rows, Index rank, Index count);                 // kDouble
  FactorTable(Index rows, Index rank, Index count, Matrix offset);  // kFloat, offset (rows × d)
  /// kDouble, each candidate's table in one piece: for get and get_row, not for dot and dot_with.
  static FactorTable by_candidate(Index rows, Index rank, Index count);

  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index rank() const { return rank_; }
  [[nodiscard]] Index count() const { return count_; }
  [[nodiscard]] ClassPrecision precision() const {
    return singles_.empty() ? ClassPrecision::kDouble : ClassPrecision::kFloat;
  }
  [[nodiscard]] std::size_t bytes() const {
    return doubles_.size() * sizeof(double) + singles_.size() * sizeof(float);
  }

  /// Candidates first, first + 1, …; in kFloat every entry must be offset + a multiple of 2⁻²⁴.
  void put(Index first, std::span<const Matrix> tables);
  [[nodiscard]] Matrix get(Index candidate) const;  // (rows × d)
  /// F_c(row) for one candidate.
  void get_row(Index candidate, Index row, std::span<double> out) const;

  /// out[i] = ⟨phi_{first+i}(x), mu_{first+i}(y)⟩.
  static void dot(const FactorTable& phi, Index x, const FactorTable& mu, Index y, Index first,
                  std::span<double> out);
  /// out[i] = ⟨w, F_{first+i}(row)⟩ with one vector w for all.
  void dot_with(std::span<const double> w, Index row, Index first, std::span<double> out) const;

 private:
  [[nodiscard]] std::size_t at(Index row, Index k, Index candidate) const {
    return static_cast<std::size_t>(row * row_step_ + k * k_step_ + candidate * candidate_step_);
  }
  Index rows_ = 0;
  Index rank_ = 0;
  Index count_ = 0;
  Index row_step_ = 0, k_step_ = 0, candidate_step_ = 1;
  std::vector<double> doubles_;
  std::vector<float> singles_;
  Matrix offset_;  // (rows × d), kFloat only
};

/// The grid of kFloat: 2⁻²⁴, so that a multiple in [0,1] is a float and a product of two a double.
inline constexpr double kClassGrid = 0x1.0p-24;

/// p = offset + grid part, 0 ≤ offset < grid, exactly.
[[nodiscard]] Matrix grid_offset(const Matrix& p);
/// The point of {offset + multiples of the grid} near the distribution p whose entries sum to the
/// same total as a distribution with that offset: errors are carried forward, never dropped.
void snap_distribution(Eigen::Ref<Vector> p, const Eigen::Ref<const Vector>& offset);

}  // namespace speder

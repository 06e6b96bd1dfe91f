#pragma once

#include <cstddef>
#include <vector>

#include "speder/experiments/audit/objects/scalar.hpp"

namespace speder::audit {

/// Small dense matrix over any number type (at most a few hundred entries), row-major.
template <class T>
class Table {
 public:
  Table() = default;
  Table(int rows, int cols, const T& value = T(0))
      : rows_(rows),
        cols_(cols),
        values_(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols), value) {}

  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] int cols() const { return cols_; }
  [[nodiscard]] bool empty() const { return values_.empty(); }
  [[nodiscard]] T& operator()(int i, int j) { return values_[at(i, j)]; }
  [[nodiscard]] const T& operator()(int i, int j) const { return values_[at(i, j)]; }
  [[nodiscard]] T& operator()(int i) { return values_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] const T& operator()(int i) const { return values_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] int size() const { return static_cast<int>(values_.size()); }

 private:
  [[nodiscard]] std::size_t at(int i, int j) const {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(cols_) +
           static_cast<std::size_t>(j);
  }
  int rows_ = 0;
  int cols_ = 0;
  std::vector<T> values_;
};

template <class T>
using Column = Table<T>;  // (k × 1)

template <class T>
[[nodiscard]] Table<T> identity(int k, const T& diagonal = T(1)) {
  Table<T> I(k, k);
  for (int i = 0; i < k; ++i) I(i, i) = diagonal;
  return I;
}
template <class T>
[[nodiscard]] Table<T> operator*(const Table<T>& A, const Table<T>& B) {
  Table<T> C(A.rows(), B.cols());
  for (int i = 0; i < A.rows(); ++i) {
    for (int k = 0; k < A.cols(); ++k) {
      if (surely_zero(A(i, k))) continue;
      for (int j = 0; j < B.cols(); ++j) C(i, j) = C(i, j) + A(i, k) * B(k, j);
    }
  }
  return C;
}
template <class T>
[[nodiscard]] Table<T> operator+(Table<T> A, const Table<T>& B) {
  for (int i = 0; i < A.size(); ++i) A(i) = A(i) + B(i);
  return A;
}
template <class T>
[[nodiscard]] Table<T> operator-(Table<T> A, const Table<T>& B) {
  for (int i = 0; i < A.size(); ++i) A(i) = A(i) - B(i);
  return A;
}
template <class T>
[[nodiscard]] Table<T> scaled(Table<T> A, const T& factor) {
  for (int i = 0; i < A.size(); ++i) A(i) = A(i) * factor;
  return A;
}
template <class T>
[[nodiscard]] Table<T> transposed(const Table<T>& A) {
  Table<T> B(A.cols(), A.rows());
  for (int i = 0; i < A.rows(); ++i) {
    for (int j = 0; j < A.cols(); ++j) B(j, i) = A(i, j);
  }
  return B;
}
template <class T>
[[nodiscard]] T dot(const Table<T>& x, const Table<T>& y) {
  T sum = T(0);
  for (int i = 0; i < x.size(); ++i) sum = sum + x(i) * y(i);
  return sum;
}
template <class T>
[[nodiscard]] T sum(const Table<T>& x) {
  T total = T(0);
  for (int i = 0; i < x.size(); ++i) total = total + x(i);
  return total;
}
template <class T>
[[nodiscard]] T trace(const Table<T>& A) {
  T total = T(0);
  for (int i = 0; i < A.rows(); ++i) total = total + A(i, i);
  return total;
}
template <class T>
[[nodiscard]] T max_abs(const Table<T>& x) {
  T worst = T(0);
  for (int i = 0; i < x.size(); ++i) worst = max(worst, abs(x(i)));
  return worst;
}
template <class T>
[[nodiscard]] Table<T> row(const Table<T>& A, int i) {
  Table<T> r(A.cols(), 1);
  for (int j = 0; j < A.cols(); ++j) r(j) = A(i, j);
  return r;
}

/// A X = B by elimination with row pivoting. False when a pivot may be zero.
template <class T>
[[nodiscard]] bool eliminate(Table<T>& A, Table<T>& B) {
  const int k = A.rows();
  for (int c = 0; c < k; ++c) {
    int pivot = c;
    for (int i = c + 1; i < k; ++i) {
      if (std::abs(to_double(A(i, c))) > std::abs(to_double(A(pivot, c)))) pivot = i;
    }
    if (to_double(A(pivot, c)) == 0) return false;
    for (int j = 0; j < k; ++j) std::swap(A(c, j), A(pivot, j));
    for (int j = 0; j < B.cols(); ++j) std::swap(B(c, j), B(pivot, j));
    for (int i = 0; i < k; ++i) {
      if (i == c || surely_zero(A(i, c))) continue;
      const T factor = A(i, c) / A(c, c);
      for (int j = c; j < k; ++j) A(i, j) = A(i, j) - factor * A(c, j);
      for (int j = 0; j < B.cols(); ++j) B(i, j) = B(i, j) - factor * B(c, j);
    }
  }
  for (int i = 0; i < k; ++i) {
    for (int j = 0; j < B.cols(); ++j) B(i, j) = B(i, j) / A(i, i);
  }
  return true;
}
/// A⁻¹B; a singular A gives entries that are not numbers (double) or throws (Exact).
template <class T>
[[nodiscard]] Table<T> solve(Table<T> A, Table<T> B) {
  if (!eliminate(A, B)) B = scaled(B, T(1) / T(0));
  return B;
}
template <class T>
[[nodiscard]] T determinant(Table<T> A) {  // positive definite A: no pivoting needed
  T product = T(1);
  for (int c = 0; c < A.rows(); ++c) {
    product = product * A(c, c);
    for (int i = c + 1; i < A.rows(); ++i) {
      if (surely_zero(A(i, c))) continue;
      const T factor = A(i, c) / A(c, c);
      for (int j = c; j < A.rows(); ++j) A(i, j) = A(i, j) - factor * A(c, j);
    }
  }
  return product;
}

}  // namespace speder::audit

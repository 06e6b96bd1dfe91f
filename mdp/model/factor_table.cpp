#include "speder/mdp/model/factor_table.hpp"

#include <algorithm>
#include <cmath>

#include "speder/core/check.hpp"

namespace speder {
namespace {

// out[i] += (phi[i] + p)(mu[i] + m); the order of summation over k is fixed, so every build gives the
// same digits.
void accumulate(const double* phi, const double* mu, std::span<double> out) {
  const auto size = static_cast<Index>(out.size());
  Eigen::Map<Vector>(out.data(), size) +=
      Eigen::Map<const Vector>(phi, size).cwiseProduct(Eigen::Map<const Vector>(mu, size));
}

void accumulate(const float* phi, double p, const float* mu, double m, std::span<double> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] += (static_cast<double>(phi[i]) + p) * (static_cast<double>(mu[i]) + m);
  }
}

}  // namespace

std::string_view to_string(ClassPrecision precision) {
  return precision == ClassPrecision::kDouble ? "double" : "float";
}

FactorTable::FactorTable(Index rows, Index rank, Index count)
    : rows_(rows),
      rank_(rank),
      count_(count),
      row_step_(rank * count),
      k_step_(count),
      doubles_(static_cast<std::size_t>(rows * rank * count)) {}

FactorTable::FactorTable(Index rows, Index rank, Index count, Matrix offset)
    : rows_(rows),
      rank_(rank),
      count_(count),
      row_step_(rank * count),
      k_step_(count),
      singles_(static_cast<std::size_t>(rows * rank * count)),
      offset_(std::move(offset)) {
  require(offset_.rows() == rows && offset_.cols() == rank, "offset must be rows × d");
}

FactorTable FactorTable::by_candidate(Index rows, Index rank, Index count) {
  FactorTable made(rows, rank, count);
  made.row_step_ = rank;
  made.k_step_ = 1;
  made.candidate_step_ = rows * rank;
  return made;
}

void FactorTable::put(Index first, std::span<const Matrix> tables) {
  for (Index row = 0; row < rows_; ++row) {
    for (Index k = 0; k < rank_; ++k) {
      std::size_t target = at(row, k, first);
      for (const Matrix& table : tables) {
        if (singles_.empty()) {
          doubles_[target] = table(row, k);
        } else {
          const double units = std::round((table(row, k) - offset_(row, k)) / kClassGrid);
          singles_[target] = static_cast<float>(units * kClassGrid);
        }
        target += static_cast<std::size_t>(candidate_step_);
      }
    }
  }
}

void FactorTable::get_row(Index candidate, Index row, std::span<double> out) const {
  if (k_step_ == 1 && singles_.empty()) {
    std::copy_n(&doubles_[at(row, 0, candidate)], rank_, out.begin());
    return;
  }
  for (Index k = 0; k < rank_; ++k) {
    const std::size_t i = at(row, k, candidate);
    out[static_cast<std::size_t>(k)] =
        singles_.empty() ? doubles_[i] : static_cast<double>(singles_[i]) + offset_(row, k);
  }
}

Matrix FactorTable::get(Index candidate) const {
  Matrix table(rows_, rank_);
  for (Index row = 0; row < rows_; ++row) {
    get_row(candidate, row, {&table(row, 0), static_cast<std::size_t>(rank_)});
  }
  return table;
}

void FactorTable::dot(const FactorTable& phi, Index x, const FactorTable& mu, Index y, Index first,
                      std::span<double> out) {
  std::fill(out.begin(), out.end(), 0.0);
  for (Index k = 0; k < phi.rank_; ++k) {
    const std::size_t a = phi.at(x, k, first);
    const std::size_t b = mu.at(y, k, first);
    if (phi.singles_.empty()) {
      accumulate(&phi.doubles_[a], &mu.doubles_[b], out);
    } else {
      accumulate(&phi.singles_[a], phi.offset_(x, k), &mu.singles_[b], mu.offset_(y, k), out);
    }
  }
}

void FactorTable::dot_with(std::span<const double> w, Index row, Index first,
                           std::span<double> out) const {
  std::fill(out.begin(), out.end(), 0.0);
  for (Index k = 0; k < rank_; ++k) {
    const double* column = &doubles_[at(row, k, first)];
    const auto size = static_cast<Index>(out.size());
    Eigen::Map<Vector>(out.data(), size) +=
        w[static_cast<std::size_t>(k)] * Eigen::Map<const Vector>(column, size);
  }
}

Matrix grid_offset(const Matrix& p) {
  return p.unaryExpr([](double v) { return v - std::floor(v / kClassGrid) * kClassGrid; });
}

void snap_distribution(Eigen::Ref<Vector> p, const Eigen::Ref<const Vector>& offset) {
  const auto units = std::llround((1 - offset.sum()) / kClassGrid);
  double wanted = 0;  // units asked for so far; a multiple of the grid is met exactly
  std::int64_t given = 0;
  for (Index i = 0; i < p.size(); ++i) {
    wanted += (p[i] - offset[i]) / kClassGrid;
    const std::int64_t take = std::max<std::int64_t>(0, std::llround(wanted) - given);
    given += take;
    p[i] = static_cast<double>(take);
  }
  Index largest = 0;
  p.maxCoeff(&largest);
  p[largest] += static_cast<double>(units - given);
  p = p * kClassGrid + offset;
}

}  // namespace speder

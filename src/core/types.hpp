#pragma once

#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <cstdint>

namespace speder {

using Index = Eigen::Index;
using Vector = Eigen::VectorXd;
// Row-major: the feature φ(s,a) is one contiguous row, in memory and in the files.
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using SparseMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor, std::int32_t>;

enum class StateId : std::int32_t {};
enum class ActionId : std::int32_t {};

[[nodiscard]] constexpr Index index(StateId s) { return static_cast<Index>(s); }
[[nodiscard]] constexpr Index index(ActionId a) { return static_cast<Index>(a); }
[[nodiscard]] constexpr StateId state(Index s) { return static_cast<StateId>(s); }
[[nodiscard]] constexpr ActionId action(Index a) { return static_cast<ActionId>(a); }

/// Row of (s,a) in every table over state-action pairs.
[[nodiscard]] constexpr Index pair_index(Index s, Index a, Index actions) {
  return s * actions + a;
}
[[nodiscard]] constexpr Index pair_index(StateId s, ActionId a, Index actions) {
  return pair_index(index(s), index(a), actions);
}

}  // namespace speder

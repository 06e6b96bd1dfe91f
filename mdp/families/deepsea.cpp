// deepsea: DeepSea (Osband et al. 2019) as a continuing MDP. Cell (row, column) of an N × N grid is
// state row·N + column; each step goes one row down and one column left or right (kept inside the
// grid); after the last row the diver is back at (0, 0), the start. Moving right at the bottom
// right corner finds the treasure, reward 1. The original charges cost/N for each move right; to
// stay in [0,1] each move left earns cost/N instead (every path of N moves shifts by `cost`): DEVIATION-7.
// Which action is right is drawn per cell when `shuffle` = 1.
#include <cmath>

#include "speder/core/check.hpp"
#include "speder/mdp/families/generators.hpp"
#include "speder/mdp/families/tabular.hpp"

namespace speder {
namespace {

constexpr Index kDefaultSize = 8;

Index grid_size(const InstanceSpec& spec) {
  const Index size = whole_knob(spec, "size");
  const auto root = static_cast<Index>(std::llround(std::sqrt(static_cast<double>(spec.states))));
  const Index N = size > 0 ? size : spec.states > 0 ? root : kDefaultSize;
  if (N < 2 || (spec.states > 0 && N * N != spec.states)) {
    throw InputError(fmt::format(
        "family deepsea: states must be N * N with N >= 2 (knob size), got states {} and size {}",
        spec.states, size));
  }
  return N;
}

}  // namespace

TabularMdp make_deepsea(const InstanceSpec& spec, const SeedTree& seeds) {
  const Index N = grid_size(spec);
  const Index A = derived_size(spec, "the number of actions", spec.actions, 2);
  // Rows 1 … N−1 and the start are reached, plus the reward's own coordinate.
  (void)derived_size(spec, "rank (= N * (N - 1) + 2)", spec.rank, N * (N - 1) + 2);
  const bool shuffle = whole_knob(spec, "shuffle") == 1;
  const double decoy = spec.knob("cost") / static_cast<double>(N);
  SparseMatrix P(N * N * A, N * N);
  P.reserve(Eigen::VectorXi::Ones(N * N * A));
  Vector reward = Vector::Zero(N * N * A);
  for (Index s = 0; s < N * N; ++s) {
    const Index row = s / N;
    const Index column = s % N;
    const Index right = shuffle ? seeds.stream("right", static_cast<std::uint64_t>(s)).index(2) : 1;
    for (Index a = 0; a < A; ++a) {
      const Index next = a == right ? std::min(column + 1, N - 1) : std::max<Index>(column - 1, 0);
      P.insert(pair_index(s, a, A), row + 1 < N ? (row + 1) * N + next : 0) = 1;
      reward[pair_index(s, a, A)] = a == right ? (s == N * N - 1 ? 1.0 : 0.0) : decoy;
    }
  }
  return assemble(spec, tabular_blueprint(P, std::move(reward), Vector::Unit(N * N, 0)));
}

}  // namespace speder

#include "speder/mdp/families/tabular.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace speder {
namespace {

using Entry = Eigen::Triplet<double, std::int32_t>;

// s' → its feature coordinate, −1 for a state no pair leads to.
std::vector<std::int32_t> reached_coordinates(const SparseMatrix& P) {
  std::vector<std::int32_t> coordinate(static_cast<std::size_t>(P.cols()), -1);
  for (Index i = 0; i < P.rows(); ++i)
    for (SparseMatrix::InnerIterator it(P, i); it; ++it)
      if (it.value() != 0) coordinate[static_cast<std::size_t>(it.col())] = 0;
  std::int32_t n = 0;
  for (auto& c : coordinate)
    if (c == 0) c = n++;
  return coordinate;
}

SparseMatrix from_entries(Index rows, Index cols, const std::vector<Entry>& entries) {
  SparseMatrix out(rows, cols);
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

}  // namespace

Blueprint tabular_blueprint(const SparseMatrix& P, Vector reward, Vector rho) {
  const std::vector<std::int32_t> coordinate = reached_coordinates(P);
  const std::int32_t n = *std::max_element(coordinate.begin(), coordinate.end()) + 1;
  const double d = n + 1;
  std::vector<Entry> phi;
  std::vector<Entry> mu;
  for (std::int32_t i = 0; i < P.rows(); ++i) {
    for (SparseMatrix::InnerIterator it(P, i); it; ++it)
      if (it.value() != 0)
        phi.emplace_back(i, coordinate[static_cast<std::size_t>(it.col())],
                         std::sqrt(n / d) * it.value());
    if (reward[i] != 0) phi.emplace_back(i, n, reward[i] / std::sqrt(d));
  }
  for (std::int32_t s = 0; s < P.cols(); ++s) {
    const std::int32_t k = coordinate[static_cast<std::size_t>(s)];
    if (k >= 0) mu.emplace_back(s, k, std::sqrt(d / n));
  }
  Vector theta = Vector::Zero(n + 1);
  theta[n] = std::sqrt(d);
  return {.phi = from_entries(P.rows(), n + 1, phi),
          .mu = from_entries(P.cols(), n + 1, mu),
          .theta = std::move(theta),
          .rho = std::move(rho),
          .reward = std::move(reward)};
}

std::vector<std::pair<Index, double>> random_successors(Index states, Index successors,
                                                        Index forced, Rng& rng) {
  // Floyd's sample of distinct states; a forced state takes the place of one draw.
  std::vector<Index> chosen;
  const auto has = [&](Index s) {
    return std::find(chosen.begin(), chosen.end(), s) != chosen.end();
  };
  for (Index j = states - successors; j < states; ++j) {
    const Index drawn = rng.index(j + 1);
    chosen.push_back(has(drawn) ? j : drawn);
  }
  if (forced >= 0 && !has(forced)) chosen.back() = forced;
  std::sort(chosen.begin(), chosen.end());
  const Vector weight = dirichlet(successors, 1, rng);
  std::vector<std::pair<Index, double>> out;
  for (Index j = 0; j < successors; ++j)
    out.emplace_back(chosen[static_cast<std::size_t>(j)], weight[j]);
  return out;
}

std::vector<Index> random_permutation(Index n, Rng& rng) {
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  for (Index i = n - 1; i > 0; --i)
    std::swap(order[static_cast<std::size_t>(i)],
              order[static_cast<std::size_t>(rng.index(i + 1))]);
  return order;
}

SparseMatrix random_sparse_kernel(const InstanceSpec& spec, const SeedTree& seeds) {
  const Index S = spec.states;
  const Index A = spec.actions;
  const Index successors = std::min(whole_knob(spec, "successors"), S);
  require_table_size(spec, S * A, successors);
  Rng permute = seeds.stream("permutation");
  const std::vector<Index> sigma = random_permutation(S, permute);
  std::vector<Entry> entries;
  entries.reserve(static_cast<std::size_t>(S * A * successors));
  for (Index s = 0; s < S; ++s) {
    Rng rng = seeds.stream("successors", static_cast<std::uint64_t>(s));
    const Index carrier = rng.index(A);
    for (Index a = 0; a < A; ++a) {
      const Index forced = a == carrier ? sigma[static_cast<std::size_t>(s)] : -1;
      for (const auto& [next, p] : random_successors(S, successors, forced, rng))
        entries.emplace_back(static_cast<std::int32_t>(pair_index(s, a, A)),
                             static_cast<std::int32_t>(next), p);
    }
  }
  return from_entries(S * A, S, entries);
}

}  // namespace speder

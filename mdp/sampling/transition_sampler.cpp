#include "speder/mdp/sampling/transition_sampler.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace speder {
namespace {

std::span<const double> view(const Vector& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

struct List {
  std::vector<double> weights;
  std::vector<std::uint32_t> outcomes;
  void add(double weight, Index outcome) {
    if (weight <= 0) return;
    weights.push_back(weight);
    outcomes.push_back(static_cast<std::uint32_t>(outcome));
  }
};

// Calls visit(column, value) for the entries of one row.
template <class Visit>
void for_each_entry(const Factor& factor, Index row, Visit visit) {
  if (factor.is_sparse()) {
    for (SparseMatrix::InnerIterator it(factor.sparse(), row); it; ++it)
      visit(it.col(), it.value());
  } else {
    for (Index k = 0; k < factor.cols(); ++k) visit(k, factor.dense()(row, k));
  }
}

TwoStageSampler<AliasRows> dense_two_stage(const Kernel& kernel) {
  const Vector mass = kernel.project(Vector::Ones(kernel.states()));  // m_k            (d)
  TwoStageSampler<AliasRows> sampler{AliasRows(kernel.pairs(), kernel.rank()),
                                     AliasRows(kernel.rank(), kernel.states())};
  for (Index pair = 0; pair < kernel.pairs(); ++pair) {
    const Vector weights = kernel.phi().dense().row(pair).transpose().cwiseProduct(mass);
    sampler.latent.set_row(pair, view(weights));
  }
  for (Index k = 0; k < kernel.rank(); ++k) {
    if (mass[k] <= 0) continue;  // no pair can choose it
    const Vector weights = kernel.mu().dense().col(k).cwiseProduct(kernel.nu());
    sampler.next.set_row(k, view(weights));
  }
  return sampler;
}

// The latents of signed factors are (k, +) and (k, −), at 2k and 2k + 1; non-negative factors
// leave the second kind empty.
TwoStageSampler<AliasLists> listed_two_stage(const Kernel& kernel) {
  std::vector<List> columns(static_cast<std::size_t>(2 * kernel.rank()));
  Vector mass = Vector::Zero(2 * kernel.rank());
  for (Index s = 0; s < kernel.states(); ++s) {
    for_each_entry(kernel.mu(), s, [&](Index k, double value) {
      const Index latent = 2 * k + (value < 0 ? 1 : 0);
      const double weight = std::abs(value) * kernel.nu()[s];
      columns[static_cast<std::size_t>(latent)].add(weight, s);
      mass[latent] += weight;
    });
  }
  TwoStageSampler<AliasLists> sampler;
  for (List& column : columns) {
    if (column.weights.empty()) column.add(1, 0);  // never chosen
    sampler.next.add_row(column.weights, column.outcomes);
  }
  List row;
  for (Index pair = 0; pair < kernel.pairs(); ++pair) {
    row.weights.clear(), row.outcomes.clear();
    for_each_entry(kernel.phi(), pair, [&](Index k, double value) {
      const Index latent = 2 * k + (value < 0 ? 1 : 0);
      row.add(std::abs(value) * mass[latent], latent);
    });
    sampler.latent.add_row(row.weights, row.outcomes);
  }
  return sampler;
}

RowSampler row_tables(const Kernel& kernel) {
  RowSampler sampler{AliasRows(kernel.pairs(), kernel.states())};
  for (Index pair = 0; pair < kernel.pairs(); ++pair) {
    const Vector weights = kernel.dense_row(pair).cwiseMax(0.0);
    sampler.next.set_row(pair, view(weights));
  }
  return sampler;
}

template <class Sampler>
void one_by_one(const Sampler& sampler, std::span<const Index> pairs, std::span<StateId> out,
                Rng& rng) {
  for (std::size_t i = 0; i < pairs.size(); ++i) out[i] = state(sampler.draw(pairs[i], rng));
}

}  // namespace

template <class Table>
void TwoStageSampler<Table>::draw(std::span<const Index> pairs, std::span<StateId> out,
                                  Rng& rng) const {
  constexpr std::size_t kBlock = 64;
  std::array<std::uint64_t, kBlock> first;
  std::array<std::uint64_t, kBlock> second;
  std::array<Index, kBlock> k;
  for (std::size_t begin = 0; begin < pairs.size(); begin += kBlock) {
    const std::size_t n = std::min(kBlock, pairs.size() - begin);
    for (std::size_t i = 0; i < n; ++i) {
      first[i] = rng();
      second[i] = rng();
      latent.prefetch(pairs[begin + i], first[i]);
    }
    for (std::size_t i = 0; i < n; ++i) {
      k[i] = latent.draw(pairs[begin + i], first[i]);
      next.prefetch(k[i], second[i]);
    }
    for (std::size_t i = 0; i < n; ++i) out[begin + i] = state(next.draw(k[i], second[i]));
  }
}

void RowSampler::draw(std::span<const Index> pairs, std::span<StateId> out, Rng& rng) const {
  one_by_one(*this, pairs, out, rng);
}

void RejectionSampler::draw(std::span<const Index> pairs, std::span<StateId> out, Rng& rng) const {
  one_by_one(*this, pairs, out, rng);
}

RejectionSampler::RejectionSampler(const Kernel& kernel)
    : kernel_(&kernel), proposal_(listed_two_stage(kernel)) {}

RejectionSampler::Density RejectionSampler::density(Index pair, Index next) const {
  double value = 0;
  double ceiling = 0;
  const auto add = [&](double phi, double mu) {
    value += phi * mu;
    ceiling += std::max(phi * mu, 0.0);
  };
  const Factor& phi = kernel_->phi();
  const Factor& mu = kernel_->mu();
  if (mu.is_sparse()) {
    for_each_entry(phi, pair, [&](Index k, double x) { add(x, mu.sparse().coeff(next, k)); });
  } else {
    for_each_entry(phi, pair, [&](Index k, double x) { add(x, mu.dense()(next, k)); });
  }
  return {std::max(value, 0.0), ceiling};
}

Index RejectionSampler::draw(Index pair, Rng& rng) const {
  for (int proposal = 0; proposal < kMaxProposals; ++proposal) {
    const Index next = proposal_.draw(pair, rng);
    const auto [value, ceiling] = density(pair, next);
    if (rng.uniform() * ceiling < value) return next;
  }
  return categorical(kernel_->dense_row(pair), rng);
}

TransitionSampler::Sampler TransitionSampler::choose(const Kernel& kernel) {
  const bool non_negative = kernel.phi().smallest() >= 0 && kernel.mu().smallest() >= 0;
  const bool dense = !kernel.phi().is_sparse() && !kernel.mu().is_sparse();
  if (non_negative && dense) return dense_two_stage(kernel);
  if (non_negative) return listed_two_stage(kernel);
  if (kernel.pairs() <= kRowTableEntries / kernel.states()) return row_tables(kernel);
  return RejectionSampler(kernel);
}

TransitionSampler::TransitionSampler(const Kernel& kernel) : sampler_(choose(kernel)) {}

void TransitionSampler::draw(std::span<const Index> pairs, std::span<StateId> next,
                             Rng& rng) const {
  std::visit([&](const auto& sampler) { sampler.draw(pairs, next, rng); }, sampler_);
}

}  // namespace speder

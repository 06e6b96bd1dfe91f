#pragma once

#include <span>
#include <variant>
#include <vector>

#include "speder/core/rng.hpp"
#include "speder/core/types.hpp"
#include "speder/mdp/model/kernel.hpp"
#include "speder/mdp/sampling/alias_table.hpp"

namespace speder {

/// s' ~ P(·|s,a) in two stages through non-negative factors, O(1) in |S|:
///   k  ~ φ_k(s,a) m_k,          m_k = ∑_{s'} μ_k(s') ν(s')
///   s' ~ μ_k(s') ν(s') / m_k.
/// Two 64-bit random numbers a draw; total-variation error at most 2⁻³¹ (see alias_table.hpp).
template <class Table>
struct TwoStageSampler {
  Table latent;  // row (s,a): law of k
  Table next;    // row k: law of s'
  Index draw(Index pair, Rng& rng) const {
    const std::uint64_t first = rng();
    const std::uint64_t second = rng();
    return next.draw(latent.draw(pair, first), second);
  }
  /// The same numbers as successive draws. Stage by stage, a block at a time: the look-ups of a
  /// block do not wait for one another, so large tables cost one cache miss, not one a draw.
  void draw(std::span<const Index> pairs, std::span<StateId> out, Rng& rng) const;
};

/// The law of s' tabulated for every pair: small kernels with signed factors.
struct RowSampler {
  AliasRows next;  // (SA × S)
  Index draw(Index pair, Rng& rng) const { return next.draw(pair, rng()); }
  void draw(std::span<const Index> pairs, std::span<StateId> out, Rng& rng) const;
};

/// Signed factors, exact by rejection. With x⁺ = max(x,0), x⁻ = max(−x,0),
///   P⁺ = ∑_k φ_k⁺ μ_k⁺ + φ_k⁻ μ_k⁻  ≥  P,
/// a mixture of 2d non-negative latents, is proposed from and kept with probability P/P⁺. Expected
/// number of proposals: ∑_{s'} P⁺ ν = 1 + the mass of the negative part; each costs O(d). After
/// kMaxProposals refusals the row is summed instead (O(|S|d), the law is the same).
class RejectionSampler {
 public:
  static constexpr int kMaxProposals = 1024;
  explicit RejectionSampler(const Kernel& kernel);
  Index draw(Index pair, Rng& rng) const;
  void draw(std::span<const Index> pairs, std::span<StateId> out, Rng& rng) const;

 private:
  struct Density {
    double value;    // P(s'|s,a), negative rounding set to 0
    double ceiling;  // P⁺(s'|s,a)
  };
  [[nodiscard]] Density density(Index pair, Index next) const;
  const Kernel* kernel_;
  TwoStageSampler<AliasLists> proposal_;  // latent 2k: φ_k⁺ μ_k⁺, latent 2k + 1: φ_k⁻ μ_k⁻
};

/// Draws next states of a kernel; the kernel must outlive it.
class TransitionSampler {
 public:
  /// Signed kernels with at most this many entries |S||A||S| get one table per row.
  static constexpr Index kRowTableEntries = Index{1} << 20;

  explicit TransitionSampler(const Kernel& kernel);
  Index draw(Index pair, Rng& rng) const {
    return std::visit([&](const auto& sampler) { return sampler.draw(pair, rng); }, sampler_);
  }
  /// next[i] ~ P(·|pairs[i]): the same numbers as successive calls of draw.
  void draw(std::span<const Index> pairs, std::span<StateId> next, Rng& rng) const;

 private:
  using Sampler = std::variant<TwoStageSampler<AliasRows>, TwoStageSampler<AliasLists>, RowSampler,
                               RejectionSampler>;
  static Sampler choose(const Kernel& kernel);
  Sampler sampler_;
};

}  // namespace speder

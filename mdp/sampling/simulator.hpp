#pragma once

#include <concepts>
#include <memory>
#include <span>

#include "speder/core/rng.hpp"
#include "speder/core/types.hpp"
#include "speder/mdp/model/tabular_mdp.hpp"

namespace speder {

struct Transition {
  StateId state;
  ActionId action;
  double reward;
  StateId next;
};

struct StateAction {
  StateId state;
  ActionId action;
};

template <class Env>
concept SampleAccess = requires(const Env env, StateId s, ActionId a, Rng& rng) {
  { env.reset(rng) } -> std::same_as<StateId>;
  { env.step(s, a, rng) } -> std::same_as<Transition>;
};

/// Sample-only handle around a hidden MDP: what a learner may touch. The reward function, the
/// discount and the sizes are public, as in the paper; the kernel and ρ are not.
/// Draws cost O(1) in |S| (alias tables over the factors, set up once in O(nonzeros)); signed
/// factors are drawn exactly by rejection, transition_sampler.hpp states the cost. Total-variation
/// error of a draw: at most 2⁻³¹. Throws std::invalid_argument for a state or action out of range.
class Simulator {
 public:
  explicit Simulator(std::shared_ptr<const TabularMdp> mdp);
  ~Simulator();
  Simulator(Simulator&&) noexcept;
  Simulator& operator=(Simulator&&) noexcept;

  [[nodiscard]] StateId reset(Rng& rng) const;
  [[nodiscard]] Transition step(StateId s, ActionId a, Rng& rng) const;
  /// next[i] ~ P(·|from[i]); the same numbers as successive calls of step, in less time.
  void sample_next(std::span<const StateAction> from, std::span<StateId> next, Rng& rng) const;

  [[nodiscard]] Index states() const;
  [[nodiscard]] Index actions() const;
  [[nodiscard]] double gamma() const;
  [[nodiscard]] const Vector& reward() const;  // (SA)

 private:
  struct Tables;
  std::unique_ptr<const Tables> tables_;
};

static_assert(SampleAccess<Simulator> && !SampleAccess<TabularMdp>);

}  // namespace speder

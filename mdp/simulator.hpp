#pragma once

#include <concepts>
#include <memory>

#include "core/rng.hpp"
#include "core/types.hpp"
#include "mdp/model/tabular_mdp.hpp"

namespace speder {

struct Transition {
  StateId state;
  ActionId action;
  double reward;
  StateId next;
};

template <class Env>
concept SampleAccess = requires(const Env env, StateId s, ActionId a, Rng& rng) {
  { env.reset(rng) } -> std::same_as<StateId>;
  { env.step(s, a, rng) } -> std::same_as<Transition>;
};

/// Sample-only handle around a hidden MDP: what a learner may touch. The reward function, the
/// discount and the sizes are public, as in the paper; the kernel and ρ are not.
/// Draws cost O(1) in |S| (alias tables over the factors, set up once in O(nonzeros)).
class Simulator {
 public:
  explicit Simulator(std::shared_ptr<const TabularMdp> mdp);
  ~Simulator();
  Simulator(Simulator&&) noexcept;
  Simulator& operator=(Simulator&&) noexcept;

  [[nodiscard]] StateId reset(Rng& rng) const;
  [[nodiscard]] Transition step(StateId s, ActionId a, Rng& rng) const;

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

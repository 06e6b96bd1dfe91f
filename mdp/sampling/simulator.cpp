#include "speder/mdp/sampling/simulator.hpp"

#include <algorithm>
#include <array>

#include "speder/core/check.hpp"
#include "speder/mdp/sampling/alias_table.hpp"
#include "speder/mdp/sampling/transition_sampler.hpp"

namespace speder {

struct Simulator::Tables {
  explicit Tables(std::shared_ptr<const TabularMdp> hidden)
      : mdp(std::move(hidden)),
        states(mdp->states()),
        actions(mdp->actions()),
        transition(mdp->kernel()),
        start(1, states) {
    start.set_row(0, {mdp->rho().data(), static_cast<std::size_t>(states)});
  }
  [[nodiscard]] Index pair(StateId s, ActionId a) const {
    require(0 <= index(s) && index(s) < states, "no such state", index(s));
    require(0 <= index(a) && index(a) < actions, "no such action", index(a));
    return pair_index(s, a, actions);
  }

  std::shared_ptr<const TabularMdp> mdp;
  Index states;
  Index actions;
  TransitionSampler transition;
  AliasRows start;  // (1 × S)  ρ
};

Simulator::Simulator(std::shared_ptr<const TabularMdp> mdp) {
  require(mdp != nullptr, "a simulator needs an MDP");
  tables_ = std::make_unique<const Tables>(std::move(mdp));
}
Simulator::~Simulator() = default;
Simulator::Simulator(Simulator&&) noexcept = default;
Simulator& Simulator::operator=(Simulator&&) noexcept = default;

StateId Simulator::reset(Rng& rng) const { return state(tables_->start.draw(0, rng())); }

Transition Simulator::step(StateId s, ActionId a, Rng& rng) const {
  const Index pair = tables_->pair(s, a);
  return {s, a, tables_->mdp->reward()[pair], state(tables_->transition.draw(pair, rng))};
}

void Simulator::sample_next(std::span<const StateAction> from, std::span<StateId> next,
                            Rng& rng) const {
  require(from.size() == next.size(), "one next state per pair", next.size());
  constexpr std::size_t kBlock = 256;
  std::array<Index, kBlock> pairs;
  for (std::size_t first = 0; first < from.size(); first += kBlock) {
    const std::size_t n = std::min(kBlock, from.size() - first);
    for (std::size_t i = 0; i < n; ++i)
      pairs[i] = tables_->pair(from[first + i].state, from[first + i].action);
    tables_->transition.draw(std::span(pairs).first(n), next.subspan(first, n), rng);
  }
}

Index Simulator::states() const { return tables_->states; }
Index Simulator::actions() const { return tables_->actions; }
double Simulator::gamma() const { return tables_->mdp->gamma(); }
const Vector& Simulator::reward() const { return tables_->mdp->reward(); }

}  // namespace speder

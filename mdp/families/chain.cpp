// chain: levels that must be climbed on purpose, a bandit with one better arm at one of two ends
// (mdp/classes/chain_class.hpp has the process). r = ⟨φ, e_paid⟩: the prize pays whatever is done there.
#include "speder/mdp/classes/chain_class.hpp"

#include "speder/mdp/families/generators.hpp"
#include "speder/mdp/families/latent.hpp"
#include "speder/mdp/families/own_class.hpp"

namespace speder {

ChainShape chain_shape(const InstanceSpec& spec) {
  const Index d = size_in_range(spec, "rank", spec.rank, 7, kAnySize / 64);
  const ChainShape shape{.levels = d - 5,
                         .actions = spec.actions,
                         .copies = whole_knob(spec, "copies"),
                         .gamma = spec.gamma,
                         .overlap = spec.knob("overlap"),
                         .lead = spec.knob("lead"),
                         .climb = spec.knob("climb")};
  require_valid(shape);
  return shape;
}

TabularMdp make_chain_family(const InstanceSpec& spec, const SeedTree& seeds) {
  const ChainShape shape = chain_shape(spec);
  require_observations(spec, shape.states());
  const ChainMember truth = draw_chain(shape, seeds);
  Vector theta = Vector::Zero(shape.rank());
  theta[shape.paid()] = 1;
  return emit_latent(
      spec,
      {chain_phi(shape, truth), chain_emission(shape, truth), std::move(theta), ChainShape::kFoot},
      seeds);
}

}  // namespace speder

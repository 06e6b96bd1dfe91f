// comblock: the rich-observation combination lock of HOMER and BRIEE (mdp/classes/lock_class.hpp has
// the process): H levels, d = 2H + 3 latents, a decoy for those who fall, a chain of bad latents beside
// the good ones. Uniform actions reach the prize with probability |A|^−H a round. r = ⟨φ, θ⟩ with
// θ_paid = 1 and θ_change = decoy. ρ = the start's emission.
#include "speder/mdp/classes/lock_class.hpp"

#include "speder/mdp/families/generators.hpp"
#include "speder/mdp/families/latent.hpp"
#include "speder/mdp/families/own_class.hpp"

namespace speder {

LockShape comblock_shape(const InstanceSpec& spec) {
  const Index d = size_in_range(spec, "rank", spec.rank, 7, kAnySize / 64);
  const LockShape shape{.levels = d % 2 == 1 ? (d - 3) / 2 : 0,  // an even rank is refused below
                        .actions = spec.actions,
                        .copies = whole_knob(spec, "copies"),
                        .overlap = spec.knob("overlap"),
                        .leak = spec.knob("leak")};
  require_valid(shape);
  return shape;
}

TabularMdp make_comblock(const InstanceSpec& spec, const SeedTree& seeds) {
  const LockShape shape = comblock_shape(spec);
  require_observations(spec, shape.states());
  const LockMember truth = draw_lock(shape, seeds);
  Vector theta = Vector::Zero(shape.rank());
  theta[shape.paid()] = 1;
  theta[shape.change()] = spec.knob("decoy");
  return emit_latent(
      spec,
      {lock_phi(shape, truth), lock_emission(shape, truth), std::move(theta), LockShape::kStart},
      seeds);
}

}  // namespace speder
